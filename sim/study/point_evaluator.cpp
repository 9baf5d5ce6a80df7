// SPDX-License-Identifier: Apache-2.0
#include "sim/study/point_evaluator.hpp"
#include "models/results/column.hpp"
#include "sim/results/results.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/price.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/crew.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <set>

namespace trainyard {
namespace {

constexpr std::size_t most_items = 2000; // of a list inside a list: services, not events

/// "jct_s": {"mean": 1} becomes jct_s_mean.
void flatten(const nlohmann::json& json, const std::string& prefix, Measured& measured)
{
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "_" + key;
    if (value.is_number() && std::isfinite(value.get<double>()))
      measured.numbers[name] = value.get<double>();
    else if (value.is_boolean())
      measured.numbers[name] = value.get<bool>() ? 1 : 0;
    else if (value.is_object())
      flatten(value, name, measured);
    else if (value.is_null())
      measured.absent.insert(name);
  }
}

std::string failure_of(const Diagnostics& diagnostics)
{
  std::string text;
  int more = -1;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    if (diagnostic.severity == Severity::error) {
      if (text.empty())
        text = diagnostic.where.line > 0 ? fmt::format("line {}: {}", diagnostic.where.line, diagnostic.message)
                                         : diagnostic.message;
      ++more;
    }
  return more > 0 ? fmt::format("{} (and {} more)", text, more) : text;
}

/// Price of a machine by the list; nothing where the list does not have its parts. Power is that of busy GPUs.
std::optional<DollarsPerHour> listed_price(const Prices& prices, const NodeTypeSpec& type, const std::string& link,
                                           const Catalogue& catalogue)
{
  DollarsPerHour price;
  if (type.gpus == 0) {
    price = prices.per_cpu_core * std::max(type.cpu_cores, 1);
  } else if (const auto gpu = prices.per_gpu.find(type.gpu); gpu != prices.per_gpu.end()) {
    price = (gpu->second + prices.per_kilowatt * (catalogue.gpus.at(type.gpu).power.value() / 1000)) * type.gpus;
  }
  if (!(price > DollarsPerHour{}))
    return std::nullopt;
  const auto port = prices.per_link.find(link);
  return port == prices.per_link.end() ? price : price + port->second * type.nics;
}

/// "32.80 $/h (23,944 $/month)"
std::string price_text(DollarsPerHour price)
{
  const double of_a_month = parse_quantity("1 $/month", QuantityKind::money_rate).value;
  return fmt::format("{:.2f} $/h ({} $/month)", price.value(),
                     count_text(static_cast<std::uint64_t>(std::llround(price.value() / of_a_month))));
}

} // namespace

void add_notes(std::string& notes, const std::string& more)
{
  for (std::size_t at = 0; at < more.size();) {
    const std::string line = more.substr(at, more.find('\n', at) + 1 - at);
    at += line.size();
    if (("\n" + notes).find("\n" + line) == std::string::npos)
      notes += line;
  }
}

Measured measured_of(const JobRow& row)
{
  Measured measured{row.job, figures_of(job_columns(), row), row.bottleneck.text};
  measured.judge(unfinished(row), {});
  measured.system = row.gpu;
  return measured;
}

std::vector<Measured> measured_of_summary(const nlohmann::ordered_json& summary)
{
  const nlohmann::json json = summary; // by name
  const auto jobs = json.find("jobs");
  const bool trains = jobs != json.end() && jobs->is_array(); // what else is listed are parts of them: links, stages
  std::vector<Measured> list;
  const auto visit = [&](auto&& self, const nlohmann::json& array, const std::string& point,
                         const std::string& parent) -> void {
    for (const auto& one : array) {
      if (!one.is_object())
        continue;
      const std::string own_point =
          one.contains("point") && one["point"].is_string() ? one["point"].get<std::string>() : point;
      Measured measured;
      for (const char* name : {"policy", "job", "service", "name", "item"})
        if (one.contains(name) && one[name].is_string()) {
          measured.item = one[name].get<std::string>();
          break;
        }
      if (measured.item.empty() && one.contains("point"))
        measured.item = "run"; // the run as a whole
      for (const auto& [key, value] : one.items())
        if (!trains && value.is_array() && value.size() <= most_items && !value.empty() && value.front().is_object())
          self(self, value, own_point, measured.item);
      if (one.contains("group") && !parent.empty()) {
        measured.item = parent;
        measured.group = one["group"].template get<std::string>();
      }
      if (measured.item.empty())
        continue;
      const auto text = [&](const char* key) {
        return one.contains(key) && one[key].is_string() ? one[key].template get<std::string>() : std::string{};
      };
      measured.note = text("bottleneck") + text("waited_for");
      measured.system = text("gpu");
      flatten(one, "", measured);
      measured.judge(text("unfinished"), text("smallest_change"));
      for (const auto& [from, to] :
           {std::pair{"samples_per_second_mean", "samples_per_second"}, std::pair{"step_s_mean", "step_s"}})
        if (const auto found = measured.numbers.find(from); found != measured.numbers.end())
          measured.numbers[to] = found->second;
      if (measured.numbers.empty())
        continue;
      if (one.contains("service") || measured.item == "run")
        measured.run = own_point;
      if (!own_point.empty())
        measured.item += " at " + own_point;
      list.push_back(std::move(measured));
    }
  };
  for (const auto& [key, value] : json.items())
    if (value.is_array() && (!trains || key == "jobs"))
      visit(visit, value, "", "");
  return list;
}

