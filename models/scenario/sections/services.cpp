// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/services.hpp"

#include "models/core/data_folder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

const std::vector<std::string> kinds = {"service", "training", "mpi", "serving", "notebook", "load", "generic"};

std::vector<std::string> runtime_names(const std::map<std::string, Runtime>& all)
{
  std::vector<std::string> names;
  for (const auto& [name, entry] : all)
    names.push_back(name);
  return names;
}

/// What the services of one scenario have in common while they are read.
struct Shared {
  std::map<std::string, Runtime> runtimes;
  std::map<std::string, int> containers;                                            // container name -> line
  std::map<std::string, std::pair<std::string, const DocumentNode*>> cluster_specs; // cluster -> text, where
};

class ServicesReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts&, const Catalogue& catalogue) const override
  {
    using namespace schema;
    const Json resources =
        object("resources of one task", {{"gpus", whole("GPUs", 0)},
                                         {"gpu_share", number("part of one GPU, less than 1")},
                                         {"gpu_type", name_of(catalogue.gpu_names(), "type of GPU; default: any")},
                                         {"cpu", number("CPU cores")},
                                         {"memory", quantity("memory of the host", "4 GB")}});
    const Json ports = list_of(whole("a port"), "ports of the host that each task needs");
    const Json constraints =
        list_of(text("node.role == worker"), "conditions on nodes: node, group, role, rack, gpu or a label");
    Json group_keys = {
        {"role", text("worker, ps…")},
        {"replicas", whole("number of tasks (default 1)", 0)},
        {"resources", resources},
        {"containers", list_of(resources, "containers of a pod; their resources are added up")},
        {"host_ports", ports},
        {"constraints", constraints},
        {"most_per_node", whole("most tasks on one node; default: no limit")},
        {"holds_state", flag("whether the loss of such a task loses the work since the last checkpoint")},
        {"gpu_use", object("use of the node's first GPU without a request for it",
                           {{"share", number("share of its time at full speed")},
                            {"memory", quantity("memory of the GPU", "6 GB")}})},
        {"names", list_of(text("a name"), "container names, one per replica")}};
    Json service = {
        {"name", text("name of the service")},
        {"kind", name_of(kinds, "service (never ends), training or generic (ends), mpi, serving, notebook, load")},
        {"team", text("team that pays")},
        {"priority", described({{"type", "number"}}, "priority; the larger number goes first")},
        {"tasks", list_of(object("equal tasks", group_keys), "groups of tasks: parameter servers, workers")},
        {"coupling",
         name_of({"independent", "sync", "async", "elastic", "mpi"}, "how the loss of a task affects the others")},
        {"arrival", quantity("time of submission", "10 min")},
        {"work", quantity("run time at full speed", "6 h")},
        {"job", text("entry of 'jobs' that says how the service trains; its steps are the work")},
        {"clients",
         list_of(object("work that a client gives to waiting tasks",
                        {{"at", quantity("time of the request", "1 h")}, {"work", quantity("amount of work", "1 h")}},
                        {"at", "work"}),
                 "clients that give work to waiting tasks")},
        {"checkpoint",
         object("checkpoints: what survives a loss",
                {{"interval", quantity("computing time between two checkpoints", "10 min")},
                 {"save", quantity("time to save; work stops during it", "30 s")},
                 {"load", quantity("time to load before work continues after a loss", "30 s")},
                 {"on", name_of({"storage", "object_store"}, "where checkpoints are stored")},
                 {"size", quantity("size of a checkpoint; with 'bandwidth', instead of save and load", "4 GB")},
                 {"bandwidth", quantity("bandwidth of the storage", "1 GB/s")}})},
        {"restart",
         {{"anyOf",
           {name_of({"never", "on_failure", "always"}, "when a task restarts"),
            object("restart policy", {{"condition", name_of({"never", "on_failure", "always"}, "when a task restarts")},
                                      {"delay", quantity("delay before a restart", "5 s")},
                                      {"attempts", whole("most restarts; default: no limit")}})}},
          {"description", "whether a task restarts when its process ends"}}},
        {"reschedule", flag("whether a task moves to another node when its node is lost")},
        {"mode", name_of({"replicated", "standalone"},
                         "standalone: single containers that the orchestrator does not keep running")},
        {"image", object("container image",
                         {{"name", text("name of the image")}, {"size", quantity("size of the image", "1.5 GB")}},
                         {"name", "size"})},
        {"runtime",
         {{"anyOf",
           {name_of(runtime_names(load_runtimes(data_folder())), "runtime of the processes"),
            object("a runtime", {{"name", text("name of the runtime")},
                                 {"compute_factor", number("factor by which computing takes longer", 0.01)},
                                 {"start", quantity("start time in addition to that of the container", "30 s")}})}},
          {"description", "bare machine, container, virtual machine"}}},
        {"communication_share", number("share of communication in a step at full speed")},
        {"network_cost", number("communication takes (1 + this value) times as long, for bridge or overlay networks "
                                "(default 0: host network)")},
        {"input", quantity("rate at which one task reads from the shared storage at full speed", "200 MB/s")},
        {"disk", quantity("disk space that a container writes and leaves behind", "2 GB")},
        {"remove_containers", flag("remove ended containers (default: their record and disk space remain)")},
        {"gpu_speed", {{"type", "object"}, {"description", "speed of computing on each GPU type, relative to 1"}}},
        {"framework", text("framework version that its machines must have if it runs without containers")},
        {"used_share", number("for notebooks: share of the held GPU time that is used")},
        {"scaling_exponent", number("elastic: speed = (n / w)^exponent")},
        {"least_workers", whole("elastic: the job stops with fewer workers")},
        {"reform", quantity("elastic: pause when workers leave or join", "20 s")},
        {"nic_load", number("share of its nodes' NIC bandwidth that it uses")},
        {"cpu_slowdown", number("computing of other tasks on its nodes takes (1 + this value) times as long")},
        {"scale", list_of(object("a change of the number of replicas",
                                 {{"at", quantity("time of the change", "1 h")},
                                  {"replicas", whole("new number of replicas", 0)},
                                  {"role", text("role of the group")}},
                                 {"at", "replicas"}),
                          "changes of the number of replicas")},
        {"update", list_of(object("a rolling update",
                                  {{"at", quantity("time of the update", "1 h")},
                                   {"parallelism", whole("number of tasks replaced at once")},
                                   {"delay", quantity("time between batches", "10 s")},
                                   {"order", name_of({"stop_first", "start_first"},
                                                     "order of stopping the old and starting the new task")}},
                                  {"at"}),
                           "rolling updates")},
        {"serving", object("requests that replicas answer",
                           {{"rate", {{"description", "requests/s: a number, or a list of {from, rate}"}}},
                            {"capacity", number("requests/s of one replica", 1e-9)},
                            {"scales", flag("scale the replicas: ceil(rate / capacity)")},
                            {"target", number("share of the capacity that scaling tries to reach")},
                            {"least", whole("fewest replicas")},
                            {"most", whole("most replicas")},
                            {"scale_delay", quantity("time from a change of the rate to the scaling", "30 s")}},
                           {"rate", "capacity"})},
        {"cluster_spec", text("worker|a:2222;b:2222,ps|c:2222, as in the command line of its tasks")},
        {"cluster", text("training cluster of the service; all services of one cluster have the same cluster_spec")}};
    for (const auto& [key, value] : group_keys.items())
      service[key] = value;
    return list_of(object("a service", service, {"name"}), "services to keep running");
  }

  std::any read(const SectionInput& input) const override
  {
    ServicesSection section;
    Shared shared{load_runtimes(data_folder()), {}, {}};
    if (input.node.kind != DocumentNode::Kind::list)
      input.document.error(input.diagnostics, input.node, "'services' is a list of services");
    for (const DocumentNode& item : input.node.items)
      read_service(input, item, section, shared);
    for (const auto& [cluster, spec] : shared.cluster_specs)
      check_cluster_spec(input, spec.first, *spec.second, shared);
    return section;
  }

