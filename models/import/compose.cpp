// SPDX-License-Identifier: Apache-2.0
#include "models/import/compose_parts.hpp"
#include "models/import/yaml_documents.hpp"

#include <fmt/format.h>

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
    const bool services = head.starts_with("services:") || head.find("\nservices:") != std::string_view::npos;
    return services && head.find("\n    deploy:") == std::string_view::npos;
  }
  std::string description() const override { return "docker-compose file, version 2"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      ComposeReader reader{document, file, context};
      const bool batch = read_top(document, file, context);
      for (const ComposeService& service : reader.take_training(reader.services(), false))
        add(service, batch, reader, context);
      context.draft.orchestrator = "container_service";
      context.draft.orchestrator_note = "compose version 2 on stand-alone Docker Swarm";
      if (context.draft.question.empty())
        context.draft.question = "how fast do the jobs of this compose file train, and what happens when a node fails?";
    }
  }

private:
  static bool read_top(const Document& document, const InputFile& file, ImportContext& context)
  {
    bool batch = false;
    for (const DocumentNode::Entry& entry : document.root.entries) {
      const ImportPlace where{file.name(), entry.line};
      if (entry.key == "version") {
        if (!entry.value.text.starts_with("2") && !entry.value.text.starts_with("3"))
          context.report.warning(
              where, fmt::format("compose version '{}' is not known; it is read as version 2", entry.value.text));
        context.report.understood(fmt::format("compose version {}", entry.value.text), where);
      } else if (entry.key == "labels") {
        for (const DocumentNode::Entry& label : entry.value.entries)
          if (label.key == "aliyun.project_type") {
            batch = label.value.text == "batch";
            context.report.understood(
                fmt::format("project type {}{}", label.value.text, batch ? ": services run to completion" : ""),
                {file.name(), label.line});
          } else {
            context.report.ignored("label " + label.key, "not modelled", {file.name(), label.line});
          }
      } else if (entry.key != "services") {
        context.report.ignored(entry.key, "not modelled", where);
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
      context.report.assumed(
          fmt::format("service {} needs almost nothing: no GPU, no stated CPU or memory", service.name),
          "the file states no resources", where);
    DraftQueueJob job{.name = service.name, .gpus = service.gpus * service.replicas, .tasks = service.replicas};
    job.cpu_milli = static_cast<int>(service.cpus * 1000);
    job.memory_mib = static_cast<int>(service.memory_bytes / 1048576);
    job.note = to_text(where);
    if (batch) {
      context.report.understood(fmt::format("job {} that runs to completion", service.name), where);
      context.report.assumed(fmt::format("job {} runs for 1 h", service.name), "the file gives no run time", where);
      draft.work_s = job.duration_s = 3600;
    } else {
      context.report.understood(fmt::format("service {} that is kept running", service.name), where);
      job.duration_s = 86400;
      context.report.assumed(fmt::format("service {} runs for a day", service.name), "services have no end", where);
    }
    if (const std::string model = model_named_in(service.image); !model.empty())
      context.report.ignored(fmt::format("the image's name says it trains {}", model),
                             "its batch and steps are unknown, so the job has a given run time", where);
    context.draft.services.push_back(std::move(draft));
    context.draft.queue_jobs.push_back(std::move(job));
  }
};

TY_REGISTER(Importer, Compose, "docker-compose",
            "compose version 2: cluster_spec, GPU labels, restart and reschedule policies");

} // namespace
} // namespace trainyard