PointEvaluator::PointEvaluator(Prices prices)
    : catalogue_{load_catalogue(data_folder())}, parts_{registered_parts()}, prices_{std::move(prices)}
{
}

Measured PointEvaluator::cluster_of(const Scenario& scenario) const
{
  const ClusterSpec cluster = priced(scenario.cluster);
  double nodes = 0, gpus = 0;
  for (const NodeGroupSpec& group : cluster.nodes)
    if (const auto type = cluster.node_types.find(group.type); type != cluster.node_types.end()) {
      nodes += group.count;
      gpus += static_cast<double>(group.count) * type->second.gpus;
    }
  Measured measured{"cluster", {{"nodes", nodes}, {"gpus", gpus}}, {}};
  if (const std::optional<DollarsPerHour> price = price_of(cluster); price)
    measured.numbers["price_usd_per_hour"] = price->value();
  return measured;
}

ClusterSpec PointEvaluator::priced(ClusterSpec cluster) const
{
  for (auto& [name, type] : cluster.node_types)
    if (!type.price)
      type.price = listed_price(prices_, type, cluster.network.link, catalogue_);
  return cluster;
}

std::string PointEvaluator::price_note(const Scenario& scenario) const
{
  std::string text;
  std::set<std::string> told;
  bool listed = false;
  const std::string& link = scenario.cluster.network.link;
  for (const NodeGroupSpec& group : scenario.cluster.nodes) {
    const auto found = scenario.cluster.node_types.find(group.type);
    if (found == scenario.cluster.node_types.end() || !told.insert(group.type).second)
      continue;
    const NodeTypeSpec& type = found->second;
    const std::string kind =
        type.gpus > 0 ? fmt::format("{} x {}", type.gpus, type.gpu) : fmt::format("{} CPU cores", type.cpu_cores);
    if (type.price) {
      text += fmt::format("price given: {} for each '{}' ({}), whatever its network\n", price_text(*type.price),
                          group.type, kind);
    } else if (const auto price = listed_price(prices_, type, link, catalogue_); price) {
      text += fmt::format("price assumed: {} for each '{}' ({}), from the price list {}\n", price_text(*price),
                          group.type, kind, prices_.name);
      listed = true;
    } else if (!prices_.name.empty()) {
      std::vector<std::string> known;
      for (const auto& [gpu, price_of_gpu] : prices_.per_gpu)
        known.push_back(gpu);
      text += fmt::format("price unknown: '{}' ({}) is not in the price list {}, which has {}; give the machine a "
                          "price ('price: 30 $/h', or ':30$/h' behind --cluster h100x8@4), or add it to a copy of the "
                          "list (simrun list prices shows the format)\n",
                          group.type, kind, prices_.name, fmt::join(known, ", "));
    }
  }
  if (!listed)
    return text;
  std::vector<std::string> without = prices_.missing();
  const bool ports = !prices_.per_link.empty();
  if (ports && !prices_.per_link.contains(link) && !link.empty())
    without.insert(without.begin(), "network cards of " + link);
  return text +
         fmt::format("prices of {}{}{}{}{}; give your own with 'price:' or --prices\n", prices_.name,
                     prices_.date.empty() ? " (it names no date)"
                                          : fmt::format(": of {}, ask for today's", prices_.date),
                     ports ? "" : "; fast and slow networks cost the same",
                     prices_.per_kilowatt > DollarsPerHour{} ? "; electricity as of busy GPUs" : "",
                     without.empty() ? std::string{} : fmt::format("; not in them: {}", fmt::join(without, ", ")));
}

