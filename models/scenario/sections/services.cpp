// SPDX-License-Identifier: Apache-2.0
#include "models/orchestration/service.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

constexpr double most_tasks = 1'000'000;

std::int64_t mebibytes(Bytes amount)
{
  return static_cast<std::int64_t>(std::ceil(amount.value() / 1048576));
}

/// What a task or one of its containers requests.
struct TaskResources {
  int gpus = 0;
  double gpu_share = 1; // below 1: a part of one GPU
  std::string gpu_type; // empty = any
  double cpu = 0;
  Bytes memory;
};

void task_request_fields(Fields& keys, TaskResources& request)
{
  keys.integer("gpus", request.gpus, "GPUs", {.least = 0, .most = 32});
  if (keys.number("gpu_share", request.gpu_share, "part of one GPU, less than 1",
                  {.least = 0.001, .most = 0.999, .otherwise = "whole GPUs"}) &&
      request.gpus > 1)
    keys.error("gpu_share", "a part of a GPU needs gpus: 1");
  keys.choice("gpu_type", request.gpu_type, keys.catalogue().gpu_names(), "type of GPU", {.otherwise = "any"});
  keys.number("cpu", request.cpu, "CPU cores", {.most = 1e5});
  keys.quantity("memory", request.memory, "memory of the host", {.example = "4 GB"});
}

void add_resources(const TaskResources& request, TaskGroupSpec& group)
{
  if (request.gpu_share < 1) {
    group.gpu_milli = static_cast<int>(request.gpu_share * 1000 + 1e-6); // seven sevenths are no more than a whole
    group.gpus = std::max(group.gpus, 1);
  } else {
    group.gpus += request.gpus;
  }
  if (!request.gpu_type.empty())
    group.gpu_type = request.gpu_type;
  group.cpu_milli += std::lround(request.cpu * 1000);
  group.memory_mib += mebibytes(request.memory);
}

void read_port(Fields& keys, const DocumentNode& item, std::vector<int>& ports)
{
  const QuantityText number = parse_quantity(item.text, QuantityKind::ratio);
  if (!number || number.value < 1 || number.value > 65535 || number.value != std::floor(number.value))
    keys.error_at(item, fmt::format("'{}' is not a port; ports are 1 to 65535", item.text));
  else if (std::ranges::find(ports, static_cast<int>(number.value)) != ports.end())
    keys.error_at(item, fmt::format("port {} is listed twice", item.text));
  else
    ports.push_back(static_cast<int>(number.value));
}

void read_constraint(Fields& keys, const DocumentNode& item, std::vector<PlacementConstraint>& constraints)
{
  const std::size_t at = std::min(item.text.find("=="), item.text.find("!="));
  if (at == std::string::npos || at == 0)
    return keys.error_at(item,
                         fmt::format("'{}' is not a condition; write node.role == worker or disk != hdd", item.text));
  const auto trim = [](std::string text) {
    while (!text.empty() && text.front() == ' ')
      text.erase(text.begin());
    while (!text.empty() && text.back() == ' ')
      text.pop_back();
    return text;
  };
  PlacementConstraint constraint{trim(item.text.substr(0, at)), item.text[at] == '=', trim(item.text.substr(at + 2))};
  // As Swarm writes them; "node.kubernetes.io/instance-type" is a label of Kubernetes.
  if (const std::string_view prefix = "node.labels."; constraint.key.starts_with(prefix))
    constraint.key.erase(0, prefix.size());
  else if (constraint.key == "node.hostname" || constraint.key == "hostname")
    constraint.key = "node";
  else if (constraint.key.starts_with("node.") && constraint.key.find('/') == std::string::npos)
    constraint.key.erase(0, 5);
  constraints.push_back(constraint);
}

