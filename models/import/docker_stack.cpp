// SPDX-License-Identifier: Apache-2.0
#include "models/import/compose_parts.hpp"
#include "models/import/training_command.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// Stacks of Docker Swarm: compose version 3 with `deploy`. Source: the Compose file reference, version 3, "deploy".
class DockerStack final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return is_compose(file) && has_deploy(file.head()); }
  std::string description() const override { return "Docker Swarm stack, compose version 3"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"services:\n  a:\n    image: x\n    deploy:\n      KEY: 7\n", compose_deploy_keys}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      ComposeReader reader{document, file, context};
      for (const DocumentNode::Entry& entry : document.root.entries)
        if (entry.key == "version")
          context.report.understood(reader.place(entry.line), "compose version {}", entry.value.text);
        else
          reader.tell(entry, compose_top_keys);
      std::vector<ComposeService> services = reader.services();
      std::vector<Deploy> deploys;
      for (ComposeService& service : services)
        deploys.push_back(read_deploy(service, reader, context));
      const std::size_t before = context.draft.services.size();
      const std::vector<ComposeService> rest = reader.take_training(services, true);
      const auto deploy_of = [&](const std::string& name) -> const Deploy& {
        return deploys[static_cast<std::size_t>(std::ranges::find(services, name, &ComposeService::name) -
                                                services.begin())];
      };
      for (std::size_t i = before; i < context.draft.services.size(); ++i) { // training: the rules of its workers
        DraftService& draft = context.draft.services[i];
        for (std::size_t k = 0; k < services.size(); ++k)
          for (DraftTasks& tasks : draft.tasks)
            if (services[k].name.find(tasks.role) != std::string::npos ||
                (draft.cluster_spec.empty() && services[k].name.starts_with(draft.name))) { // torchrun's
              tasks.constraints = deploys[k].constraints;
              tasks.most_per_node = deploys[k].most_per_node;
              if (tasks.role == "worker")
                apply(deploys[k], draft);
            }
      }
      for (const ComposeService& service : rest) {
        DraftTasks tasks{.replicas = service.replicas,
                         .gpus = service.gpus,
                         .cpu = service.cpus,
                         .memory_bytes = service.memory_bytes};
        tasks.host_ports = service.host_ports;
        tasks.constraints = deploy_of(service.name).constraints;
        tasks.most_per_node = deploy_of(service.name).most_per_node;
        DraftService draft{.name = service.name, .tasks = {tasks}, .note = to_text(reader.place(service.line))};
        apply(deploy_of(service.name), draft);
        const bool job = deploy_of(service.name).job;
        if (job) { // it runs to its end
          draft.kind = "generic";
          draft.work_s = work_of(service, reader, context);
        }
        context.draft.queue_jobs.push_back({.name = service.name,
                                            .duration_s = job ? draft.work_s : 86400,
                                            .gpus = service.gpus * service.replicas,
                                            .tasks = std::max(1, service.replicas),
                                            .cpu_milli = static_cast<int>(service.cpus * 1000),
                                            .memory_mib = static_cast<int>(service.memory_bytes / 1048576),
                                            .note = to_text(reader.place(service.line))});
        context.draft.services.push_back(std::move(draft));
        context.report.understood(reader.place(service.line), "{} {}: {} replicas", job ? "job" : "service",
                                  service.name, service.replicas);
        if (!service.command.empty() && (!job || sleep_in_command(service.command) == 0))
          context.report.ignored("command of " + service.name,
                                 "it names no ps_hosts and worker_hosts, which make services a training job: this one "
                                 "only holds what it asks for",
                                 reader.place(service.line));
      }
      context.draft.orchestrator = "swarm";
      context.draft.orchestrator_note = "compose version 3 with deploy";
      context.draft.ask("how fast do the jobs of this stack train, and how much do failures and updates cost?");
    }
  }