std::string PointEvaluator::price_note(const SweepPoint& point) const
{
  Diagnostics ignored;
  return price_note(read_scenario(point.document, parts_, catalogue_, ignored));
}

std::string PointEvaluator::unpriced(std::span<const SweepPoint> points) const
{
  std::map<bool, std::set<std::string>> links; // by whether the list has them
  for (const SweepPoint& point : points) {
    Diagnostics ignored;
    const ClusterSpec cluster = read_scenario(point.document, parts_, catalogue_, ignored).cluster;
    const bool listed = std::ranges::any_of(
        cluster.node_types, [](const auto& type) { return !type.second.price && type.second.gpus > 0; });
    if (listed && !cluster.network.link.empty() && !prices_.per_link.empty())
      links[prices_.per_link.contains(cluster.network.link)].insert(cluster.network.link);
  }
  return links[true].empty() ? std::string{} : fmt::format("{}", fmt::join(links[false], ", "));
}

Diagnostics PointEvaluator::faults(const SweepPoint& point) const
{
  Diagnostics diagnostics;
  check_point(point, catalogue_, parts_, diagnostics);
  return diagnostics;
}

PointOutcome PointEvaluator::machines(const SweepPoint& point) const
{
  Diagnostics diagnostics;
  const Scenario scenario = read_scenario(point.document, parts_, catalogue_, diagnostics);
  if (diagnostics.has_errors())
    return {failure_of(diagnostics), {}};
  return {{}, {cluster_of(scenario)}};
}

CheckedPoint PointEvaluator::checked(const SweepPoint& point) const
{
  Diagnostics diagnostics;
  CheckedPoint checked = check_point(point, catalogue_, parts_, diagnostics);
  diagnostics.throw_if_errors();
  return checked;
}

PointOutcome PointEvaluator::evaluate(SweepPoint point) const
{
  return evaluate(std::move(point), {});
}

PointOutcome PointEvaluator::evaluate(SweepPoint point,
                                      const std::function<void(CheckedPoint&, Catalogue&)>& change) const
{
  point.settings.clear(); // so that points with the same fault say the same
  PointOutcome outcome;
  try {
    Diagnostics diagnostics;
    CheckedPoint checked = check_point(point, catalogue_, parts_, diagnostics);
    outcome.failure = failure_of(diagnostics);
    if (outcome.failed())
      return outcome;
    Catalogue changed;
    if (change) {
      changed = catalogue_;
      if (checked.scenario.calibration) {
        for (const AppliedConstant& constant : checked.scenario.calibration->applied)
          set_constant(constant, constant.value.value, checked.scenario.transports, changed.gpus);
      }
      changed = calibrated(std::move(changed), checked.scenario);
      checked.scenario.calibration.reset(); // the change may concern its bars
      checked.scenario.sections.erase("measured_rates");
      change(checked, changed);
    }
    const Catalogue& catalogue = change ? changed : catalogue_;
    outcome.items.push_back(cluster_of(checked.scenario));
    checked.scenario.cluster = priced(std::move(checked.scenario.cluster));
    if (const ScenarioRunner* runner = runner_of(checked.scenario); runner != nullptr) {
      checked.label.clear();
      std::vector<Measured> items =
          measured_of_summary(runner->run({checked}, {.catalogue = &catalogue, .figures_only = !waits_}).summary);
      if (!waits_)
        for (Measured& measured : items)
          measured.numbers.erase("fragmented_wait_hours");
      if (!groups_)
        std::erase_if(items, [](const Measured& one) { return !one.group.empty(); });
      if (runner->kind() == "trainyard queue" && std::ranges::all_of(items, [&](const Measured& one) {
            return one.item == items.front().item; // one policy: the same column whichever it is
          }))
        for (Measured& measured : items)
          measured.item = "queue";
      for (Measured& measured : items)
        outcome.items.push_back(std::move(measured));
    } else {
      std::vector<CheckedPoint> points;
      points.push_back(std::move(checked));
      for (const JobRow& row : simulate(points, catalogue, {.figures_only = true, .as_checked = !change}).jobs)
        outcome.items.push_back(measured_of(row));
    }
  } catch (const InputError& error) {
    outcome.failure = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    outcome.refused = true;
  } catch (const std::bad_alloc&) {
    outcome.failure = "out of memory";
  } catch (const std::exception& error) {
    outcome.failure = error.what();
  }
  if (outcome.failed())
    outcome.items.clear();
  return outcome;
}

