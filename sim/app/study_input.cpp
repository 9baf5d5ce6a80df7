// SPDX-License-Identifier: Apache-2.0
#include "sim/app/study_input.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/output.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/value_range.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/step/collectives/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sched.h>
#include <stdexcept>
#include <string_view>

namespace trainyard::app {
namespace {

DocumentNode scalar(std::string text)
{
  DocumentNode node;
  node.kind = DocumentNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

} // namespace

std::pair<std::string, DocumentNode> key_and_values(const std::string& option, const std::string& text)
{
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError{
        fmt::format("{} needs PATH=VALUES, not '{}'; for example {} jobs.0.workers=1,2,4", option, text, option)};
  try {
    return {full_path(text.substr(0, equals)), command_line_values(text.substr(equals + 1))};
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("{} {}: {}", option, text, fault.what())};
  }
}

void check_policies(const DocumentNode& values)
{
  const std::map<std::string, std::string> known = descriptions_of(Registry<QueuePolicy>::instance().entries());
  for (const DocumentNode& value : values.items)
    if (value.kind == DocumentNode::Kind::scalar && !known.contains(value.text))
      throw InputError{fmt::format("unknown queue policy '{}'{}; simrun list queues shows them", value.text,
                                   did_you_mean(value.text, known))};
}

DocumentNode with_its_settings(const Document& document, const DocumentNode& policy)
{
  const DocumentNode* scheduling = document.root.find("scheduling");
  if (scheduling == nullptr || policy.kind != DocumentNode::Kind::scalar)
    return policy;
  // the plain entry before one of this label, this before one of this name with settings
  const auto nearness = [&](const DocumentNode& one) {
    const DocumentNode *name = one.find("name"), *label = one.find("label");
    if (one.text == policy.text || (name != nullptr && name->text == policy.text && one.entries.size() == 1))
      return 3;
    return label != nullptr && label->text == policy.text ? 2 : name != nullptr && name->text == policy.text ? 1 : 0;
  };
  if (const DocumentNode* only = scheduling->find("policy"); only != nullptr && nearness(*only) > 0)
    return *only;
  if (const DocumentNode* several = scheduling->find("policies"); several != nullptr && !several->items.empty())
    if (const auto found = std::ranges::max_element(several->items, {}, nearness); nearness(*found) > 0)
      return *found;
  return policy;
}

std::vector<Option> space_options()
{
  return {{"--grid", "", "PATH=VALUES",
           "values of a path; all combinations become points: --grid jobs.0.workers=1..64*2 --grid "
           "cluster.network.link=10GbE,25GbE. Short "
           "names of paths: nodes, net, link, workers, batch, ps, model, policy, placement",
           "", false, true},
          {"--zip", "", "PATHS", "paths whose values advance together: --zip 'a=1,2;b=10,20'", "", false, true},
          {"--random", "", "N", "number of random samples from the ranges of --over"},
          {"--latin-hypercube", "", "N", "number of samples from the ranges of --over, spread evenly over each range"},
          {"--over", "", "PATH=RANGE",
           "a range to draw from: --over cluster.network.bandwidth='10..400 Gbit/s' (log:1..64 for a logarithmic one)",
           "", false, true},
          {"--constraint", "", "CONDITION",
           "keep only points that meet this condition: --constraint 'workers * batch_per_gpu <= 256'", "", false, true},
          {"--replicas", "", "K", "run every point with K seeds"}};
}

void apply_space_options(const Arguments& arguments, Document& document)
{
  apply_knobs(arguments, document);
  if (arguments.has("--replicas"))
    add_to_sweep(document, "replicas", {}, scalar(std::to_string(arguments.whole_number("--replicas", 1, 1))));
}

void add_policies(Document& document, const std::string& text)
{
  DocumentNode values;
  try {
    values = command_line_values(text);
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("--policies {}: {}", text, fault.what())};
  }
  for (DocumentNode& policy : values.items)
    policy = with_its_settings(document, policy);
  check_policies(values);
  if (DocumentNode* scheduling = document.root.find("scheduling"); scheduling != nullptr)
    std::erase_if(scheduling->entries, [](const DocumentNode::Entry& entry) { return entry.key == "policies"; });
  add_to_sweep(document, "grid", "scheduling.policy", values);
}