private:
  static void read_resources(const SectionInput& input, const DocumentNode* node, TaskGroupSpec& group)
  {
    if (node == nullptr)
      return;
    MapReader reader{input.document, node, "'resources'", input.diagnostics};
    const int gpus = reader.integer("gpus", 0, 0, 32);
    if (reader.has("gpu_share")) {
      const double share = reader.number("gpu_share", 1, 0.001, 0.999);
      if (gpus > 1)
        reader.error("gpu_share", "a part of a GPU needs gpus: 1");
      group.gpu_milli = static_cast<int>(std::lround(share * 1000));
      group.gpus = std::max(group.gpus, 1);
    } else {
      group.gpus += gpus;
    }
    const std::string type = reader.text("gpu_type", "");
    if (!type.empty() && !input.catalogue.gpus.contains(type))
      reader.error("gpu_type",
                   fmt::format("unknown GPU '{}'{}", type, did_you_mean(type, input.catalogue.gpu_names())));
    if (!type.empty())
      group.gpu_type = type;
    group.cpu_milli += std::lround(reader.number("cpu", 0, 0, 1e5) * 1000);
    group.memory_mib +=
        static_cast<std::int64_t>(std::ceil(reader.quantity("memory", QuantityKind::bytes, 0) / 1048576));
    reader.finish();
  }

  static void read_group(const SectionInput& input, MapReader& reader, const ServiceSpec& service, TaskGroupSpec& group,
                         Shared& shared)
  {
    group.role = reader.text("role", "");
    group.replicas = reader.integer("replicas", 1, 0, 1'000'000);
    read_resources(input, reader.node("resources"), group);
    for (const DocumentNode* container : reader.list("containers"))
      read_resources(input, container, group);
    for (const DocumentNode* port : reader.list("host_ports")) {
      const QuantityText number = parse_quantity(port->text, QuantityKind::ratio);
      if (!number || number.value < 1 || number.value > 65535 || number.value != std::floor(number.value))
        input.document.error(input.diagnostics, *port,
                             fmt::format("'{}' is not a port; ports are 1 to 65535", port->text));
      else if (std::ranges::find(group.host_ports, static_cast<int>(number.value)) != group.host_ports.end())
        input.document.error(input.diagnostics, *port, fmt::format("port {} is listed twice", port->text));
      else
        group.host_ports.push_back(static_cast<int>(number.value));
    }
    for (const DocumentNode* item : reader.list("constraints"))
      read_constraint(input, *item, group);
    if (const DocumentNode* use = reader.node("gpu_use"); use != nullptr) {
      MapReader gpu{input.document, use, "'gpu_use'", input.diagnostics};
      group.gpu_use = gpu.number("share", 1, 0.001, 1);
      group.gpu_memory_mib =
          static_cast<std::int64_t>(std::ceil(gpu.quantity("memory", QuantityKind::bytes, 0) / 1048576));
      gpu.finish();
      if (group.gpus > 0)
        reader.error("gpu_use",
                     "a task either requests GPUs ('resources') or uses one without a request ('gpu_use'), not both");
    }
    group.most_per_node = reader.integer("most_per_node", 0, 1, 1'000'000);
    group.holds_state = reader.flag("holds_state", true);
    const std::vector<const DocumentNode*> names = reader.list("names");
    if (!names.empty() && static_cast<int>(names.size()) != group.replicas)
      reader.error("names",
                   fmt::format("{} names for {} replicas of '{}'", names.size(), group.replicas, service.name));
    for (const DocumentNode* name : names)
      if (const auto [known, fresh] = shared.containers.emplace(name->text, name->line); !fresh)
        input.document.error(input.diagnostics, *name,
                             fmt::format("two containers have the name '{}' (line {})", name->text, known->second));
  }

  static void read_constraint(const SectionInput& input, const DocumentNode& item, TaskGroupSpec& group)
  {
    const std::size_t at = std::min(item.text.find("=="), item.text.find("!="));
    if (at == std::string::npos || at == 0) {
      input.document.error(input.diagnostics, item,
                           fmt::format("'{}' is not a condition; write node.role == worker or disk != hdd", item.text));
      return;
    }
    const auto trim = [](std::string text) {
      while (!text.empty() && text.front() == ' ')
        text.erase(text.begin());
      while (!text.empty() && text.back() == ' ')
        text.pop_back();
      return text;
    };
    PlacementConstraint constraint{trim(item.text.substr(0, at)), item.text[at] == '=', trim(item.text.substr(at + 2))};
    for (const char* prefix : {"node.labels.", "node."}) // as Swarm writes them
      if (constraint.key.starts_with(prefix)) {
        constraint.key = constraint.key.substr(std::string_view{prefix}.size());
        break;
      }
    if (constraint.key == "hostname")
      constraint.key = "node";
    group.constraints.push_back(constraint);
  }

  static void read_service(const SectionInput& input, const DocumentNode& item, ServicesSection& section,
                           Shared& shared)
  {
    MapReader reader{input.document, &item, "service " + std::to_string(section.services.size()), input.diagnostics};
    ServiceSpec service;
    service.line = item.line;
    service.name = reader.required_text("name");
    for (const ServiceSpec& earlier : section.services)
      if (earlier.name == service.name && !service.name.empty())
        reader.error("name", fmt::format("two services have the name '{}' (line {})", service.name, earlier.line));
    service.kind = reader.choice("kind", "service", kinds);
    service.team = reader.text("team", "");
    service.priority = reader.number("priority", 0);
    service.arrival = Seconds{reader.quantity("arrival", QuantityKind::duration, 0)};
    if (reader.has("tasks")) {
      for (const DocumentNode* node : reader.list("tasks")) {
        MapReader group_reader{input.document, node, "'tasks' of " + service.name, input.diagnostics};
        TaskGroupSpec group;
        read_group(input, group_reader, service, group, shared);
        for (const TaskGroupSpec& earlier : service.groups)
          if (earlier.role == group.role)
            group_reader.error("role", fmt::format("two groups of '{}' have the role '{}'", service.name, group.role));
        group_reader.finish();
        service.groups.push_back(group);
      }
    } else {
      TaskGroupSpec group;
      read_group(input, reader, service, group, shared);
      service.groups.push_back(group);
    }
    read_work(input, reader, service);
    read_restart(input, reader, service);
    read_environment(input, reader, service, shared);
    read_changes(input, reader, service);
    read_cluster_spec(input, reader, service, shared);
    reader.finish();
    section.services.push_back(service);
  }

  static void read_work(const SectionInput& input, MapReader& reader, ServiceSpec& service)
  {
    const bool ends = service.kind == "training" || service.kind == "mpi" || service.kind == "generic";
    const std::string fallback = service.kind == "mpi" ? "mpi" : service.kind == "training" ? "sync" : "independent";
    const std::string coupling =
        reader.choice("coupling", fallback, {"independent", "sync", "async", "elastic", "mpi"});
    service.coupling = coupling == "sync"      ? Coupling::sync
                       : coupling == "async"   ? Coupling::async
                       : coupling == "elastic" ? Coupling::elastic
                       : coupling == "mpi"     ? Coupling::mpi
                                               : Coupling::independent;
    // Where parameter servers hold the variables, workers hold none.
    const bool servers =
        std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return group.role == "ps"; });
    for (TaskGroupSpec& group : service.groups)
      if (servers && group.role != "ps")
        group.holds_state = false;
    if (reader.has("work"))
      service.work = Seconds{reader.quantity("work", QuantityKind::duration, 1, 1e-6)};
    service.job = reader.text("job", "");
    if (!service.job.empty() &&
        std::ranges::find(input.scenario.jobs, service.job, &JobSpec::name) == input.scenario.jobs.end()) {
      std::vector<std::string> known;
      for (const JobSpec& job : input.scenario.jobs)
        known.push_back(job.name);
      reader.error("job",
                   fmt::format("there is no job '{}' in 'jobs'{}", service.job, did_you_mean(service.job, known)));
    }
    for (const DocumentNode* node : reader.list("clients")) {
      MapReader client{input.document, node, "a client", input.diagnostics};
      service.clients.push_back({Seconds{client.required_quantity("at", QuantityKind::duration)},
                                 Seconds{client.required_quantity("work", QuantityKind::duration, 1e-6)}});
      client.finish();
    }
    std::ranges::stable_sort(service.clients, {}, &ClientSpec::at);
    if (ends && !service.ends() && service.job.empty() && service.clients.empty())
      reader.error("kind", fmt::format("'{}' needs 'work': its run time at full speed", service.name));
    if (!service.clients.empty() && service.ends())
      reader.error("clients", "give either 'work' or 'clients'");
    MapReader checkpoint{input.document, reader.node("checkpoint"), "'checkpoint'", input.diagnostics};
    service.checkpoint.interval = Seconds{checkpoint.quantity("interval", QuantityKind::duration, 0)};
    const double size = checkpoint.quantity("size", QuantityKind::bytes, 0);
    const double bandwidth = checkpoint.quantity("bandwidth", QuantityKind::bandwidth, 0);
    const double transfer = size > 0 && bandwidth > 0 ? size / bandwidth : 0;
    if ((size > 0) != (bandwidth > 0))
      checkpoint.error(size > 0 ? "size" : "bandwidth", "'size' and 'bandwidth' must be given together");
    service.checkpoint.save = Seconds{checkpoint.quantity("save", QuantityKind::duration, transfer)};
    service.checkpoint.load = Seconds{checkpoint.quantity("load", QuantityKind::duration, transfer)};
    service.checkpoint.object_store = checkpoint.choice("on", "storage", {"storage", "object_store"}) == "object_store";
    checkpoint.finish();
    service.communication_share = reader.number("communication_share", 0, 0, 0.999);
    service.network_cost = reader.number("network_cost", 0, 0, 100);
    service.input = BytesPerSecond{reader.quantity("input", QuantityKind::bandwidth, 0)};
    service.framework = reader.text("framework", "");
    service.disk = Bytes{reader.quantity("disk", QuantityKind::bytes, 0)};
    service.keeps_containers = !reader.flag("remove_containers", false);
    MapReader speeds{input.document, reader.node("gpu_speed"), "'gpu_speed'", input.diagnostics};
    for (const DocumentNode::Entry& entry : speeds.entries()) {
      if (!input.catalogue.gpus.contains(entry.key))
        speeds.error(entry.key, fmt::format("unknown GPU '{}'{}", entry.key,
                                            did_you_mean(entry.key, input.catalogue.gpu_names())));
      service.gpu_speed[entry.key] = speeds.number(entry.key, 1, 1e-6, 1e6);
    }
    speeds.finish();
    service.used_share = reader.number("used_share", 1, 0, 1);
    service.scaling_exponent = reader.number("scaling_exponent", 1, 0, 1);
    service.least_workers = reader.integer("least_workers", 1, 1, 1'000'000);
    service.reform = Seconds{reader.quantity("reform", QuantityKind::duration, 0)};
    service.nic_load = reader.number("nic_load", 0, 0, 0.99);
    service.cpu_slowdown = reader.number("cpu_slowdown", 0, 0, 100);
  }

  static void read_restart(const SectionInput& input, MapReader& reader, ServiceSpec& service)
  {
    const std::vector<std::string> conditions = {"never", "on_failure", "always"};
    if (const DocumentNode* node = reader.node("restart"); node != nullptr) {
      if (node->kind == DocumentNode::Kind::map) {
        MapReader restart{input.document, node, "'restart'", input.diagnostics};
        service.restart = restart.choice("condition", "always", conditions);
        if (restart.has("delay"))
          service.restart_delay = Seconds{restart.quantity("delay", QuantityKind::duration, 0)};
        service.restart_attempts = restart.integer("attempts", 0, 1, 1'000'000);
        restart.finish();
      } else {
        service.restart = reader.choice("restart", "always", conditions);
      }
    }
    // A job that has finished its work stays finished; only failures restart it, unless the file says otherwise.
    if (service.restart.empty() && (service.ends() || !service.job.empty()))
      service.restart = "";
    if (reader.has("reschedule"))
      service.reschedule = reader.flag("reschedule", true);
    service.standalone = reader.choice("mode", "replicated", {"replicated", "standalone"}) == "standalone";
  }

  static void read_environment(const SectionInput& input, MapReader& reader, ServiceSpec& service, const Shared& shared)
  {
    if (const DocumentNode* node = reader.node("image"); node != nullptr) {
      MapReader image{input.document, node, "'image'", input.diagnostics};
      service.image.name = image.required_text("name");
      service.image.size = Bytes{image.required_quantity("size", QuantityKind::bytes)};
      image.finish();
    }
    const DocumentNode* node = reader.node("runtime");
    if (node != nullptr && node->kind == DocumentNode::Kind::map) {
      MapReader runtime{input.document, node, "'runtime'", input.diagnostics};
      service.runtime = runtime.text("name", "container");
      const auto known = shared.runtimes.find(service.runtime);
      const Runtime base = known == shared.runtimes.end() ? Runtime{} : known->second;
      service.compute_factor = runtime.number("compute_factor", base.compute_factor, 0.01, 100);
      service.runtime_start = Seconds{runtime.quantity("start", QuantityKind::duration, base.start.value())};
      runtime.finish();
      return;
    }
    service.runtime = reader.choice("runtime", "container", runtime_names(shared.runtimes));
    if (const auto known = shared.runtimes.find(service.runtime); known != shared.runtimes.end()) {
      service.compute_factor = known->second.compute_factor;
      service.runtime_start = known->second.start;
    }
  }

  static void read_changes(const SectionInput& input, MapReader& reader, ServiceSpec& service)
  {
    for (const DocumentNode* node : reader.list("scale")) {
      MapReader scale{input.document, node, "'scale'", input.diagnostics};
      ScaleSpec spec{Seconds{scale.required_quantity("at", QuantityKind::duration)}, 0,
                     scale.required_integer("replicas", 0, 1'000'000)};
      if (scale.has("role") || service.groups.size() > 1) {
        const std::string role = scale.required_text("role");
        const auto found = std::ranges::find(service.groups, role, &TaskGroupSpec::role);
        if (found == service.groups.end())
          scale.error("role", fmt::format("'{}' has no group of role '{}'", service.name, role));
        else
          spec.group = static_cast<int>(found - service.groups.begin());
      }
      scale.finish();
      service.scaling.push_back(spec);
    }
    for (const DocumentNode* node : reader.list("update")) {
      MapReader update{input.document, node, "'update'", input.diagnostics};
      UpdateSpec spec;
      spec.at = Seconds{update.required_quantity("at", QuantityKind::duration)};
      if (update.has("parallelism"))
        spec.parallelism = update.integer("parallelism", 1, 1, 1'000'000);
      if (update.has("delay"))
        spec.delay = Seconds{update.quantity("delay", QuantityKind::duration, 0)};
      if (update.has("order"))
        spec.order = update.choice("order", "stop_first", {"stop_first", "start_first"});
      update.finish();
      service.updates.push_back(spec);
    }
    const DocumentNode* node = reader.node("serving");
    if (node == nullptr) {
      if (service.kind == "serving")
        reader.error("kind", fmt::format("'{}' needs 'serving': the rate of requests and the capacity of a replica",
                                         service.name));
      return;
    }
    MapReader serving{input.document, node, "'serving'", input.diagnostics};
    service.serving.capacity = serving.number("capacity", 1, 1e-9, 1e12);
    service.serving.scales = serving.flag("scales", false);
    service.serving.target = serving.number("target", 1, 0.01, 1);
    service.serving.least = serving.integer("least", 1, 0, 1'000'000);
    service.serving.most = serving.integer("most", 1'000'000, 1, 1'000'000);
    service.serving.scale_delay = Seconds{serving.quantity("scale_delay", QuantityKind::duration, 0)};
    if (const DocumentNode* rate = serving.node("rate"); rate == nullptr)
      serving.error("rate", "'serving' needs 'rate': requests per second");
    else if (rate->kind == DocumentNode::Kind::scalar)
      service.serving.rate.emplace_back(Seconds{0}, serving.number("rate", 0, 0, 1e12));
    else
      for (const DocumentNode* item : serving.list("rate")) {
        MapReader step{input.document, item, "'rate'", input.diagnostics};
        const Seconds from{step.required_quantity("from", QuantityKind::duration)};
        service.serving.rate.emplace_back(from, step.number("rate", 0, 0, 1e12));
        step.finish();
      }
    std::ranges::stable_sort(service.serving.rate);
    serving.finish();
  }

  static void read_cluster_spec(const SectionInput& input, MapReader& reader, const ServiceSpec& service,
                                Shared& shared)
  {
    const std::string cluster = reader.text("cluster", "");
    const DocumentNode* node = reader.node("cluster_spec");
    if (node == nullptr)
      return;
    const auto [known, fresh] = shared.cluster_specs.emplace(cluster, std::pair{node->text, node});
    if (!fresh && known->second.first != node->text)
      input.document.error(input.diagnostics, *node,
                           fmt::format("the ClusterSpec of '{}' differs from the one in line {}, which is '{}'",
                                       service.name, known->second.second->line,
                                       difference(known->second.first, node->text)));
  }

  /// The first entry of @p a that @p b does not have.
  static std::string difference(const std::string& a, const std::string& b)
  {
    const std::vector<std::string> there = entries(b);
    for (const std::string& entry : entries(a))
      if (std::ranges::find(there, entry) == there.end())
        return entry;
    return a;
  }

  /// "worker|a:2222;b:2222,ps|c:2222" as "worker a:2222", "worker b:2222", "ps c:2222".
  static std::vector<std::string> entries(const std::string& spec)
  {
    std::vector<std::string> list;
    std::string job, word;
    for (const char c : spec + ",") {
      if (c == '|') {
        job = word;
        word.clear();
      } else if (c == ';' || c == ',') {
        if (!word.empty())
          list.push_back(job + " " + word);
        word.clear();
      } else {
        word += c;
      }
    }
    return list;
  }

  static void check_cluster_spec(const SectionInput& input, const std::string& spec, const DocumentNode& node,
                                 const Shared& shared)
  {
    std::vector<std::string> known;
    for (const auto& [name, line] : shared.containers)
      known.push_back(name);
    std::set<std::string> seen;
    for (const std::string& entry : entries(spec)) {
      const std::string address = entry.substr(entry.find(' ') + 1);
      const std::string host = address.substr(0, address.find(':'));
      if (!seen.insert(address).second)
        input.document.error(input.diagnostics, node, fmt::format("'{}' is listed twice in the ClusterSpec", address));
      if (!shared.containers.contains(host))
        input.document.error(input.diagnostics, node,
                             fmt::format("the ClusterSpec names '{}', but no container has this name{}", host,
                                         did_you_mean(host, known)));
    }
  }
};

TY_REGISTER(ScenarioSection, ServicesReader, "services",
            "what the orchestrator keeps running: services, training jobs, notebooks, loads");

} // namespace
} // namespace trainyard