std::vector<std::filesystem::path> price_lists()
{
  std::vector<std::filesystem::path> list;
  for (const auto& entry :
       std::filesystem::directory_iterator{data_folder() / "models" / "hardware" / "catalogue" / "prices"})
    if (entry.path().extension() == ".yaml")
      list.push_back(entry.path());
  std::ranges::sort(list);
  return list;
}

std::vector<std::string> Prices::missing() const
{
  std::vector<std::string> list;
  for (const std::string part : priced_parts)
    if (std::ranges::find(includes, part) == includes.end() && !(part == "network" && !per_link.empty()) &&
        !(part == "power" && per_kilowatt > DollarsPerHour{}))
      list.push_back(part);
  return list;
}

const char* const price_list_format = R"(source: who says so                       # needed
date: 2026-05                             # when the prices held
gpus: {H100-SXM5: 12.29 $/h}              # the share of a machine for one GPU; a machine of 8 costs 8 times that
cpu_core: 0.085 $/h                       # of machines without GPUs
links: {400GbE: 0.128 $/h}                # a network port: card, cable and its share of the switch
electricity: 0.15 $/kWh                   # for the GPUs of a machine at full power
includes: [network, power, housing]       # what the prices of machines have in them: network, storage, power, housing, staff
)";

Prices read_prices(const std::filesystem::path& file, const Catalogue& catalogue)
{
  Diagnostics diagnostics;
  const Document document = read_document(file, diagnostics);
  diagnostics.throw_if_errors();
  MapReader reader{document, &document.root, "the price list", diagnostics};
  Prices prices;
  prices.name = file.stem().string();
  prices.source = reader.required_text("source");
  prices.date = reader.text("date", "");
  if (const std::string power = reader.text("electricity", ""); !power.empty()) {
    const std::optional<double> price = scaled_number(power, "$/kWh");
    if (!price || *price < 0)
      diagnostics.error({.path = "electricity"},
                        fmt::format("'{}' is no price of electricity; write for example 0.15 $/kWh", power));
    prices.per_kilowatt = DollarsPerHour{price.value_or(0)};
  }
  prices.includes = reader.texts("includes");
  for (const std::string& part : prices.includes)
    if (std::ranges::find(priced_parts, part) == priced_parts.end())
      diagnostics.error({.path = "includes"}, fmt::format("'{}' is none of {}", part, fmt::join(priced_parts, ", ")));
  prices.per_cpu_core = DollarsPerHour{reader.quantity("cpu_core", QuantityKind::money_rate, 0)};
  MapReader gpus{document, reader.node("gpus"), "'gpus'", diagnostics};
  for (const std::string& name : catalogue.gpu_names())
    if (gpus.has(name))
      prices.per_gpu[name] = DollarsPerHour{gpus.required_quantity(name, QuantityKind::money_rate)};
  gpus.finish();
  MapReader links{document, reader.node("links"), "'links'", diagnostics};
  for (const std::string& name : catalogue.link_names())
    if (links.has(name))
      prices.per_link[name] = DollarsPerHour{links.required_quantity(name, QuantityKind::money_rate)};
  links.finish();
  reader.finish();
  diagnostics.throw_if_errors();
  return prices;
}

std::vector<PointOutcome> evaluate_batch(std::size_t count, const std::function<PointOutcome(std::size_t)>& evaluate,
                                         int workers, const std::function<void(std::size_t)>& progress, bool keep)
{
  std::vector<PointOutcome> outcomes(count);
  if (keep)
    outcomes.assign(count, {interrupted_point, {}});
  std::size_t next = 0, done = 0;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> {
    return next < count ? std::optional<std::uint64_t>{next++} : std::nullopt;
  };
  task.done = [&](std::uint64_t point, const std::string& answer) {
    outcomes[point] = outcome_of_json(answer);
    ++done;
  };
  task.lost = [](std::uint64_t, const std::string& how) {
    return to_json_line({"the process that computed it was " + how, {}});
  };
  task.tick = [&] {
    if (progress)
      progress(done);
  };
  try {
    if (count > 0)
      run_pool(
          std::min(workers, static_cast<int>(std::min<std::size_t>(count, 1024))),
          [&](std::uint64_t point) { return to_json_line(evaluate(point)); }, task);
  } catch (const Interrupted&) {
    if (!keep)
      throw;
    interrupt::keep(done, count);
  }
  return outcomes;
}

} // namespace trainyard
