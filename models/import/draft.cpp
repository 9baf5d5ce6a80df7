// SPDX-License-Identifier: Apache-2.0
#include "models/import/draft.hpp"

#include "models/import/batch_draft.hpp"

#include "models/core/quantity_text.hpp"
#include "models/core/registry.hpp"
#include "models/scenario/section.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

/// Comments must stay in one line.
std::string one_line(std::string text)
{
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20; }, ' ');
  return text.size() > 300 ? text.substr(0, 300) + "…" : text;
}

std::string comment(const std::string& note)
{
  return note.empty() ? "" : " # " + one_line(note);
}

/// "{a: 1, b: 2}" from the parts that are there.
class Flow
{
public:
  Flow& add(const std::string& key, const std::string& value)
  {
    if (!value.empty())
      parts_.push_back(key + ": " + value);
    return *this;
  }
  Flow& raw(const std::string& text)
  {
    if (!text.empty())
      parts_.push_back(text);
    return *this;
  }
  Flow& number(const std::string& key, double value, double unless = 0)
  {
    return value == unless ? *this : add(key, fmt::format("{:.10g}", value));
  }
  std::string text() const { return fmt::format("{{{}}}", fmt::join(parts_, ", ")); }
  bool empty() const { return parts_.empty(); }

private:
  std::vector<std::string> parts_;
};

/// The kinds of machines, each under a name of its own: "A100-SXM4-40GBx8", "cpu".
class MachineTypes
{
public:
  const std::string& name_of(const DraftMachines& machines)
  {
    for (const auto& [kind, name] : types_)
      if (kind.same_kind(machines))
        return name;
    std::string base = machines.gpus > 0 ? fmt::format("{}x{}", machines.gpu, machines.gpus) : "cpu";
    std::string name = base;
    for (int i = 2; std::ranges::any_of(types_, [&](const auto& type) { return type.second == name; }); ++i)
      name = fmt::format("{}-{}", base, i);
    return types_.emplace_back(machines, name).second;
  }
  const std::vector<std::pair<DraftMachines, std::string>>& types() const { return types_; }

private:
  std::vector<std::pair<DraftMachines, std::string>> types_;
};

std::string machine_type(const DraftMachines& machines)
{
  Flow flow;
  if (machines.gpus > 0)
    flow.add("gpu", machines.gpu).number("gpus", machines.gpus).add("intra", machines.intra);
  flow.number("nics", machines.nics, 1).add("nic_bandwidth", machines.nic_bandwidth);
  flow.number("cpu_cores", machines.cpu_cores > 0 ? std::max(1.0, std::floor(machines.cpu_cores)) : 0);
  if (machines.memory_bytes > 0)
    flow.add("memory", bytes_text(machines.memory_bytes));
  if (machines.price > DollarsPerHour{})
    flow.add("price", fmt::format("{:.6g} $/h", machines.price.value()));
  return flow.text();
}

std::string cluster_yaml(const Draft& draft)
{
  MachineTypes types;
  std::string groups;
  for (const DraftMachines& machines : draft.machines)
    groups += fmt::format("    - {}{}\n",
                          Flow{}
                              .add("name", yaml_text(machines.name))
                              .add("type", yaml_text(types.name_of(machines)))
                              .number("count", machines.count)
                              .text(),
                          comment(machines.note));
  std::string text = "cluster:\n  node_types:\n";
  for (const auto& [kind, name] : types.types())
    text += fmt::format("    {}: {}\n", yaml_text(name), machine_type(kind));
  text += "  nodes:\n" + groups;
  const DraftNetwork& network = draft.network;
  Flow flow;
  flow.add("topology", network.topology.empty() ? "star" : network.topology).add("link", network.link);
  flow.add("bandwidth", network.bandwidth).add("latency", network.latency);
  for (const auto& [key, value] : network.settings)
    flow.add(key, value);
  if (network.switches.empty() && network.wires.empty())
    return text + fmt::format("  network: {}{}\n", flow.text(), comment(network.note));
  text += fmt::format("  network:{}\n", comment(network.note));
  text += fmt::format("    topology: {}\n", network.topology);
  for (const auto& [key, value] : {std::pair{"link", network.link}, std::pair{"bandwidth", network.bandwidth},
                                   std::pair{"latency", network.latency}})
    if (!value.empty())
      text += fmt::format("    {}: {}\n", key, value);
  std::vector<std::string> switches;
  for (const std::string& name : network.switches)
    switches.push_back(yaml_text(name));
  text += fmt::format("    switches: [{}]\n    wires:\n", fmt::join(switches, ", "));
  for (const DraftWire& wire : network.wires)
    text += fmt::format("      - {}{}\n",
                        Flow{}
                            .add("from", yaml_text(wire.from))
                            .add("to", yaml_text(wire.to))
                            .add("bandwidth", wire.bandwidth)
                            .add("latency", wire.latency)
                            .number("count", wire.count, 1)
                            .text(),
                        comment(wire.note));
  return text;
}

