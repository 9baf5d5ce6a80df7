// SPDX-License-Identifier: Apache-2.0
#include "models/import/draft.hpp"

#include "models/import/batch_draft.hpp"
#include "models/import/flow.hpp"

#include "models/core/quantity_text.hpp"
#include "models/core/registry.hpp"
#include "models/scenario/section.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

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

std::string memory_text(double bytes)
{
  return bytes > 0 ? bytes_text(bytes) : "";
}

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
  flow.number("nics", machines.nics).add("nic_bandwidth", machines.nic_bandwidth);
  flow.number("cpu_cores", machines.cpu_cores > 0 ? std::max(1.0, std::floor(machines.cpu_cores)) : 0);
  flow.add("memory", memory_text(machines.memory_bytes));
  if (machines.price > DollarsPerHour{})
    flow.add("price", fmt::format("{:.6g} $/h", machines.price.value()));
  return flow.str();
}

/// An item of a list, in flow style.
std::string item(const char* indent, const Flow& flow, const std::string& note)
{
  return fmt::format("{}- {}{}\n", indent, flow.str(), comment(note));
}

std::string cluster_yaml(const Draft& draft)
{
  MachineTypes types;
  std::string groups;
  for (const DraftMachines& machines : draft.machines) {
    Flow group;
    group.text("name", machines.name).text("type", types.name_of(machines)).number("count", machines.count);
    groups += item("    ", group, machines.note);
  }
  Flow kinds;
  for (const auto& [kind, name] : types.types())
    kinds.add(yaml_text(name), machine_type(kind));
  const std::string text = "cluster:\n  node_types:\n" + kinds.lines("    ") + "  nodes:\n" + groups;
  const DraftNetwork& network = draft.network;
  Flow flow;
  flow.add("topology", network.topology.empty() ? "star" : network.topology).add("link", network.link);
  flow.add("bandwidth", network.bandwidth).add("latency", network.latency);
  if (network.switches.empty() && network.wires.empty()) {
    for (const auto& [key, value] : network.settings)
      flow.add(key, value);
    return text + fmt::format("  network: {}{}\n", flow.str(), comment(network.note));
  }
  flow.add("switches", names_flow(network.switches));
  std::string wires;
  for (const DraftWire& wire : network.wires) {
    Flow one;
    one.text("from", wire.from).text("to", wire.to).add("bandwidth", wire.bandwidth).add("latency", wire.latency);
    wires += item("      ", one.number("count", wire.count, 1), wire.note);
  }
  return text + fmt::format("  network:{}\n{}    wires:\n{}", comment(network.note), flow.lines("    "), wires);
}

std::string job_yaml(const DraftJob& job)
{
  Flow lines;
  lines.text("user", job.user).text("team", job.team).add("model", job.model).add("precision", job.precision);
  lines.add("optimizer", job.optimizer);
  if (job.parallel.empty())
    lines.number("batch_per_gpu", job.batch_per_gpu).number("accumulation_steps", job.accumulation, 1);
  lines.add("recomputation", job.parallel.empty() ? job.recomputation : "").number("workers", job.workers);
  lines.add("single_gpu_step", job.single_gpu_step).add("arrival", job.arrival);
  lines.number("steps", job.steps).number("priority", job.parallel.empty() ? job.priority : 0);
  Flow training;
  if (!job.parallel.empty())
    training.add("parallel", job.parallel);
  else
    training.add("mode", job.servers > 0 ? "parameter_server" : "all_reduce")
        .number("servers", job.servers)
        .add("device", job.on_cpu ? "cpu" : "")
        .raw(job.training);
  return fmt::format("  - name: {}{}\n{}", yaml_text(job.name), comment(job.note),
                     lines.add("training", training.str()).lines("    "));
}