void checkpoint_fields(Fields& keys, CheckpointSpec& checkpoint)
{
  keys.quantity("interval", checkpoint.interval, "computing time between two checkpoints",
                {.example = "10 min", .otherwise = "no checkpoints are written"});
  Bytes size;
  BytesPerSecond bandwidth;
  keys.quantity("size", size, "size of a checkpoint; with 'bandwidth', instead of save and load",
                {.example = "4 GB", .otherwise = "save and load say the times"});
  keys.quantity("bandwidth", bandwidth, "bandwidth of the storage",
                {.example = "1 GB/s", .otherwise = "save and load say the times"});
  const bool sized = size > Bytes{0}, fast = bandwidth > BytesPerSecond{0};
  if (sized != fast)
    keys.error(sized ? "size" : "bandwidth", "'size' and 'bandwidth' must be given together");
  checkpoint.save = checkpoint.load = sized && fast ? size / bandwidth : Seconds{0};
  const std::string otherwise = "size / bandwidth, 0 s without them";
  keys.quantity("save", checkpoint.save, "time to save; work stops during it",
                {.example = "30 s", .otherwise = otherwise});
  keys.quantity("load", checkpoint.load, "time to load before work continues after a loss",
                {.example = "30 s", .otherwise = otherwise});
  keys.choice("on", checkpoint.object_store, {{"storage", false}, {"object_store", true}},
              "where checkpoints are stored");
}

/// Speed of the tasks, and what slows them or others down.
void speed_fields(Fields& keys, ServiceSpec& service)
{
  keys.number("communication_share", service.communication_share, "share of communication in a step at full speed",
              {.most = 0.999});
  double cost = 0;
  if (keys.number("network_cost", cost, "communication takes (1 + this value) times as long as on the host's network",
                  {.most = 100, .otherwise = "what cluster.network.containers takes of each packet"}))
    service.network_cost = cost;
  keys.quantity("input", service.input, "rate at which one task reads from the shared storage at full speed",
                {.example = "200 MB/s"});
  keys.map("gpu_speed", "speed of computing on each GPU type, relative to 1",
           [&](Fields& speeds, const std::string& gpu) {
             const Catalogue& catalogue = speeds.catalogue();
             if (!catalogue.gpus.contains(gpu))
               speeds.error(gpu, fmt::format("unknown GPU '{}'{}", gpu, did_you_mean(gpu, catalogue.gpu_names())));
             double speed = 1;
             speeds.number(gpu, speed, "speed on this type", {.least = 1e-6, .most = 1e6, .required = true});
             service.gpu_speed[gpu] = speed;
           });
  keys.number("used_share", service.used_share, "for notebooks: share of the held GPU time that is used", {.most = 1});
  keys.number("scaling_exponent", service.scaling_exponent, "elastic: speed = (n / w)^exponent", {.most = 1});
  keys.integer("least_workers", service.least_workers, "elastic: the job stops with fewer workers",
               {.least = 1, .most = most_tasks});
  keys.quantity("reform", service.reform, "elastic: pause when workers leave or join", {.example = "20 s"});
  keys.integer("backup_workers", service.backup_workers, "sync_replicas: gradients that an update does not wait for",
               {.least = 0});
  keys.quantity("recovery_wait", service.recovery_wait,
                "sync_replicas: how often a worker looks whether the chief has made the variables (recovery_wait_secs "
                "of TensorFlow's SessionManager)",
                {.example = "30 s", .least = 0.001});
  keys.number("nic_load", service.nic_load, "share of its nodes' NIC bandwidth that it uses", {.most = 0.99});
  keys.number("cpu_slowdown", service.cpu_slowdown,
              "computing of other tasks on its nodes takes (1 + this value) times as long", {.most = 100});
}

/// What happens when a task ends or is lost.
void restart_fields(Fields& keys, ServiceSpec& service)
{
  const std::string by_orchestrator = "that of the orchestrator";
  const std::vector<std::string> conditions = {"never", "on_failure", "always"};
  const std::string when = "when a task restarts";
  keys.word_or_object(
      "restart", [&](Fields& word) { word.choice("restart", service.restart, conditions, when); },
      "whether a task restarts when its process ends",
      [&](Fields& restart) {
        service.restart = "always";
        restart.choice("condition", service.restart, conditions, when);
        restart.quantity("delay", service.restart_delay, "delay before a restart",
                         {.example = "5 s", .otherwise = by_orchestrator});
        restart.integer("attempts", service.restart_attempts, "most restarts",
                        {.least = 1, .most = most_tasks, .otherwise = "no limit"});
      },
      {.otherwise = by_orchestrator});
  bool reschedule = true;
  if (keys.flag("reschedule", reschedule, "whether a task moves to another node when its node is lost",
                {.otherwise = by_orchestrator}))
    service.reschedule = reschedule;
  keys.choice("mode", service.standalone, {{"replicated", false}, {"standalone", true}},
              "standalone: single containers that the orchestrator does not keep running");
}

