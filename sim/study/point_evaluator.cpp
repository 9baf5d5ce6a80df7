// SPDX-License-Identifier: Apache-2.0
#include "sim/study/point_evaluator.hpp"
#include "sim/results/columns.hpp"

#include "models/core/data_folder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/price.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <set>

namespace trainyard {
namespace {

constexpr std::size_t most_items = 2000; // of a list inside a list: services, not events

/// "jct_s": {"mean": 1} becomes jct_s_mean.
void flatten(const nlohmann::json& json, const std::string& prefix, std::map<std::string, double>& numbers)
{
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "_" + key;
    if (value.is_number())
      numbers[name] = value.get<double>();
    else if (value.is_boolean())
      numbers[name] = value.get<bool>() ? 1 : 0;
    else if (value.is_object())
      flatten(value, name, numbers);
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

/// Price of a machine by the list; nothing where the list does not have its parts.
std::optional<DollarsPerHour> listed_price(const Prices& prices, const NodeTypeSpec& type, const std::string& link)
{
  DollarsPerHour price;
  if (type.gpus == 0) {
    price = prices.per_cpu_core * std::max(type.cpu_cores, 1);
  } else if (const auto gpu = prices.per_gpu.find(type.gpu); gpu != prices.per_gpu.end()) {
    price = gpu->second * type.gpus;
  }
  if (!(price > DollarsPerHour{}))
    return std::nullopt;
  const auto port = prices.per_link.find(link);
  return port == prices.per_link.end() ? price : price + port->second * type.nics;
}

} // namespace

Measured measured_of(const JobRow& row)
{
  return {row.job, figures_of(job_columns(), row), row.bottleneck};
}

std::vector<Measured> measured_of_summary(const std::string& summary)
{
  const auto json = nlohmann::json::parse(summary, nullptr, false);
  std::vector<Measured> list;
  if (!json.is_object())
    return list;
  const auto visit = [&](auto&& self, const nlohmann::json& array, const std::string& point) -> void {
    for (const auto& one : array) {
      if (!one.is_object())
        continue;
      const std::string own_point =
          one.contains("point") && one["point"].is_string() ? one["point"].get<std::string>() : point;
      for (const auto& [key, value] : one.items())
        if (value.is_array() && value.size() <= most_items && !value.empty() && value.front().is_object())
          self(self, value, own_point);
      Measured measured;
      for (const char* name : {"policy", "job", "service", "name", "item"})
        if (one.contains(name) && one[name].is_string()) {
          measured.item = one[name].get<std::string>();
          break;
        }
      if (measured.item.empty() && one.contains("point"))
        measured.item = "run"; // the run as a whole
      if (measured.item.empty())
        continue;
      measured.note = one.contains("bottleneck") && one["bottleneck"].is_string() ? one["bottleneck"].get<std::string>()
                                                                                  : std::string{};
      flatten(one, "", measured.numbers);
      for (const auto& [from, to] :
           {std::pair{"samples_per_second_mean", "samples_per_second"}, std::pair{"step_s_mean", "step_s"}})
        if (const auto found = measured.numbers.find(from); found != measured.numbers.end())
          measured.numbers[to] = found->second;
      if (measured.numbers.empty())
        continue;
      if (!own_point.empty())
        measured.item += " at " + own_point;
      list.push_back(std::move(measured));
    }
  };
  for (const auto& [key, value] : json.items())
    if (value.is_array())
      visit(visit, value, "");
  return list;
}

PointEvaluator::PointEvaluator(Prices prices)
    : catalogue_{load_catalogue(data_folder())}, parts_{registered_parts()}, prices_{std::move(prices)}
{
}

Measured PointEvaluator::cluster_of(const Scenario& scenario) const
{
  ClusterSpec cluster = scenario.cluster;
  fill_prices(cluster);
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

void PointEvaluator::fill_prices(ClusterSpec& cluster) const
{
  for (auto& [name, type] : cluster.node_types)
    if (!type.price)
      type.price = listed_price(prices_, type, cluster.network.link);
}

std::string PointEvaluator::price_note(const Scenario& scenario) const
{
  std::string text;
  std::set<std::string> told;
  for (const NodeGroupSpec& group : scenario.cluster.nodes) {
    const auto type = scenario.cluster.node_types.find(group.type);
    if (type == scenario.cluster.node_types.end() || type->second.price || !told.insert(group.type).second)
      continue;
    const std::string kind = type->second.gpus > 0 ? fmt::format("{} x {}", type->second.gpus, type->second.gpu)
                                                   : fmt::format("{} CPU cores", type->second.cpu_cores);
    if (const std::optional<DollarsPerHour> price = listed_price(prices_, type->second, scenario.cluster.network.link);
        price)
      text += fmt::format("price assumed: {:.2f} $/h for each '{}' ({}), from the price list {}; give your own with "
                          "'price:' or --prices\n",
                          price->value(), group.type, kind, prices_.name);
    else if (!prices_.name.empty())
      text += fmt::format("price unknown: '{}' ({}) is not in the price list {}; give one with 'price:' or --prices\n",
                          group.type, kind, prices_.name);
  }
  return text;
}

std::string PointEvaluator::price_note(const SweepPoint& point) const
{
  Diagnostics ignored;
  return price_note(read_scenario(point.document, parts_, catalogue_, ignored));
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
        checked.scenario.calibration.reset(); // the change may concern its bars
      }
      change(checked, changed);
    }
    const Catalogue& catalogue = change ? changed : catalogue_;
    outcome.items.push_back(cluster_of(checked.scenario));
    fill_prices(checked.scenario.cluster);
    if (const ScenarioRunner* runner = runner_of(checked.scenario); runner != nullptr) {
      checked.label.clear();
      std::vector<Measured> items = measured_of_summary(
          runner->run({checked}, {.catalogue = &catalogue, .figures_only = !waits_}, false).summary);
      if (!waits_)
        for (Measured& measured : items)
          measured.numbers.erase("fragmented_wait_hours");
      if (items.size() == 1 && runner->kind() == "trainyard queue") // one policy: the same column whichever it is
        items.front().item = "queue";
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

Prices read_prices(const std::filesystem::path& file, const Catalogue& catalogue)
{
  Diagnostics diagnostics;
  const Document document = read_document(file, diagnostics);
  diagnostics.throw_if_errors();
  MapReader reader{document, &document.root, "the price list", diagnostics};
  Prices prices;
  prices.name = file.stem().string();
  prices.source = reader.required_text("source");
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

} // namespace trainyard