Flow tasks_flow(const DraftTasks& tasks)
{
  Flow resources;
  resources.number("gpus", tasks.gpus).number("gpu_share", tasks.gpu_share).add("gpu_type", tasks.gpu_type);
  resources.number("cpu", tasks.cpu).add("memory", memory_text(tasks.memory_bytes));
  Flow flow;
  flow.text("role", tasks.role).number("replicas", tasks.replicas, -1);
  if (!resources.empty())
    flow.add("resources", resources.str());
  if (!tasks.host_ports.empty())
    flow.add("host_ports", fmt::format("[{}]", fmt::join(tasks.host_ports, ", ")));
  flow.number("most_per_node", tasks.most_per_node);
  return flow.names("constraints", tasks.constraints).names("names", tasks.names);
}

std::string service_yaml(const DraftService& service)
{
  Flow head, lines;
  head.add("kind", service.kind).text("team", service.team).number("priority", service.priority);
  std::string tasks;
  for (const DraftTasks& some : service.tasks)
    tasks += item("      ", tasks_flow(some), some.note);
  lines.add("coupling", service.coupling).text("job", service.job);
  lines.time("arrival", Seconds{service.arrival_s}, service.arrival_s > 0);
  lines.time("work", Seconds{service.work_s}, service.work_s > 0);
  if (!service.restart.empty()) {
    Flow restart;
    restart.add("condition", service.restart).add("delay", service.delay).number("attempts", service.attempts);
    lines.add("restart", restart.str());
  }
  lines.add("reschedule", service.reschedule < 0 ? "" : service.reschedule > 0 ? "true" : "false");
  std::string clients = service.clients.empty() ? "" : "    clients:\n";
  for (const auto& [name, place] : service.clients)
    clients += item("      ", Flow{}.add("at", "0 s"), fmt::format("{}, {}", name, place));
  lines.add("mode", service.standalone ? "standalone" : "");
  lines.text("cluster", service.cluster).text("cluster_spec", service.cluster_spec);
  return fmt::format("  - name: {}{}\n{}    tasks:\n{}{}{}", yaml_text(service.name), comment(service.note),
                     head.lines("    "), tasks, clients, lines.lines("    "));
}

std::string task_list_flow(const std::vector<DraftTaskGroup>& list)
{
  std::vector<std::string> tasks;
  for (const DraftTaskGroup& group : list) {
    Flow flow;
    flow.text("role", group.role).number("count", group.count).number("gpus", group.gpus);
    flow.number("cpu_milli", group.cpu_milli).number("memory_mib", group.memory_mib).text("gpu_type", group.gpu_type);
    tasks.push_back(flow.names("node_selector", group.node_selector).str());
  }
  return tasks.empty() ? "" : fmt::format("[{}]", fmt::join(tasks, ", "));
}

Flow queue_job_flow(const DraftQueueJob& job)
{
  Flow flow;
  flow.text("name", job.name).time("submit", Seconds{job.submit_s}).time("duration", Seconds{job.duration_s});
  flow.time("estimate", Seconds{job.estimate_s}, job.estimate_s > 0 && job.estimate_s != job.duration_s);
  flow.number("gpus", job.gpus, -1).number("tasks", job.tasks).add("tasks", task_list_flow(job.task_list));
  flow.number("gpu_milli", job.gpu_milli, 1000);
  flow.number("cpu_milli", job.cpu_milli).number("memory_mib", job.memory_mib).number("priority", job.priority);
  flow.text("user", job.user).text("team", job.team).text("gpu_type", job.gpu_type).text("after", job.after);
  flow.text("queue", job.queue).text("qos", job.qos).text("reservation", job.reservation);
  flow.names("node_selector", job.node_selector).number("copies", job.copies, 1);
  return flow.number("array_limit", job.array_limit).flag("distinct_nodes", job.distinct);
}

std::string workload_yaml(const Draft& draft)
{
  if (!draft.trace_file.empty()) {
    Flow trace, lines;
    trace.text("file", draft.trace_file).add("format", draft.trace_format);
    lines.add("trace", trace.number("processors_per_gpu", draft.processors_per_gpu).str());
    lines.text("machines", draft.machines_file).text("throughputs", draft.throughputs_file);
    return "workload:\n" + lines.lines("  ");
  }
  std::string jobs;
  for (const DraftQueueJob& job : draft.queue_jobs)
    jobs += item("    ", queue_job_flow(job), job.note);
  return jobs.empty() ? "" : "workload:\n  jobs:\n" + jobs;
}