void scale_fields(Fields& keys, ScaleSpec& change, const ServiceSpec& service)
{
  keys.quantity("at", change.at, "time of the change", {.example = "1 h", .required = true});
  keys.integer("replicas", change.replicas, "new number of replicas",
               {.least = 0, .most = most_tasks, .required = true});
  std::string role;
  if (!keys.text("role", role, "role of the group", {.required = service.groups.size() > 1}))
    return;
  const auto found = std::ranges::find(service.groups, role, &TaskGroupSpec::role);
  if (found == service.groups.end())
    keys.error("role", fmt::format("'{}' has no group of role '{}'", service.name, role));
  else
    change.group = static_cast<int>(found - service.groups.begin());
}

void rolling_update_fields(Fields& keys, UpdateSpec& update)
{
  const std::string by_orchestrator = "that of the orchestrator";
  keys.quantity("at", update.at, "time of the update", {.example = "1 h", .required = true});
  int parallelism = 1;
  if (keys.integer("parallelism", parallelism, "number of tasks replaced at once",
                   {.least = 1, .most = most_tasks, .otherwise = by_orchestrator}))
    update.parallelism = parallelism;
  keys.quantity("delay", update.delay, "time between batches", {.example = "10 s", .otherwise = by_orchestrator});
  keys.choice("order", update.order, {"stop_first", "start_first"},
              "order of stopping the old and starting the new task", {.otherwise = by_orchestrator});
}

using RateStep = std::pair<Seconds, double>;

void request_rate_fields(Fields& keys, RateStep& step)
{
  keys.quantity("from", step.first, "time from which the rate holds", {.example = "1 h", .required = true});
  keys.number("rate", step.second, "requests/s", {.most = 1e12});
}

void serving_fields(Fields& keys, ServingSpec& serving)
{
  const schema::Json steps =
      schema::list_of(schema_of<RateStep>(keys.parts(), keys.catalogue(), "a rate from a time on", request_rate_fields),
                      "rates over time");
  keys.custom("rate",
              {{"anyOf", {steps, schema::number("requests/s")}},
               {"description", "requests/s: a number, or a list of {from, rate}"}},
              [&](const DocumentNode& node) {
                if (node.kind == DocumentNode::Kind::scalar)
                  serving.rate.emplace_back(Seconds{0}, keys.reader().number("rate", 0, 0, 1e12));
                else
                  keys.list<RateStep>("rate", serving.rate, "'rate'", "", request_rate_fields);
                if (serving.rate.empty())
                  keys.error("rate", "'serving' needs 'rate': requests per second");
              },
              {.required = true});
  std::ranges::stable_sort(serving.rate);
  keys.number("capacity", serving.capacity, "requests/s of one replica",
              {.least = 1e-9, .most = 1e12, .required = true});
  keys.flag("scales", serving.scales, "scale the replicas: ceil(rate / capacity)");
  keys.number("target", serving.target, "share of the capacity that scaling tries to reach",
              {.least = 0.01, .most = 1});
  keys.integer("least", serving.least, "fewest replicas", {.least = 0, .most = most_tasks});
  keys.integer("most", serving.most, "most replicas", {.least = 1, .most = most_tasks});
  keys.quantity("scale_delay", serving.scale_delay, "time from a change of the rate to the scaling",
                {.example = "30 s"});
}

/// Changes of the service while it runs, and the requests that it answers.
void change_fields(Fields& keys, ServiceSpec& service)
{
  keys.list<ScaleSpec>(
      "scale", service.scaling, "a change of the number of replicas", "changes of the number of replicas",
      [&](Fields& change, ScaleSpec& spec) { scale_fields(change, spec, service); }, {.what = "'scale'"});
  keys.list<UpdateSpec>("update", service.updates, "a rolling update", "rolling updates", rolling_update_fields,
                        {.what = "'update'"});
  if (!keys.object("serving", "requests that replicas answer",
                   [&](Fields& serving) { serving_fields(serving, service.serving); }) &&
      service.kind == "serving")
    keys.error("kind",
               fmt::format("'{}' needs 'serving': the rate of requests and the capacity of a replica", service.name));
}