private:
  struct Deploy {
    bool job = false; // mode replicated-job or global-job
    std::string restart;
    std::string delay;
    int attempts = 0;
    int update_parallelism = 0;
    std::string update_delay;
    std::string update_order;
    std::vector<std::string> constraints;
    int most_per_node = 0;
  };

  /// How long each task of a job runs.
  static double work_of(const ComposeService& service, const ComposeReader& reader, ImportContext& context)
  {
    const double sleeps = sleep_in_command(service.command);
    const double taken = sleeps > 0 ? sleeps : context.options.duration_s > 0 ? context.options.duration_s : 3600;
    if (sleeps == 0)
      context.report.assumed({"job {} runs for {}", service.name, seconds_text(taken)},
                             "the file gives no run time; --assume-duration TIME chooses another",
                             reader.place(service.line));
    return taken;
  }

  static void apply(const Deploy& deploy, DraftService& draft)
  {
    draft.restart = deploy.restart;
    draft.delay = deploy.delay;
    draft.attempts = deploy.attempts;
    draft.update_parallelism = deploy.update_parallelism;
    draft.update_delay = deploy.update_delay;
    draft.update_order = deploy.update_order;
  }

  static std::string duration(const std::string& text)
  {
    const double seconds = compose_seconds(text);
    return seconds < 0 ? std::string{} : seconds_text(seconds);
  }

  static Deploy read_deploy(ComposeService& service, const ComposeReader& reader, ImportContext& context)
  {
    Deploy deploy;
    const DocumentNode* node = at(service.node, {"deploy"});
    if (node == nullptr) {
      context.report.assumed({"service {} has one replica", service.name}, "it has no 'deploy'",
                             reader.place(service.line));
      return deploy;
    }
    ImportReport& report = context.report;
    for (const DocumentNode::Entry& entry : node->entries) {
      const ImportPlace where = reader.place(entry.line);
      for (const DocumentNode::Entry& inner : entry.value.entries)
        if (entry.key != "labels" && entry.key != "rollback_config")
          reader.tell(inner, compose_deploy_keys, " of " + entry.key);
      if (entry.key == "mode") {
        deploy.job = entry.value.text.ends_with("-job");
        if (entry.value.text.starts_with("global"))
          report.assumed({"service {} has one replica", service.name},
                         "mode global means one per node; the nodes are not in the file", where);
        else
          report.understood("mode " + entry.value.text, where);
      } else if (entry.key == "replicas") {
        service.replicas = count_of(entry.value.text, 100'000, 1, "replicas", where, report);
        report.understood(where, "service {}: {}", service.name, counted(service.replicas, "replica"));
      } else if (entry.key == "update_config") {
        deploy.update_parallelism =
            static_cast<int>(std::clamp(number_of(text_at(entry.value, {"parallelism"}), 1), 1.0, 1e6));
        deploy.update_delay = duration(text_at(entry.value, {"delay"}));
        deploy.update_order = text_at(entry.value, {"order"}) == "start-first" ? "start_first" : "stop_first";
        report.understood(where, "rolling update of {}: {} at a time every {}", service.name, deploy.update_parallelism,
                          deploy.update_delay.empty() ? "0 s" : deploy.update_delay);
        if (const DocumentNode* action = at(entry.value, {"failure_action"}); action != nullptr)
          report.ignored("failure_action " + action->text, "updates do not fail here", reader.place(action->line));
      } else if (entry.key == "restart_policy") {
        const std::string condition = text_at(entry.value, {"condition"});
        deploy.restart = condition == "none" ? "never" : condition == "on-failure" ? "on_failure" : "always";
        deploy.delay = duration(text_at(entry.value, {"delay"}));
        deploy.attempts = static_cast<int>(std::clamp(number_of(text_at(entry.value, {"max_attempts"}), 0), 0.0, 1e6));
        report.understood(where, "restart of {}: {}{}", service.name, condition.empty() ? "any" : condition,
                          deploy.attempts > 0 ? fmt::format(", at most {} times", deploy.attempts) : "");
        if (const DocumentNode* window = at(entry.value, {"window"}); window != nullptr)
          report.ignored("restart window", "attempts are counted over the whole run", reader.place(window->line));
      } else if (entry.key == "placement") {
        for (const DocumentNode& item : at(entry.value, {"constraints"}) != nullptr
                                            ? at(entry.value, {"constraints"})->items
                                            : std::vector<DocumentNode>{}) {
          deploy.constraints.push_back(item.text);
          report.understood("constraint " + item.text, reader.place(item.line));
        }
        if (const DocumentNode* most = at(entry.value, {"max_replicas_per_node"}); most != nullptr) {
          deploy.most_per_node =
              count_of(most->text, 1'000'000, 0, "tasks of a machine", reader.place(most->line), report);
          report.understood(where, "at most {} of {} on a machine", deploy.most_per_node, service.name);
        }
        if (at(entry.value, {"preferences"}) != nullptr)
          report.ignored("placement preferences", "not modelled", where);
      } else if (entry.key == "resources") {
        read_resources(service, entry.value, reader, report);
      } else {
        reader.tell(entry, compose_deploy_keys, " of deploy");
      }
    }
    if (deploy.job && (deploy.restart.empty() || deploy.restart == "always"))
      deploy.restart = "on_failure"; // a job's tasks do not start again when they are done
    return deploy;
  }

  static void read_resources(ComposeService& service, const DocumentNode& node, const ComposeReader& reader,
                             ImportReport& report)
  {
    for (const char* side : {"limits", "reservations"}) {
      const DocumentNode* part = at(node, {side});
      if (part == nullptr)
        continue;
      for (const DocumentNode::Entry& inner : part->entries)
        reader.tell(inner, compose_deploy_keys, fmt::format(" of {}", side));
      if (const DocumentNode* cpus = at(part, {"cpus"}); cpus != nullptr) {
        service.cpus = std::max(service.cpus, std::clamp(number_of(cpus->text, 0), 0.0, 1e5));
        report.understood(reader.place(cpus->line), "{} CPU cores per task of {}", cpus->text, service.name);
      }
      if (const DocumentNode* memory = at(part, {"memory"}); memory != nullptr) {
        service.memory_bytes = std::max(service.memory_bytes, compose_bytes(memory->text));
        report.understood(reader.place(memory->line), "{} of memory per task of {}", memory->text, service.name);
      }
      for (const DocumentNode& item : items_at(part, {"generic_resources"})) {
        const std::string kind = text_at(item, {"discrete_resource_spec", "kind"});
        const double value = number_of(text_at(item, {"discrete_resource_spec", "value"}), 0);
        std::string lower = kind;
        std::ranges::transform(lower, lower.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (lower.find("gpu") != std::string::npos && value >= 0 && value <= 64 && value == std::floor(value)) {
          service.gpus = static_cast<int>(value);
          report.understood(reader.place(item.line), "{} per task (generic resource {})", counted(service.gpus, "GPU"),
                            kind);
        } else {
          report.ignored("generic resource " + kind, "only GPUs are counted", reader.place(item.line));
        }
      }
      for (const DocumentNode& item : items_at(part, {"devices"})) {
        service.gpus = device_count(item, service, reader.place(item.line), report);
      }
    }
  }
};

TY_REGISTER(Importer, DockerStack, "docker-stack",
            "Swarm stacks, compose version 3: replicas, rolling update, generic resources, constraints");

} // namespace
} // namespace trainyard