/// The orchestrator, with the roles and labels of its machines.
std::string orchestrator_yaml(const Draft& draft)
{
  Flow lines, nodes;
  lines.add("name", draft.orchestrator.empty() ? "none" : draft.orchestrator);
  const auto rule = std::ranges::find_if(draft.services, [](const auto& one) { return one.update_parallelism > 0; });
  if (rule != draft.services.end()) // the first that gives one; the orchestrator has one rule for all
    lines.number("update_parallelism", rule->update_parallelism)
        .add("update_delay", rule->update_delay)
        .add("update_order", rule->update_order);
  for (const DraftMachines& machines : draft.machines) {
    Flow traits, labels;
    for (const auto& [key, value] : machines.labels)
      labels.add(yaml_text(key), yaml_text(value));
    traits.add("role", machines.role).add("labels", labels.empty() ? "" : labels.str());
    nodes.add(yaml_text(machines.name), traits.empty() ? "" : traits.str());
  }
  return fmt::format("orchestrator:{}\n{}{}{}", comment(draft.orchestrator_note), lines.lines("  "),
                     nodes.empty() ? "" : "  nodes:\n", nodes.lines("    "));
}

/// The rules of the queue; as a comment where there is no queue but training jobs.
std::string scheduling_yaml(const Draft& draft, bool has_queue)
{
  if (draft.scheduling.empty())
    return "";
  const char* mark = has_queue ? "" : "# ";
  std::string text =
      has_queue ? ""
                : "# The rules of the queue, for jobs in 'workload' (simrun list traces): take the '# ' away there.\n";
  text += fmt::format("{}scheduling:{}\n", mark, comment(draft.scheduling_note));
  for (const auto& [key, value] : draft.scheduling)
    text += fmt::format("{}  {}: {}\n", mark, key, value);
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
         nic_bandwidth == other.nic_bandwidth && nic_latency == other.nic_latency && cpu_cores == other.cpu_cores &&
         memory_bytes == other.memory_bytes && price == other.price;
}

std::string UniqueNames::of(const std::string& name)
{
  std::string given = name;
  for (int& i = next_.try_emplace(name, 2).first->second; !taken_.insert(given).second; ++i)
    given = fmt::format("{}-{}", name, i);
  return given;
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
  Flow head, run, grid;
  text += head.add("trainyard", "1").text("name", draft.name).text("question", draft.question).lines("");
  if (draft.machines_file.empty())
    text += cluster_yaml(draft);
  if (!draft.framework.empty() && !draft.jobs.empty())
    text += fmt::format("framework: {}\n", draft.framework);
  text += draft.jobs.empty() ? "" : "jobs:\n";
  for (const DraftJob& job : draft.jobs)
    text += job_yaml(job);
  const bool services = !draft.services.empty() && knows_section("services") && knows_section("orchestrator");
  if (services) {
    text += orchestrator_yaml(draft) + "services:\n";
    for (const DraftService& service : draft.services)
      text += service_yaml(service);
  } else {
    const std::string workload = workload_yaml(draft);
    text += workload;
    if (!workload.empty())
      text += batch_yaml(draft.batch.rules) + kueue_yaml(draft.kueue);
    text += scheduling_yaml(draft, !workload.empty());
  }
  run.add("fidelity", draft.fidelity).add("until", services ? draft.until : "");
  if (!run.empty())
    text += fmt::format("run: {}\n", run.str());
  for (const auto& [path, values] : draft.grid)
    grid.add(path, values);
  if (!grid.empty())
    text += "sweep:\n  grid:\n" + grid.lines("    ");
  text += "\n# The report\n";
  std::istringstream lists{report_text(report)};
  for (std::string line; std::getline(lists, line);)
    text += "# " + line + "\n";
  return clean_text(text);
}

} // namespace trainyard