/// The services of one scenario: the keys of each, and what no two of them may share.
class Services
{
public:
  /// @p scenario: null while the schema is written.
  explicit Services(const Scenario* scenario) : scenario_{scenario} {}

  void fields(Fields& keys, ServiceSpec& service)
  {
    service.line = keys.where().line;
    keys.text("name", service.name, "name of the service", {.required = true});
    if (const auto [earlier, fresh] = lines_.emplace(service.name, service.line); !fresh && !service.name.empty())
      keys.error("name", fmt::format("two services have the name '{}' (line {})", service.name, earlier->second));
    keys.choice("kind", service.kind, {"service", "training", "mpi", "serving", "notebook", "load", "generic"},
                "service (never ends), training or generic (ends), mpi, serving, notebook, load");
    keys.text("team", service.team, "team that pays");
    keys.number("priority", service.priority, "priority; the larger number goes first",
                {.least = -std::numeric_limits<double>::infinity()});
    keys.quantity("arrival", service.arrival, "time of submission", {.example = "10 min"});
    const auto group = [&](Fields& one, TaskGroupSpec& spec) {
      group_fields(one, spec, service.name);
      if (std::ranges::find(service.groups, spec.role, &TaskGroupSpec::role) != service.groups.end())
        one.error("role", fmt::format("two groups of '{}' have the role '{}'", service.name, spec.role));
    };
    if (!keys.list<TaskGroupSpec>("tasks", service.groups, "equal tasks", "groups of tasks: parameter servers, workers",
                                  group, {.what = "'tasks' of " + service.name})) {
      TaskGroupSpec only;
      group(keys, only);
      service.groups.push_back(only);
    }
    work_fields(keys, service);
    restart_fields(keys, service);
    environment_fields(keys, service);
    speed_fields(keys, service);
    change_fields(keys, service);
    cluster_fields(keys, service);
  }

  /// Every host of a ClusterSpec is a container, and no address is there twice.
  void check_cluster_specs(const SectionInput& input) const
  {
    const std::vector<std::string> known = keys_of(containers_);
    for (const auto& [cluster, node] : cluster_specs_) {
      std::set<std::string> seen;
      for (const std::string& entry : entries(node->text)) {
        const std::string address = entry.substr(entry.find(' ') + 1);
        const std::string host = address.substr(0, address.find(':'));
        if (!seen.insert(address).second)
          input.document.error(input.diagnostics, *node,
                               fmt::format("'{}' is listed twice in the ClusterSpec", address));
        if (!containers_.contains(host))
          input.document.error(input.diagnostics, *node,
                               fmt::format("the ClusterSpec names '{}', but no container has this name{}", host,
                                           did_you_mean(host, known)));
      }
    }
  }

private:
  void group_fields(Fields& keys, TaskGroupSpec& group, const std::string& service)
  {
    keys.text("role", group.role, "worker, ps…");
    keys.integer("replicas", group.replicas, "number of tasks", {.least = 0, .most = most_tasks});
    TaskResources own;
    keys.object("resources", "resources of one task", [&](Fields& request) { task_request_fields(request, own); });
    add_resources(own, group);
    std::vector<TaskResources> containers;
    keys.list<TaskResources>("containers", containers, "resources of one task",
                             "containers of a pod; their resources are added up", task_request_fields,
                             {.what = "'resources'"});
    for (const TaskResources& container : containers)
      add_resources(container, group);
    keys.custom_list("host_ports", schema::up_to(65535, schema::whole("a port")),
                     "ports of the host that each task needs",
                     [&](const DocumentNode& item) { read_port(keys, item, group.host_ports); });
    keys.custom_list("constraints", schema::text("node.role == worker"),
                     "conditions on nodes: node, group, role, rack, gpu or a label",
                     [&](const DocumentNode& item) { read_constraint(keys, item, group.constraints); });
    keys.integer("most_per_node", group.most_per_node, "most tasks on one node",
                 {.least = 1, .most = most_tasks, .otherwise = "no limit"});
    keys.flag("holds_state", group.holds_state,
              "whether the loss of such a task loses the work since the last checkpoint",
              {.otherwise = "true; beside tasks with role: ps always false"});
    double share = 1;
    Bytes memory;
    if (keys.object("gpu_use", "use of the node's first GPU without a request for it", [&](Fields& use) {
          use.number("share", share, "share of its time at full speed", {.least = 0.001, .most = 1});
          use.quantity("memory", memory, "memory of the GPU", {.example = "6 GB"});
        })) {
      group.gpu_use = share;
      group.gpu_memory_mib = mebibytes(memory);
      if (group.gpus > 0)
        keys.error("gpu_use",
                   "a task either requests GPUs ('resources') or uses one without a request ('gpu_use'), not both");
    }
    int names = 0;
    keys.custom_list(
        "names", schema::text("a name"), "container names, one per replica", [&](const DocumentNode& name) {
          ++names;
          if (const auto [known, fresh] = containers_.emplace(name.text, name.line); !fresh)
            keys.error_at(name, fmt::format("two containers have the name '{}' (line {})", name.text, known->second));
        });
    if (names > 0 && names != group.replicas)
      keys.error("names", fmt::format("{} names for {} replicas of '{}'", names, group.replicas, service));
  }

