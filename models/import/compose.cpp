// SPDX-License-Identifier: Apache-2.0
#include "models/import/compose_parts.hpp"
#include "models/import/training_command.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace trainyard {
namespace {

/// Compose files of version 2 (and without `deploy`), with the labels of Alibaba's container service and of stand-alone
/// Docker Swarm. Source: the Compose file reference, version 2; the container article for the labels aliyun.*.
class Compose final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return is_compose(file) && !has_deploy(file.head()); }
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

  void finish(ImportContext& context) const override
  {
    for (DraftClient& client : std::exchange(context.draft.clients, {}))
      add_client(std::move(client), context);
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
    DraftQueueJob job{.name = service.name, .gpus = service.gpus * service.replicas, .tasks = service.replicas};
    job.cpu_milli = static_cast<int>(service.cpus * 1000);
    job.memory_mib = static_cast<int>(service.memory_bytes / 1048576);
    job.note = to_text(where);
    std::string words = service.image;
    for (const std::string& word : service.command)
      words += " " + word;
    for (const auto& [name, value] : service.environment)
      words += " " + value.first;
    const bool has_session = words.find("grpc://") != std::string::npos; // of TensorFlow, on a server
    DraftClient one{std::move(draft), std::move(job), std::move(words), where, batch};
    if (service.gpus == 0 && (batch || has_session))
      context.draft.clients.push_back(std::move(one)); // the servers may stand in a later file
    else
      add_alone(std::move(one), context);
    if (!service.command.empty())
      context.report.ignored("command of " + service.name,
                             batch ? "what its program does is not in the file"
                                   : "it names no hosts of the file as workers or servers, so the service only holds "
                                     "what it asks for",
                             reader.place(service.line));
  }

  /// A service, or a job of a batch project whose run time nobody says.
  static void add_alone(DraftClient one, ImportContext& context)
  {
    const std::string name = one.service.name;
    if (one.batch) {
      context.report.understood(one.place, "job {} that runs to completion", name);
      context.report.assumed({"job {} runs for 1 h", name}, "the file gives no run time", one.place);
      one.service.work_s = one.job.duration_s = 3600;
      if (const std::string model = model_named_in(one.words); !model.empty())
        context.report.ignored({"the image's name says it trains {}", model},
                               "its batch and steps are unknown, so the job has a given run time", one.place);
    } else {
      context.report.understood(one.place, "service {} that is kept running", name);
      one.job.duration_s = 86400;
      context.report.assumed({"service {} runs for a day", name}, "services have no end", one.place);
    }
    if (one.service.tasks.front().gpus == 0 && one.service.tasks.front().cpu == 0 &&
        one.service.tasks.front().memory_bytes == 0)
      context.report.assumed({"service {} needs almost nothing: no GPU, no stated CPU or memory", name},
                             "the file states no resources", one.place);
    context.draft.services.push_back(std::move(one.service));
    context.draft.queue_jobs.push_back(std::move(one.job));
  }

  /// The training cluster whose servers a client means: the one that it names, else the only one; null: none.
  static DraftService* cluster_of(const DraftClient& client, std::vector<DraftService>& services, bool& named)
  {
    DraftService* found = nullptr;
    int clusters = 0;
    for (DraftService& service : services) {
      if (service.cluster_spec.empty() || service.job.empty())
        continue;
      for (const DraftTasks& tasks : service.tasks)
        for (const std::string& host : tasks.names)
          if (named = client.words.find(host) != std::string::npos; named)
            return &service;
      found = &service;
      ++clusters;
    }
    return clusters == 1 ? found : nullptr;
  }

  /// A container that runs to its end beside a cluster of servers gives them their work: its steps are the job's.
  static void add_client(DraftClient client, ImportContext& context)
  {
    Draft& draft = context.draft;
    bool named = false;
    DraftService* servers = cluster_of(client, draft.services, named);
    if (servers == nullptr)
      return add_alone(std::move(client), context);
    const std::string& name = client.service.name;
    context.report.understood(client.place, "{}: the client of {}", name, servers->name);
    if (!named)
      context.report.assumed({"{} gives its work to the servers of {}", name, servers->name},
                             "it names none, and there are no others", client.place);
    servers->clients.emplace_back(name, to_text(client.place));
    const auto job = std::ranges::find(draft.jobs, servers->job, &DraftJob::name);
    if (const std::string model = model_named_in(client.words);
        !model.empty() && context.options.model.empty() && job != draft.jobs.end() && job->model.empty()) {
      job->model = model;
      context.report.understood(client.place, "{} trains {}: its image, command or environment says so", name, model);
    }
  }
};

TY_REGISTER(Importer, Compose, "docker-compose",
            "compose version 2: cluster_spec, GPU labels, restart and reschedule policies");

} // namespace
} // namespace trainyard