namespace {

/// Machines of every kind of GPU that a study tries would cost what the node type says, unless it varies the price too.
void say_that_the_price_stays(const Arguments& arguments, const Document& document, const std::string& path)
{
  constexpr std::string_view types = "cluster.node_types.", gpu = ".gpu";
  if (!path.starts_with(types) || !path.ends_with(gpu))
    return;
  const std::string type = path.substr(types.size(), path.size() - types.size() - gpu.size());
  const DocumentNode* node = find_path(document.root, std::string{types} + type);
  const DocumentNode* price = node == nullptr ? nullptr : node->find("price");
  for (const char* option : {"--grid", "--knob", "--zip", "--over"})
    for (const std::string& text : arguments.all(option))
      if (text.find(".price") != std::string::npos)
        return;
  if (price != nullptr)
    print_note(fmt::format("warning: the price of '{}', {}, holds for every kind of GPU; give each its own: --zip "
                           "'{}=A,B;{}{}.price=5 $/h,7 $/h'",
                           type, price->text, path, types, type),
               arguments);
}

} // namespace

void apply_knobs(const Arguments& arguments, Document& document)
{
  for (const char* option : {"--grid", "--knob"})
    for (const std::string& text : arguments.all(option)) {
      auto [path, values] = key_and_values(option, text);
      say_that_the_price_stays(arguments, document, path);
      if (path == "scheduling.policy")
        for (DocumentNode& policy : values.items)
          policy = with_its_settings(document, policy);
      // one policy takes the place of the list
      if (path == "scheduling.policy" || path == "scheduling.placement")
        if (DocumentNode* scheduling = document.root.find("scheduling"); scheduling != nullptr) {
          const std::string several = path == "scheduling.policy" ? "policies" : "placements";
          std::erase_if(scheduling->entries, [&](const DocumentNode::Entry& entry) { return entry.key == several; });
        }
      add_to_sweep(document, "grid", path, values);
    }
  for (const std::string& text : arguments.all("--zip")) {
    DocumentNode map;
    map.kind = DocumentNode::Kind::map;
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t end = std::min(text.find(';', start), text.size());
      const auto [path, values] = key_and_values("--zip", text.substr(start, end - start));
      map.entries.push_back({path, 0, 0, values});
      start = end + 1;
    }
    add_to_sweep(document, "zip", {}, map);
  }
  const bool random = arguments.has("--random"), latin = arguments.has("--latin-hypercube");
  if (random && latin)
    throw InputError{"give only one of --random and --latin-hypercube"};
  if (arguments.has("--over") != (random || latin))
    throw InputError{"--over gives the ranges, and --random N or --latin-hypercube N the number of samples: give both"};
  if (random || latin) {
    const std::string kind = random ? "random" : "latin_hypercube";
    const std::string option = random ? "--random" : "--latin-hypercube";
    add_to_sweep(document, kind, "points", scalar(std::to_string(arguments.whole_number(option, 1, 1))));
    for (const std::string& text : arguments.all("--over")) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        throw InputError{fmt::format("--over needs PATH=RANGE, not '{}'", text)};
      std::string range = text.substr(equals + 1);
      DocumentNode node;
      if (const bool logarithmic = range.starts_with("log:"); range.find("..") != std::string::npos) {
        range = logarithmic ? range.substr(4) : range;
        const std::size_t dots = range.find("..");
        node.kind = DocumentNode::Kind::map;
        node.entries.push_back({"from", 0, 0, scalar(range.substr(0, dots))});
        node.entries.push_back({"to", 0, 0, scalar(range.substr(dots + 2))});
        if (logarithmic)
          node.entries.push_back({"scale", 0, 0, scalar("log")});
      } else {
        node = key_and_values("--over", text).second;
      }
      add_to_sweep(document, kind, full_path(text.substr(0, equals)), node);
    }
  }
  for (const std::string& text : arguments.all("--constraint"))
    add_to_sweep(document, "constraints", {}, scalar(text));
}

std::vector<SweepPoint> some_points(const SweepSpace& space)
{
  constexpr std::size_t most_of_an_axis = 50;
  std::vector<SweepPoint> points;
  for (auto& [axis, point] : space.probes(most_of_an_axis))
    points.push_back(std::move(point));
  if (points.empty())
    points.push_back(space.point(0));
  return points;
}