  /// How much work there is, and what a loss costs.
  void work_fields(Fields& keys, ServiceSpec& service) const
  {
    service.coupling = service.kind == "mpi"        ? Coupling::mpi
                       : service.kind == "training" ? Coupling::sync
                                                    : Coupling::independent;
    keys.choice("coupling", service.coupling,
                {{"independent", Coupling::independent},
                 {"sync", Coupling::sync},
                 {"async", Coupling::async},
                 {"elastic", Coupling::elastic},
                 {"mpi", Coupling::mpi},
                 {"sync_replicas", Coupling::sync_replicas}},
                "how the loss of a task affects the others",
                {.otherwise = "sync for kind: training, mpi for kind: mpi, else independent"});
    // Where parameter servers hold the variables, workers hold none.
    const bool has_servers = std::ranges::find(service.groups, "ps", &TaskGroupSpec::role) != service.groups.end();
    if (service.coupling == Coupling::sync_replicas && !has_servers)
      keys.error("coupling", "'sync_replicas' needs parameter servers: add tasks with role: ps");
    if (has_servers)
      for (TaskGroupSpec& group : service.groups)
        group.holds_state = group.holds_state && group.role == "ps";
    const bool has_work =
        keys.quantity("work", service.work, "run time at full speed",
                      {.example = "6 h", .least = 1e-6, .otherwise = "that of 'job' or 'clients', else without end"});
    keys.text("job", service.job, "entry of 'jobs' that says how the service trains; its steps are the work");
    if (scenario_ != nullptr && !service.job.empty()) {
      std::vector<std::string> known;
      for (const JobSpec& job : scenario_->jobs)
        known.push_back(job.name);
      if (std::ranges::find(known, service.job) == known.end())
        keys.error("job",
                   fmt::format("there is no job '{}' in 'jobs'{}", service.job, did_you_mean(service.job, known)));
    }
    keys.flag("graph", service.graph,
              "its tasks are those of the section 'graph' (role and number), whose runs are the work");
    if (service.graph && !service.job.empty())
      keys.error("graph", "give either 'job' or 'graph'");
    keys.list<ClientSpec>(
        "clients", service.clients, "work that a client gives to waiting tasks",
        "clients that give work to waiting tasks",
        [&service](Fields& client, ClientSpec& spec) {
          client.quantity("at", spec.at, "time of the request", {.example = "1 h"});
          if (!client.quantity("work", spec.work, "amount of work",
                               {.example = "1 h",
                                .least = 1e-6,
                                .otherwise = "the steps of the service's 'job', or the runs of its 'graph'"}) &&
              service.job.empty() && !service.graph)
            client.error("work", "a client of a service without 'job' needs 'work': how long its work takes");
        },
        {.what = "a client"});
    std::ranges::stable_sort(service.clients, {}, &ClientSpec::at);
    const bool ends = service.kind == "training" || service.kind == "mpi" || service.kind == "generic";
    if (ends && !has_work && service.job.empty() && !service.graph && service.clients.empty())
      keys.error("kind", fmt::format("'{}' needs 'work': its run time at full speed", service.name));
    if (!service.clients.empty() && has_work)
      keys.error("clients", "give either 'work' or 'clients'");
    keys.object("checkpoint", "checkpoints: what survives a loss",
                [&](Fields& checkpoint) { checkpoint_fields(checkpoint, service.checkpoint); });
  }