std::string job_yaml(const DraftJob& job)
{
  std::string text = fmt::format("  - name: {}{}\n", yaml_text(job.name), comment(job.note));
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty())
      text += fmt::format("    {}: {}\n", key, value);
  };
  const auto number = [&](const char* key, double value) {
    if (value != 0)
      text += fmt::format("    {}: {:.10g}\n", key, value);
  };
  line("user", job.user.empty() ? "" : yaml_text(job.user));
  line("team", job.team.empty() ? "" : yaml_text(job.team));
  line("model", job.model);
  line("precision", job.precision);
  number("batch_per_gpu", job.batch_per_gpu);
  number("workers", job.workers);
  line("single_gpu_step", job.single_gpu_step);
  line("arrival", job.arrival);
  number("steps", job.steps);
  number("priority", job.priority);
  Flow training;
  if (!job.parallel.empty())
    return text + fmt::format("    training: {}\n", training.add("parallel", job.parallel).text());
  training.add("mode", job.servers > 0 ? "parameter_server" : "all_reduce");
  training.number("servers", job.servers);
  if (job.on_cpu)
    training.add("device", "cpu");
  training.raw(job.training);
  return text + fmt::format("    training: {}\n", training.text());
}

std::string tasks_flow(const DraftTasks& tasks)
{
  Flow resources;
  resources.number("gpus", tasks.gpus);
  resources.number("gpu_share", tasks.gpu_share);
  resources.add("gpu_type", tasks.gpu_type);
  resources.number("cpu", tasks.cpu);
  if (tasks.memory_bytes > 0)
    resources.add("memory", bytes_text(tasks.memory_bytes));
  Flow flow;
  flow.add("role", tasks.role.empty() ? "" : yaml_text(tasks.role)).number("replicas", tasks.replicas, -1);
  if (!resources.empty())
    flow.add("resources", resources.text());
  if (!tasks.host_ports.empty())
    flow.add("host_ports", fmt::format("[{}]", fmt::join(tasks.host_ports, ", ")));
  std::vector<std::string> list;
  for (const std::string& constraint : tasks.constraints)
    list.push_back(yaml_text(constraint));
  if (!list.empty())
    flow.add("constraints", fmt::format("[{}]", fmt::join(list, ", ")));
  list.clear();
  for (const std::string& name : tasks.names)
    list.push_back(yaml_text(name));
  if (!list.empty())
    flow.add("names", fmt::format("[{}]", fmt::join(list, ", ")));
  return flow.text();
}

