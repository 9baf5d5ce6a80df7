// SPDX-License-Identifier: Apache-2.0
#include "models/job/batch_goodput.hpp"

#include "models/core/csv.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trainyard {
double statistical_efficiency(double noise_scale, double initial_batch, double batch)
{
  return (noise_scale + initial_batch) / (noise_scale + batch);
}

ModelGoodput::ModelGoodput(const GoodputSpec& spec, std::map<int, StepProfile> steps)
    : spec_{spec}, steps_{std::move(steps)}
{
  if (steps_.empty())
    throw std::invalid_argument{"the table of steps has no rows"};
  const double overlap = overlap_share(steps_);
  for (auto& [batch, profile] : steps_)
    profile.overlap = overlap;
}

double ModelGoodput::noise_scale(double done) const
{
  double value = 0;
  for (const NoisePhase& phase : spec_.noise_scale)
    if (phase.from <= done)
      value = phase.value;
  return value;
}

double ModelGoodput::steady_until(double done) const
{
  for (const NoisePhase& phase : spec_.noise_scale)
    if (phase.from > done)
      return phase.from;
  return 1;
}

const ModelGoodput::Knots& ModelGoodput::knots(const std::string& shape, double sharers) const
{
  const auto [known, fresh] = known_.try_emplace({shape, sharers});
  if (fresh)
    for (const auto& [batch, profile] : steps_)
      if (const auto point = profile.predict(shape, sharers);
          point && (spec_.most_per_gpu == 0 || batch <= spec_.most_per_gpu))
        known->second.push_back({1.0 * batch, point->step, point->step - point->exposed});
  return known->second;
}

std::optional<BatchChoice> ModelGoodput::best(const std::string& shape, double done, double sharers) const
{
  const Knots& steps = knots(shape, sharers);
  if (steps.empty())
    return std::nullopt;
  const double gpus = gpus_of_shape(shape), phi = noise_scale(done), initial = spec_.initial_batch;
  const double at_once = gpus * steps.back().batch; // the largest batch of one step
  const double least = std::max(initial, gpus * steps.front().batch);
  const double most = std::max(spec_.most_batch, spec_.initial_batch);
  std::optional<BatchChoice> best;
  for (int extra = 0; extra <= spec_.accumulation; ++extra) { // steps without exchange
    double from = std::max(least, extra * at_once), to = std::min(most, (extra + 1) * at_once);
    if (gpus == 1 && extra == 0 && spec_.accumulation > 0)
      to = std::min(to, initial);
    else if (gpus == 1 && extra == 1)
      from = std::max(least, std::min(initial, at_once));
    const auto consider = [&](double batch, Seconds step) {
      const BatchChoice choice{batch, step, statistical_efficiency(phi, initial, batch), extra};
      if (!best || choice.goodput() > best->goodput())
        best = choice;
    };
    const double parts = gpus * (extra + 1);
    for (std::size_t i = steps.size() == 1 ? 0 : 1; i < steps.size(); ++i) {
      const Knot &lower = steps[i == 0 ? 0 : i - 1], &upper = steps[i];
      const double first = std::max(from, parts * lower.batch), last = std::min(to, parts * upper.batch);
      if (first > last)
        continue;
      const Seconds begin = lower.step + 1.0 * extra * lower.computing,
                    end = upper.step + 1.0 * extra * upper.computing;
      const double width = parts * (upper.batch - lower.batch);
      const Seconds slope = width > 0 ? (end - begin) / width : Seconds{0}; // of a sample
      const Seconds constant = begin - parts * lower.batch * slope;
      for (const double batch : {first, last})
        consider(batch, constant + batch * slope);
      if (constant > Seconds{0} && slope > Seconds{0}) {
        const double turn = std::sqrt(phi * (constant / slope));
        if (turn > first && turn < last)
          consider(turn, constant + turn * slope);
      }
    }
  }
  return best;
}

double GoodputTables::reference(int model, int gpus, int gpu_type) const
{
  const ModelGoodput* goodput = find(model, gpu_type);
  if (goodput == nullptr)
    return 0;
  const std::optional<BatchChoice> choice = goodput->best(packed(gpus, gpu_type), 0);
  return choice ? choice->goodput() : 0;
}

namespace {

/// Exposed time below this many times the smallest of a model is the start of the exchange, not its length.
constexpr double floor_factor = 3;

double number(const std::string& text, const std::filesystem::path& file, int line)
{
  const double value = as_number<double>(text).value_or(-1);
  if (!(value >= 0))
    throw std::invalid_argument{file.string() + ":" + std::to_string(line) + ": '" + text +
                                "' is not a number of at least 0"};
  return value;
}

/// Gradients that a network port carries in a ring over all GPUs.
double ring_factor(const std::string& shape)
{
  const int gpus = gpus_of_shape(shape);
  return 2.0 * (gpus - 1) / gpus;
}

} // namespace

