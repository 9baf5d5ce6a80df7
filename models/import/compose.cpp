// SPDX-License-Identifier: Apache-2.0
#include "models/import/compose_parts.hpp"
#include "models/import/training_command.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace trainyard {
namespace {

/// Compose files of version 2 (and without `deploy`), with the labels of Alibaba's container service and of stand-alone
/// Docker Swarm. Source: the Compose file reference, version 2; the container article for the labels aliyun.*.
class Compose final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    const bool services = head.starts_with("services:") || file.has("\nservices:");
    return services && !has_deploy(head);
  }
  std::string description() const override { return "docker-compose file, version 2"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"services: {a: {image: x, KEY: 7}}\n", compose_service_keys},
            {"services: {a: {image: x}}\nKEY: 7\n", compose_top_keys}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    if (const int line = lost_indentation(file.text()); line > 0) {
      context.report.error({file.name(), line}, "this line is not indented, so 'services' is empty: a listing that was "
                                                "copied has lost the blanks at the begin of its lines; indent each "
                                                "service by two and its settings by four");
      return;
    }
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      ComposeReader reader{document, file, context};
      const bool batch = read_top(document, reader, context);
      for (const ComposeService& service : reader.take_training(reader.services(), false))
        add(service, batch, reader, context);
      context.draft.orchestrator = "container_service";
      context.draft.orchestrator_note = "compose version 2 on stand-alone Docker Swarm";
      context.draft.ask("how fast do the jobs of this compose file train, and what happens when a node fails?");
    }
  }

private:
  /// The first line below "services:" where it is not indented, as any of its settings are not; 0: it is.
  static int lost_indentation(const std::string& text)
  {
    bool below = false;
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view{text}.substr(at, end - at);
      ++number;
      at = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.starts_with("#"))
        continue;
      if (below)
        return line.front() == ' ' || line.front() == '\t' || line.starts_with("networks:") ||
                       line.starts_with("volumes:")
                   ? 0
                   : number;
      below = line.starts_with("services:") && line.find_first_not_of(" \r", 9) == std::string_view::npos;
    }
    return 0;
  }

  static bool read_top(const Document& document, const ComposeReader& reader, ImportContext& context)
  {
    bool batch = false;
    for (const DocumentNode::Entry& entry : document.root.entries) {
      const ImportPlace where = reader.place(entry.line);
      if (entry.key == "version") {
        if (!entry.value.text.starts_with("2") && !entry.value.text.starts_with("3"))
          context.report.warning(where, "compose version '{}' is not known; it is read as version 2", entry.value.text);
        context.report.understood(where, "compose version {}", entry.value.text);
      } else if (entry.key == "labels") {
        for (const DocumentNode::Entry& label : entry.value.entries)
          if (label.key == "aliyun.project_type") {
            batch = label.value.text == "batch";
            context.report.understood(reader.place(label.line), "project type {}{}", label.value.text,
                                      batch ? ": services run to completion" : "");
          } else {
            context.report.ignored("label " + label.key, "not modelled", reader.place(label.line));
          }
      } else {
        reader.tell(entry, compose_top_keys);
      }
    }
    return batch;
  }

  static void add(const ComposeService& service, bool batch, const ComposeReader& reader, ImportContext& context)
  {
    const ImportPlace where = reader.place(service.line);
    DraftTasks tasks{
        .replicas = service.replicas, .gpus = service.gpus, .cpu = service.cpus, .memory_bytes = service.memory_bytes};
    tasks.host_ports = service.host_ports;
    tasks.note = to_text(where);
    DraftService draft{.name = service.name, .kind = batch ? "generic" : "service", .tasks = {tasks}};
    draft.restart = service.restart;
    draft.attempts = service.attempts;
    draft.reschedule = reschedule_of(service);
    draft.note = to_text(where);
    if (service.gpus == 0 && service.cpus == 0 && service.memory_bytes == 0)
      context.report.assumed({"service {} needs almost nothing: no GPU, no stated CPU or memory", service.name},
                             "the file states no resources", where);
    DraftQueueJob job{.name = service.name, .gpus = service.gpus * service.replicas, .tasks = service.replicas};
    job.cpu_milli = static_cast<int>(service.cpus * 1000);
    job.memory_mib = static_cast<int>(service.memory_bytes / 1048576);
    job.note = to_text(where);
    if (batch) {
      context.report.understood(where, "job {} that runs to completion", service.name);
      context.report.assumed({"job {} runs for 1 h", service.name}, "the file gives no run time", where);
      draft.work_s = job.duration_s = 3600;
    } else {
      context.report.understood(where, "service {} that is kept running", service.name);
      job.duration_s = 86400;
      context.report.assumed({"service {} runs for a day", service.name}, "services have no end", where);
    }
    if (!service.command.empty())
      context.report.ignored(
          "command of " + service.name,
          batch ? "it names no hosts of the file as workers or servers, so the job has a given run time"
                : "it names no hosts of the file as workers or servers, so the service only holds "
                  "what it asks for",
          reader.place(service.line));
    if (const std::string model = model_named_in(service.image); !model.empty())
      context.report.ignored({"the image's name says it trains {}", model},
                             "its batch and steps are unknown, so the job has a given run time", where);
    context.draft.services.push_back(std::move(draft));
    context.draft.queue_jobs.push_back(std::move(job));
  }
};

TY_REGISTER(Importer, Compose, "docker-compose",
            "compose version 2: cluster_spec, GPU labels, restart and reschedule policies");

} // namespace
} // namespace trainyard