  /// What the processes run in.
  void environment_fields(Fields& keys, ServiceSpec& service) const
  {
    keys.object("image", "container image", [&](Fields& image) {
      image.text("name", service.image.name, "name of the image", {.required = true});
      image.quantity("size", service.image.size, "size of the image", {.example = "1.5 GB", .required = true});
    });
    const std::vector<std::string> names = keys_of(runtimes_);
    const auto take = [&] {
      if (const auto known = runtimes_.find(service.runtime); known != runtimes_.end()) {
        service.compute_factor = known->second.compute_factor;
        service.runtime_start = known->second.start;
      }
    };
    keys.word_or_object(
        "runtime",
        [&](Fields& word) {
          word.choice("runtime", service.runtime, names, "runtime of the processes");
          take();
        },
        "bare machine, container, virtual machine",
        [&](Fields& own) {
          own.text("name", service.runtime, "name of the runtime");
          take();
          own.number("compute_factor", service.compute_factor, "factor by which computing takes longer",
                     {.least = 0.01, .most = 100, .otherwise = "that of the runtime"});
          own.quantity("start", service.runtime_start, "start time in addition to that of the container",
                       {.example = "30 s", .otherwise = "that of the runtime"});
        });
    keys.text("framework", service.framework,
              "framework version that its machines must have if it runs without containers");
    keys.quantity("disk", service.disk, "disk space that a container writes and leaves behind", {.example = "2 GB"});
    bool removes = !service.keeps_containers;
    keys.flag("remove_containers", removes, "remove ended containers; else their record and disk space remain");
    service.keeps_containers = !removes;
  }

  void cluster_fields(Fields& keys, const ServiceSpec& service)
  {
    std::string cluster;
    keys.text("cluster", cluster,
              "training cluster of the service; all services of one cluster have the same cluster_spec");
    keys.custom("cluster_spec", schema::text("worker|a:2222;b:2222,ps|c:2222, as in the command line of its tasks"),
                [&](const DocumentNode& node) {
                  const auto [known, fresh] = cluster_specs_.emplace(cluster, &node);
                  const DocumentNode& first = *known->second;
                  if (!fresh && first.text != node.text)
                    keys.error_at(node,
                                  fmt::format("the ClusterSpec of '{}' differs from the one in line {}, which is '{}'",
                                              service.name, first.line, missing(first.text, node.text)));
                });
  }

  /// The first entry of @p a that @p b does not have.
  static std::string missing(const std::string& a, const std::string& b)
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

  const Scenario* scenario_;
  std::map<std::string, Runtime> runtimes_ = load_runtimes(data_folder());
  std::map<std::string, int> lines_;                         // service -> line
  std::map<std::string, int> containers_;                    // container -> line
  std::map<std::string, const DocumentNode*> cluster_specs_; // cluster -> its first ClusterSpec
};

class ServicesReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    Services services{nullptr};
    return schema::list_of(schema_of<ServiceSpec>(parts, catalogue, "a service",
                                                  [&](Fields& keys, ServiceSpec& one) { services.fields(keys, one); }),
                           "services to keep running");
  }

  std::any read(const SectionInput& input) const override
  {
    ServicesSection section;
    Services services{&input.scenario};
    if (input.node.kind != DocumentNode::Kind::list)
      input.document.error(input.diagnostics, input.node, "'services' is a list of services");
    for (const DocumentNode& item : input.node.items)
      section.services.push_back(
          read_record<ServiceSpec>(input, item, "service " + std::to_string(section.services.size()),
                                   [&](Fields& keys, ServiceSpec& one) { services.fields(keys, one); }));
    services.check_cluster_specs(input);
    return section;
  }
};

TY_REGISTER(ScenarioSection, ServicesReader, "services",
            "what the orchestrator keeps running: services, training jobs, notebooks, loads");

} // namespace
} // namespace trainyard