std::optional<StepPoint> StepProfile::predict(const std::string& shape, double sharers) const
{
  if (sharers == 1 || shape.size() == 1)
    if (const auto held = points.find(shape); held != points.end())
      return held->second;
  if (shape.size() < 2)
    return std::nullopt;
  const auto local = points.find(std::string(1, std::ranges::max(shape)));
  const auto one = exchange_of_one_gradient(static_cast<int>(shape.size()));
  if (local == points.end() || !one)
    return std::nullopt;
  const Seconds computing = local->second.step - local->second.exposed;
  const Seconds exchange = *one * ring_factor(shape) * sharers;
  const Seconds exposed = std::max(local->second.exposed, exchange - overlap * computing);
  return StepPoint{computing + exposed, exposed};
}

std::optional<Seconds> StepProfile::exchange_of_one_gradient(int nodes) const
{
  std::map<int, std::vector<double>> by_distance; // of the number of nodes from the one asked for
  for (const auto& [shape, point] : points) {
    const auto local = points.find(std::string(1, std::ranges::max(shape)));
    if (shape.size() < 2 || local == points.end())
      continue;
    const Seconds computing = local->second.step - local->second.exposed;
    const Seconds exchange = std::max(point.exposed, point.step - computing) + overlap * computing;
    by_distance[std::abs(static_cast<int>(shape.size()) - nodes)].push_back(exchange.value() / ring_factor(shape));
  }
  if (by_distance.empty())
    return std::nullopt;
  return Seconds{quantile(by_distance.begin()->second, 0.5)};
}

double overlap_share(const std::map<int, StepProfile>& by_batch)
{
  std::vector<std::pair<double, double>> samples; // computing, exposed
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& [batch, profile] : by_batch)
    if (const auto pair = profile.points.find("11"); pair != profile.points.end())
      smallest = std::min(smallest, pair->second.exposed.value());
  for (const auto& [batch, profile] : by_batch) {
    const auto one = profile.points.find("1");
    const auto pair = profile.points.find("11");
    if (one != profile.points.end() && pair != profile.points.end() &&
        pair->second.exposed.value() > floor_factor * smallest)
      samples.emplace_back((one->second.step - one->second.exposed).value(), pair->second.exposed.value());
  }
  if (samples.size() < 2)
    return 0.5;
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : samples) {
    mean_x += x / static_cast<double>(samples.size());
    mean_y += y / static_cast<double>(samples.size());
  }
  double products = 0;
  double squares = 0;
  for (const auto& [x, y] : samples) {
    products += (x - mean_x) * (y - mean_y);
    squares += (x - mean_x) * (x - mean_x);
  }
  return squares > 0 ? std::clamp(-products / squares, 0.0, 1.0) : 0.5;
}

std::map<int, StepProfile> read_step_profiles(const std::filesystem::path& file)
{
  const CsvTable table = read_csv(file);
  const std::vector<std::string> columns = {"placement", "local_bsz", "step_time", "sync_time"};
  for (const std::string& column : columns)
    if (!table.column(column))
      throw std::invalid_argument{fmt::format("{}:1: the columns must be {}", file.string(), fmt::join(columns, ","))};
  std::map<std::pair<int, std::string>, std::pair<std::vector<double>, std::vector<double>>> rows;
  for (const CsvTable::Row& row : table.rows) {
    const auto value = [&](const std::string& column) { return number(table.cell(row, column), file, row.line); };
    std::string shape = table.cell(row, "placement");
    if (shape.empty() || shape.find_first_not_of("123456789") != std::string::npos)
      throw std::invalid_argument{fmt::format("{}:{}: the placement '{}' is not the GPUs on each node, such as 44",
                                              file.string(), row.line, shape)};
    std::ranges::sort(shape);
    auto& [steps, exposed] = rows[{static_cast<int>(value("local_bsz")), shape}];
    steps.push_back(value("step_time"));
    exposed.push_back(value("sync_time"));
  }
  std::map<int, StepProfile> profiles;
  for (auto& [key, values] : rows)
    profiles[key.first].points[key.second] = {Seconds{quantile(values.first, 0.5)},
                                              Seconds{quantile(values.second, 0.5)}};
  return profiles;
}

int gpus_of_shape(const std::string& shape)
{
  int gpus = 0;
  for (const char node : shape)
    gpus += node - '0';
  return gpus;
}

std::string packed_shape(int gpus, int per_node)
{
  std::string shape;
  if (gpus % per_node > 0)
    shape += static_cast<char>('0' + gpus % per_node);
  return shape + std::string(static_cast<std::size_t>(gpus / per_node), static_cast<char>('0' + per_node));
}

} // namespace trainyard