std::string service_yaml(const DraftService& service)
{
  std::string text = fmt::format("  - name: {}{}\n", yaml_text(service.name), comment(service.note));
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty())
      text += fmt::format("    {}: {}\n", key, value);
  };
  line("kind", service.kind);
  line("team", service.team.empty() ? "" : yaml_text(service.team));
  if (service.priority != 0)
    text += fmt::format("    priority: {:.10g}\n", service.priority);
  text += "    tasks:\n";
  for (const DraftTasks& tasks : service.tasks)
    text += fmt::format("      - {}{}\n", tasks_flow(tasks), comment(tasks.note));
  line("coupling", service.coupling);
  line("job", service.job.empty() ? "" : yaml_text(service.job));
  if (service.arrival_s > 0)
    line("arrival", seconds_text(service.arrival_s));
  if (service.work_s > 0)
    line("work", seconds_text(service.work_s));
  if (!service.restart.empty()) {
    Flow restart;
    restart.add("condition", service.restart).add("delay", service.delay).number("attempts", service.attempts);
    line("restart", restart.text());
  }
  if (service.reschedule >= 0)
    line("reschedule", service.reschedule > 0 ? "true" : "false");
  if (service.standalone)
    line("mode", "standalone");
  line("cluster", service.cluster.empty() ? "" : yaml_text(service.cluster));
  line("cluster_spec", service.cluster_spec.empty() ? "" : yaml_text(service.cluster_spec));
  return text;
}

std::string queue_job_flow(const DraftQueueJob& job)
{
  Flow flow;
  flow.add("name", yaml_text(job.name))
      .add("submit", seconds_text(job.submit_s))
      .add("duration", seconds_text(job.duration_s));
  flow.add("estimate", job.estimate_s > 0 && job.estimate_s != job.duration_s ? seconds_text(job.estimate_s) : "");
  flow.number("gpus", job.gpus, -1).number("tasks", job.tasks).number("gpu_milli", job.gpu_milli, 1000);
  flow.number("cpu_milli", job.cpu_milli).number("memory_mib", job.memory_mib).number("priority", job.priority);
  for (const auto& [key, value] :
       {std::pair{"user", job.user}, std::pair{"team", job.team}, std::pair{"gpu_type", job.gpu_type},
        std::pair{"after", job.after}, std::pair{"queue", job.queue}, std::pair{"qos", job.qos},
        std::pair{"reservation", job.reservation}})
    flow.add(key, value.empty() ? "" : yaml_text(value));
  flow.add("node_selector", job.node_selector.empty() ? "" : names_flow(job.node_selector));
  flow.number("copies", job.copies, 1).number("array_limit", job.array_limit);
  return flow.text();
}

std::string workload_yaml(const Draft& draft)
{
  if (!draft.trace_file.empty()) {
    Flow flow;
    flow.add("file", yaml_text(draft.trace_file))
        .add("format", draft.trace_format)
        .number("processors_per_gpu", draft.processors_per_gpu);
    return fmt::format(
        "workload:\n  trace: {}\n{}", flow.text(),
        draft.throughputs_file.empty() ? "" : fmt::format("  throughputs: {}\n", yaml_text(draft.throughputs_file)));
  }
  if (draft.queue_jobs.empty())
    return "";
  std::string text = "workload:\n  jobs:\n";
  for (const DraftQueueJob& job : draft.queue_jobs)
    text += fmt::format("    - {}{}\n", queue_job_flow(job), comment(job.note));
  return text;
}

bool knows_section(const char* name)
{
  return Registry<ScenarioSection>::instance().find(name) != nullptr;
}

} // namespace

bool DraftMachines::same_kind(const DraftMachines& other) const
{
  return gpu == other.gpu && gpus == other.gpus && intra == other.intra && nics == other.nics &&
         nic_bandwidth == other.nic_bandwidth && cpu_cores == other.cpu_cores && memory_bytes == other.memory_bytes &&
         price == other.price;
}

int Draft::gpus() const
{
  int sum = 0;
  for (const DraftMachines& group : machines)
    sum += group.count * group.gpus;
  return sum;
}

std::string yaml_text(const std::string& text)
{
  bool plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '/' ||
                                 text.front() == '_');
  for (const char c : text)
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view{"_-./ =!@()+|;"}.find(c) != std::string_view::npos);
  plain = plain && text.back() != ' ' && text.find(" #") == std::string::npos;
  for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "True", "False", "Null"})
    plain = plain && text != word;
  if (plain)
    return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string bytes_text(double bytes)
{
  for (const auto& [unit, size] :
       {std::pair{"GiB", 1073741824.0}, std::pair{"MiB", 1048576.0}, std::pair{"KiB", 1024.0}})
    if (bytes >= size && std::fmod(bytes, size) == 0)
      return fmt::format("{:.0f} {}", bytes / size, unit);
  return to_text(bytes, QuantityKind::bytes);
}