Option prices_option()
{
  return {"--prices", "", "FILE",
          "price list for machines without a price in the scenario: a file, or a name from simrun list prices",
          "list prices"};
}

Prices prices_of(const Arguments& arguments, const Catalogue& catalogue)
{
  const std::string named = arguments.value("--prices", "cloud_2023");
  for (const std::filesystem::path& list : price_lists())
    if (list.stem() == named)
      return read_prices(list, catalogue);
  return read_prices(named, catalogue);
}

ScenarioInput study_scenario(const Arguments& arguments)
{
  Diagnostics diagnostics;
  ScenarioInput input = scenario_input(arguments, diagnostics);
  diagnostics.throw_if_errors();
  return input;
}

ScenarioInput study_scenario(const std::string& name, const Arguments& arguments,
                             const std::vector<std::string>& options)
{
  Arguments alone;
  alone.add("SCENARIO", name);
  for (const std::string& option : options)
    for (const std::string& value : arguments.all(option))
      alone.add(option, value);
  return study_scenario(alone);
}

std::string scenario_text(const Document& document)
{
  std::string text;
  for (const DocumentNode::Entry& entry : document.root.entries)
    text += fmt::format("{}: {}\n", entry.key, to_flow_yaml(entry.value));
  return text;
}

Option jobs_option()
{
  return {"--jobs", "-j", "N", "number of processes that compute in parallel (default: one per core)"};
}

int jobs_of(const Arguments& arguments)
{
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const int here = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return static_cast<int>(
      std::min<std::uint64_t>(arguments.whole_number("--jobs", static_cast<std::uint64_t>(here), 1), 1024));
}

std::vector<std::string> measures_asked(const Arguments& arguments)
{
  std::vector<std::string> all;
  for (const std::string& given : arguments.all("--measure")) {
    int open = 0;
    all.emplace_back();
    for (const char c : given) {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && open == 0)
        all.emplace_back();
      else
        all.back() += c;
    }
  }
  return all;
}

std::vector<Option> study_output_options(const std::string& what, const std::string& kind)
{
  return {{"--json", "", "", fmt::format("print the {} as JSON", what)},
          {"--output", "-o", "DIR", fmt::format("folder for the {} (default results/{}/<name>)", what, kind), "folder"},
          {"--no-files", "", "", "do not write a folder"},
          force_option()};
}

namespace {

std::filesystem::path study_folder(const Arguments& arguments, const std::string& kind, const std::string& name)
{
  return arguments.has("--output") ? std::filesystem::path{arguments.value("--output")}
                                   : std::filesystem::path{"results"} / kind / as_folder(name);
}

} // namespace

std::string kept_parts()
{
  return interrupt::kept == 0
             ? std::string{}
             : fmt::format("interrupted: {} of {} had ended and {} kept; start it again for the rest",
                           interrupt::kept.load(), interrupt::of_all.load(), interrupt::kept == 1 ? "is" : "are");
}

std::filesystem::path folder_for_kept(const std::filesystem::path& folder)
{
  std::error_code error;
  return interrupt::kept > 0 && !folder.empty() && std::filesystem::exists(folder, error)
             ? std::filesystem::path{folder.string() + ".interrupted"}
             : folder;
}

void check_study_folder(const Arguments& arguments, const std::string& kind, const std::string& name)
{
  if (!arguments.has("--no-files"))
    check_folder(study_folder(arguments, kind, name), replacing(arguments));
}

void tell_study(const Arguments& arguments, const StudyFound& found,
                const std::function<void(const std::filesystem::path&)>& others,
                const std::function<std::string(const std::filesystem::path&)>& worth_a_look)
{
  const std::filesystem::path folder = folder_for_kept(study_folder(arguments, found.kind, found.name));
  const bool files = !arguments.has("--no-files");
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(found.json);
  json["command"] = arguments.command;
  if (files)
    if (const std::string replaced = write_folder(
            folder,
            [&](const std::filesystem::path& to) {
              write_file(to / found.file, printable(found.told.text()));
              write_file(to / "manifest.json", document_text(json));
              others(to);
            },
            replacing(arguments));
        !replaced.empty())
      print_note(replaced, arguments);
  if (arguments.has("--json"))
    print_data(found.json);
  else
    print(found.told.text(wants_colour(arguments, stdout)));
  if (files)
    print_note(fmt::format("\nwritten to {} ({})", folder.string(), worth_a_look(folder)), arguments);
}

