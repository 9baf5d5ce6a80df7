// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema.hpp"

#include "models/core/quantity_units.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <algorithm>
#include <limits>

namespace trainyard {
namespace {

using namespace schema;

Json cluster_schema(const Parts& parts, const Catalogue& catalogue)
{
  Json type = {
      {"gpu", name_of(catalogue.gpu_names(), "GPU of the catalogue; without this key the machine has no GPU")},
      {"gpus", up_to(most_gpus_of_a_node, whole("GPUs in the machine (default 1 with gpu, else 0)", 0))},
      {"intra",
       name_of(names(parts, "node_layout"),
               "wiring inside the machine (default: that of the machines the GPU is sold in; without GPUs host_only)")},
      {"nics", up_to(most_gpus_of_a_node,
                     whole("number of network cards (default: of the machines the GPU is sold in, else 1)"))},
      {"nic_bandwidth", quantity("bandwidth of one network card; default: that of the network's link", "25 Gbit/s")},
      {"cpu_cores",
       up_to(1e5, whole("CPU cores: they preprocess samples, and containers and queued jobs share them (default: of "
                        "the machines the GPU is sold in, else 16)"))},
      {"cpu", name_of(catalogue.cpu_names(), "CPU of the catalogue; it sets how fast jobs with device: cpu compute")},
      {"cpu_rate",
       quantity("rate of matrix multiplication on all cores (simcal: cpu_gemm); overrides 'cpu'", "500 GFLOP/s")},
      {"memory",
       quantity("memory of the host; jobs with device: cpu, containers and queued jobs must fit into it (default: of "
                "the machines the GPU is sold in, else 64 GB)",
                "64 GB")},
      {"price", quantity("price of the machine; default: not known, and studies take it from a price list (--prices)",
                         "3 $/h")}};
  add_settings(type, parts, {"node_layout"}, catalogue);
  Json types = {{"type", "object"},
                {"description", "machine types by name"},
                {"additionalProperties", object("a machine type", type)}};
  const Json group = object("machines of one type, named <name>-0, <name>-1…",
                            {{"name", text("name of the group")},
                             {"type", text("name of one of the node_types")},
                             {"count", up_to(1e6, whole("number of machines (default 1)"))},
                             {"per_rack", up_to(1e6, whole("machines in a rack; default: set by the topology"))}},
                            {"name", "type"});
  const Json wire =
      object("a link of topology graph",
             {{"from", text("name of a switch, node, NIC or group")},
              {"to", text("name of a switch, node, NIC or group")},
              {"link", name_of(catalogue.link_names(), "kind of link")},
              {"bandwidth", quantity("bandwidth of one direction; overrides that of the link", "100 Gbit/s")},
              {"latency", quantity("latency; overrides that of the link", "1 us")},
              {"count", up_to(1000, whole("number of parallel links (default 1)"))}},
             {"from", "to"});
  Json network = {
      {"topology", name_of(names(parts, "network_layout"), "how the machines are connected (default star)")},
      {"link",
       name_of(catalogue.link_names(), "kind of link (default: of the machines the first GPU is sold in, else 10GbE)")},
      {"bandwidth", quantity("bandwidth of the links; overrides the catalogue", "25 Gbit/s")},
      {"latency", quantity("latency of the links; overrides the catalogue", "5 us")},
      {"switches", list_of({{"type", "string"}}, "switches of topology graph")},
      {"wires", list_of(wire, "links of topology graph")}};
  add_settings(network, parts, {"network_layout"}, catalogue);
  return object("machines and network",
                {{"node_types", types},
                 {"nodes", list_of(group, "groups of machines")},
                 {"network", object("network between the machines", network)}},
                {"node_types", "nodes"});
}

Json job_schema(const Parts& parts, const Catalogue& catalogue)
{
  const Json model = {
      {"anyOf",
       {name_of(names(parts, "model"), "network to train"),
        object("network with options",
               {{"name", name_of(names(parts, "model"), "network to train")},
                {"sequence_length", whole("tokens per sample of a transformer; default: the published length")},
                {"elements", number("number of parameters of a synthetic network", 1)}},
               {"name"}),
        {{"type", "string"},
         {"pattern", "[.]onnx$"},
         {"x-ending", ".onnx"},
         {"description", "ONNX file of a network"}}}}};
  Json training = {
      {"mode", name_of(names(parts, "training"), "how the job trains (default all_reduce)")},
      {"device", name_of({"gpu", "cpu"}, "what the workers compute on (default gpu)")},
      {"server_placement", name_of({"auto", "dedicated", "colocated"}, "where parameter servers run (default auto)")}};
  add_settings(training, parts, {"training", "update_rule", "variable_placement", "collective", "fusion"}, catalogue);
  const Json straggler =
      object("a slow worker",
             {{"worker", whole("number of the worker, from 0", 0)},
              {"slow_down", up_to(1e6, number("factor by which compute takes longer (default 1)", 0.01))}},
             {"worker"});
  const Json jitter =
      object("random variation of compute times",
             {{"distribution", name_of({"none", "normal", "log_normal", "gamma", "exponential_tail"},
                                       "distribution, with mean 1 (default none)")},
              {"coefficient_of_variation", up_to(10, number("standard deviation divided by the mean (default 0)"))}});
  const Json input = object(
      "where samples come from",
      {{"source", name_of({"synthetic", "disk", "storage"}, "source of the samples (default synthetic)")},
       {"bytes_per_sample", quantity("bytes to read per sample (default 0 B)", "110 kB")},
       {"bandwidth", quantity("bandwidth of each node's disk, or of the shared storage; default: no limit", "1 GB/s")},
       {"preprocess_per_sample", quantity("time of one CPU core per sample (default 0 s)", "5 ms")},
       {"cpu_cores", up_to(1e5, whole("cores that preprocess samples; default: all cores of the node", 0))},
       {"prefetch_steps", up_to(1000, whole("number of steps that are read ahead (default 1)", 0))}});
  return object(
      "a training job",
      {{"name", text("name of the job; default: job-0, job-1…")},
       {"user", text("user who submits the job")},
       {"team", text("team whose quota the job uses")},
       {"copies", up_to(1e6, whole("number of equal jobs, named name-0, name-1… (default 1)"))},
       {"model", model},
       {"precision", name_of({"fp32", "tf32", "amp", "fp16", "bf16"},
                             "number format of the computation; default: by framework and GPU, see docs/assumed.md")},
       {"batch_per_gpu", up_to(1e6, whole("samples per GPU and step (default 32)"))},
       {"workers", up_to(1e6, whole("number of GPUs (default 1)"))},
       {"accumulation_steps", up_to(1e6, whole("micro-steps per update (default 1)"))},
       {"host_per_operator",
        quantity("time that the host needs to start one operator; default: by framework and GPU, see docs/assumed.md",
                 "10 us")},
       {"optimizer",
        name_of({"sgd", "sgd_momentum", "adam"}, "rule that updates the parameters (default sgd_momentum)")},
       {"single_gpu_step", quantity("measured time of a step on one GPU; overrides the roofline", "145 ms")},
       {"arrival", quantity("time of submission (default 0 s)", "10 min")},
       {"steps", up_to(1e12, number("number of steps to train (default 100)", 1))},
       {"priority",
        number("priority; the larger number goes first (default 0)", -std::numeric_limits<double>::infinity())},
       {"memory_policy",
        name_of({"all", "allow_growth", "fraction"}, "how much of the GPU's memory a process takes (default all)")},
       {"memory_fraction",
        up_to(1, number("share of the GPU's memory, for memory_policy: fraction (default 1)", 0.01))},
       {"nodes",
        list_of({{"type", "string"}}, "nodes on which the workers run; default: the placement policy decides")},
       {"stragglers", list_of(straggler, "slow workers")},
       {"jitter", jitter},
       {"input", input},
       {"training", object("how the job trains; only the settings of the chosen mode have an effect", training)}},
      {"model"});
}

/// "(default 5 ms)" in a description as a value that editors fill in, where it is one that the key takes.
void add_default(Json& schema)
{
  const auto described = schema.find("description");
  if (described == schema.end() || schema.contains("default"))
    return;
  const std::string meaning = described->get<std::string>();
  const std::size_t begin = meaning.rfind("(default ");
  if (begin == std::string::npos)
    return;
  const std::string text = meaning.substr(begin + 9, meaning.find_first_of("),:;", begin) - begin - 9);
  const Json type = schema.value("type", Json{});
  if (type == "boolean" && (text == "true" || text == "false"))
    schema["default"] = text == "true";
  else if (type == "integer" || schema.contains("x-number")) {
    const Json number = Json::parse(text, nullptr, false);
    if (number.is_number())
      schema["default"] = number;
  } else if (schema.contains("enum")) {
    if (std::ranges::find(schema["enum"], Json(text)) != schema["enum"].end())
      schema["default"] = text;
  } else if (schema.contains("x-quantity")) {
    if (parse_quantity(text, *kind_of_name(schema["x-quantity"].get<std::string>())))
      schema["default"] = text;
  } else if (type == "string" && schema.contains("x-of")) {
    schema["default"] = text;
  }
}

void add_defaults(Json& schema)
{
  if (schema.is_array()) {
    for (Json& item : schema)
      add_defaults(item);
    return;
  }
  if (!schema.is_object())
    return;
  for (auto& [key, value] : schema.items())
    if (key != "default" && key != "enum" && key != "examples")
      add_defaults(value);
  if (schema.contains("description") && schema["description"].is_string())
    add_default(schema);
}

} // namespace

nlohmann::ordered_json scenario_schema_json(const Parts& parts, const Catalogue& catalogue)
{
  const Json run =
      object("settings of the run",
             {{"seed", whole("seed of all random streams (default 1)", 0)},
              {"fidelity", name_of(names(parts, "executor"), "how the network is simulated (default flow)")},
              {"replicas", up_to(1e5, whole("number of runs, each with another seed (default 1)"))},
              {"confidence", up_to(0.999, number("confidence level of the intervals (default 0.95)", 0.5))},
              {"until", quantity("simulated time at which the run stops; default: when all work is done", "30 d")},
              {"warm_up_steps", up_to(1000, whole("number of first steps that do not count (default 1)"))}});
  const Json any_map = {{"type", "object"}, {"description", "path: value, for example jobs.0.workers: 8"}};
  const Json variant = object("a named set of changes",
                              {{"name", text("name of the variant, and of its curve")}, {"set", any_map}}, {"name"});
  const Json range =
      object("a range of values",
             {{"from", {{"type", {"number", "string"}}, {"description", "first value"}}},
              {"to", {{"type", {"number", "string"}}, {"description", "last value"}}},
              {"step", number("difference between two values (default 1)")},
              {"factor", number("ratio of a value to the one before it", 1)},
              {"count", whole("number of values, including both ends")},
              {"scale", name_of({"linear", "log"}, "how the values are spaced, with count or for samples")},
              {"integer", {{"type", "boolean"}, {"description", "only whole numbers (for samples)"}}}});
  const Json values = {{"anyOf",
                        {{{"type", "array"}, {"minItems", 1}},
                         {{"type", "string"}, {"description", "8..64:8 (step), 1..64*2 (factor)"}},
                         range,
                         {{"type", "object"}},
                         {{"type", "number"}}}}};
  const Json paths = {
      {"type", "object"}, {"description", "path: list or range of values"}, {"additionalProperties", values}};
  const Json zip = {{"anyOf", {paths, {{"type", "array"}, {"items", paths}}}},
                    {"description", "paths whose lists advance together; the lists have equal length"}};
  const Json samples = object("points drawn from ranges",
                              {{"points", whole("number of points")},
                               {"seed", whole("seed of the draw; default: the seed of the run", 0)},
                               {"over", paths}},
                              {"points", "over"});
  const Json sweep =
      object("the points to simulate: every combination of the values",
             {{"grid", paths},
              {"zip", zip},
              {"variants", list_of(variant, "named sets of changes; each is one curve")},
              {"random", samples},
              {"latin_hypercube", samples},
              {"constraints",
               list_of({{"type", "string"}}, "conditions that a point must meet: workers * batch_per_gpu <= 256")},
              {"replicas", whole("number of seeds with which each point runs")}});
  Json schema =
      object("A cluster, its jobs, and what to find out",
             {{"trainyard", {{"const", 1}, {"description", "version of this format"}}},
              {"name", text("name of the scenario")},
              {"question", text("question that the scenario answers")},
              {"era", name_of(catalogue.era_names(), "year: what each transport supports (default the newest table), "
                                                     "and the framework if 'framework' names none")},
              {"cluster", cluster_schema(parts, catalogue)},
              {"calibration",
               text("calibration file written by simcal; its measured constants replace those of the catalogue")},
              {"transports",
               {{"type", "object"}, {"description", "changes to transports of the catalogue, or new ones with like:"}}},
              {"jobs", list_of(job_schema(parts, catalogue), "training jobs")},
              {"run", run},
              {"sweep", sweep}});
  // A file of machines may stand for the cluster.
  const Json own = {{"required", {"cluster"}}};
  const Json from_file = {{"required", {"workload"}}, {"properties", {{"workload", {{"required", {"machines"}}}}}}};
  schema["allOf"] = Json::array({Json{{"anyOf", Json::array({own, from_file})}}});
  for (const auto& [name, entry] : Registry<ScenarioSection>::instance().entries()) {
    Json section = entry.create({})->schema(parts, catalogue);
    if (!section.contains("description"))
      section["description"] = entry.description;
    schema["properties"][name] = std::move(section);
  }
  schema["properties"]["run"]["x-always"] = true;
  schema["properties"]["cluster"]["properties"]["network"]["x-always"] = true;
  Json document = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Trainyard scenario"}};
  document.update(schema);
  add_defaults(document);
  return document;
}

std::string scenario_schema(const Parts& parts, const Catalogue& catalogue)
{
  return scenario_schema_json(parts, catalogue).dump(2) + "\n";
}

} // namespace trainyard