std::string seconds_text(double seconds)
{
  return fmt::format("{:.10g} s", seconds);
}

std::string scenario_yaml(const Draft& draft, const ImportReport& report)
{
  std::string text =
      "# Imported by `simrun import`; the report at the end says what was understood, assumed and ignored.\n";
  for (const ImportedFile& file : report.files)
    text += fmt::format("# {}: {}\n", one_line(file.file), one_line(file.description));
  for (const std::string& remark : draft.remarks)
    text += "# " + one_line(remark) + "\n";
  text += "trainyard: 1\n";
  if (!draft.name.empty())
    text += fmt::format("name: {}\n", yaml_text(draft.name));
  if (!draft.question.empty())
    text += fmt::format("question: {}\n", yaml_text(draft.question));
  text += cluster_yaml(draft);
  const bool services = !draft.services.empty() && knows_section("services") && knows_section("orchestrator");
  if (!draft.jobs.empty()) {
    text += "jobs:\n";
    for (const DraftJob& job : draft.jobs)
      text += job_yaml(job);
  }
  if (services) {
    const std::string name = draft.orchestrator.empty() ? "none" : draft.orchestrator;
    std::string special;
    for (const DraftMachines& machines : draft.machines) {
      Flow traits;
      traits.add("role", machines.role);
      Flow labels;
      for (const auto& [key, value] : machines.labels)
        labels.add(yaml_text(key), yaml_text(value));
      if (!labels.empty())
        traits.add("labels", labels.text());
      if (!traits.empty())
        special += fmt::format("    {}: {}\n", yaml_text(machines.name), traits.text());
    }
    std::string updates;
    for (const DraftService& service :
         draft.services) { // the first that gives a rule; the orchestrator has one rule for all
      if (updates.empty() && service.update_parallelism > 0)
        updates = fmt::format("  update_parallelism: {}\n", service.update_parallelism) +
                  (service.update_delay.empty() ? "" : fmt::format("  update_delay: {}\n", service.update_delay)) +
                  (service.update_order.empty() ? "" : fmt::format("  update_order: {}\n", service.update_order));
    }
    text += fmt::format("orchestrator:{}\n  name: {}\n{}{}{}", comment(draft.orchestrator_note), name, updates,
                        special.empty() ? "" : "  nodes:\n", special);
    text += "services:\n";
    for (const DraftService& service : draft.services)
      text += service_yaml(service);
  } else {
    const std::string workload = workload_yaml(draft);
    text += workload;
    if (!workload.empty())
      text += batch_yaml(draft.batch.rules) + kueue_yaml(draft.kueue);
    if (!draft.scheduling.empty()) {
      const char* mark = workload.empty() ? "# " : ""; // training jobs have no queue
      if (workload.empty())
        text += "# The rules of the queue, for jobs in 'workload' (simrun list traces): take the '# ' away there.\n";
      text += fmt::format("{}scheduling:{}\n", mark, comment(draft.scheduling_note));
      for (const auto& [key, value] : draft.scheduling)
        text += fmt::format("{}  {}: {}\n", mark, key, value);
    }
  }
  Flow run;
  run.add("fidelity", draft.fidelity).add("until", services ? draft.until : "");
  if (!run.empty())
    text += fmt::format("run: {}\n", run.text());
  if (!draft.grid.empty()) {
    text += "sweep:\n  grid:\n";
    for (const auto& [path, values] : draft.grid)
      text += fmt::format("    {}: {}\n", path, values);
  }
  text += "\n# The report\n";
  const std::string lists = report_text(report);
  for (std::size_t at = 0; at < lists.size();) {
    const std::size_t end = lists.find('\n', at);
    text += "# " + lists.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return clean_text(text);
}

} // namespace trainyard