Option confidence_option(const std::string& meaning)
{
  return {"--confidence", "", "SHARE", meaning + " (default 0.95)"};
}

double confidence_of(const Arguments& arguments)
{
  const std::string text = arguments.value("--confidence", "0.95");
  const double value = as_number<double>(text).value_or(0);
  if (!(value > 0.5 && value < 1))
    throw InputError{fmt::format("--confidence needs a number between 0.5 and 1, not '{}'", text)};
  return value;
}

Option sureness_option()
{
  return {"--sure", "", "SHARE",
          "probability, by the errors of the model, with which goals on speed and its price are to be met; 0: as "
          "predicted (default 0.8)"};
}

double sureness_of(const Arguments& arguments)
{
  const std::string text = arguments.value("--sure", "0.8");
  const bool percent = text.ends_with('%');
  const double value = as_number<double>(text.substr(0, text.size() - percent)).value_or(-1) / (percent ? 100 : 1);
  if (!(value >= 0 && value < 1))
    throw InputError{fmt::format("--sure needs a number from 0 to below 1, not '{}'; for example 0.9 or 90%", text)};
  return value;
}

void set_options(const Arguments& arguments, Document& document)
{
  if (arguments.has("--fidelity"))
    set_path(document, "run.fidelity", arguments.value("--fidelity"));
  if (arguments.has("--seed"))
    set_path(document, "run.seed", std::to_string(arguments.whole_number("--seed", 1)));
  for (const std::string& text : arguments.all("--set"))
    change_value(document, text);
}

std::string given_options(const Arguments& arguments, const std::vector<Option>& options,
                          const std::vector<std::string>& without)
{
  std::string text;
  for (const Option& option : options) {
    if (std::ranges::find(without, option.name) != without.end())
      continue;
    for (const std::string& value : arguments.all(option.name)) {
      text += " ";
      if (option.name.starts_with('-'))
        text += option.name;
      if (option.value.empty() && option.name.starts_with('-'))
        continue;
      if (option.name.starts_with('-'))
        text += " ";
      std::string quoted = "'";
      for (const char c : value)
        quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
      const bool plain =
          value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=,:") ==
          std::string::npos;
      text += plain && !value.empty() ? value : quoted + "'";
    }
  }
  return text;
}

std::vector<Architecture> architectures(const std::string& text, const std::string& update)
{
  std::vector<Architecture> list;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, end - start);
    start = end + 1;
    if (part.starts_with("ps:")) {
      std::vector<DocumentNode> counts;
      try {
        counts = range_values(command_line_values(part.substr(3)));
      } catch (const std::invalid_argument& fault) {
        throw InputError{fmt::format("--arch {}: {}", part, fault.what())};
      }
      for (const DocumentNode& count : counts) {
        const int servers = as_number<int>(count.text).value_or(0);
        if (servers < 1)
          throw InputError{fmt::format(
              "--arch {}: the number of servers must be a whole number of at least 1, not '{}'", part, count.text)};
        list.push_back({fmt::format("ps:{}{}", servers, update.empty() ? "" : " " + update),
                        fmt::format("{{mode: parameter_server, servers: {}{}}}", servers,
                                    update.empty() ? "" : ", update_rule: " + update),
                        servers});
      }
      continue;
    }
    std::string name = part == "hier-ring" || part == "hier" ? "hierarchical"
                       : part == "halving-doubling"          ? "halving_doubling"
                                                             : part;
    std::vector<std::string> known;
    for (const std::string& collective : Registry<Collective>::instance().names())
      if (Registry<Collective>::instance().create(collective, {})->supports({.operation = "all_reduce", .ranks = 2}))
        known.push_back(collective);
    if (std::ranges::find(known, name) == known.end()) {
      known.insert(known.end(), {"ps:4", "hier-ring"});
      std::string all;
      for (const std::string& one : known)
        all += (all.empty() ? "" : ", ") + one;
      throw InputError{
          fmt::format("--arch: unknown architecture '{}'{}; choose from {}", part, did_you_mean(part, known), all)};
    }
    list.push_back({part, fmt::format("{{mode: all_reduce, collective: {}}}", name), 0});
  }
  return list;
}

} // namespace trainyard::app
