// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/packing.hpp"

#include "models/core/interrupt.hpp"
#include "sim/cluster/cluster_state.hpp"
#include "sim/report/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace trainyard {
namespace {

/// The tasks of one order: those of the workload shuffled, then copies up to the load.
std::vector<int> order_of_arrival(const Workload& original, double capacity, const PackingSection& how,
                                  const Random& random)
{
  RandomStream draw = random.stream("arrivals");
  std::vector<int> tasks(original.jobs.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  for (std::size_t i = tasks.size(); i-- > 1;)
    std::swap(tasks[i], tasks[draw.below(i + 1)]);
  const auto milli = [&](int task) {
    return static_cast<double>(request_of(original.jobs[static_cast<std::size_t>(task)]).milli());
  };
  double asked = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    asked += milli(tasks[i]);
    if (asked > how.load * capacity) {
      tasks.resize(i);
      return tasks;
    }
  }
  while (how.repeats_tasks && asked > 0) {
    const auto task = static_cast<int>(draw.below(original.jobs.size()));
    asked += milli(task);
    if (asked > how.load * capacity)
      break;
    tasks.push_back(task);
  }
  return tasks;
}

} // namespace

PackedOrder pack(const Workload& original, const ClusterShape& shape, PlacementPolicy& placement,
                 const PackingSection& how, std::uint64_t seed)
{
  const Random random{seed};
  const double capacity = shape.total_gpus() * 1000.0;
  ClusterState cluster{shape, &placement};
  placement.begin(cluster.nodes(), original, random);
  cluster.set_demands(original.demands);
  PackedOrder order;
  order.seed = seed;
  std::vector<int> arrivals; // at each whole %
  double asked = 0, placed = 0;
  for (const int task : order_of_arrival(original, capacity, how, random)) {
    check_interrupt();
    const ResourceRequest request = request_of(original.jobs[static_cast<std::size_t>(task)]);
    const auto milli = static_cast<double>(request.milli());
    ++order.tasks;
    asked += milli;
    if (const auto place = cluster.find(request)) {
      cluster.take(request, *place);
      placed += milli;
      ++order.placed;
    }
    const auto percent = static_cast<std::size_t>(std::lround(100 * asked / capacity));
    order.allocated.resize(std::max(order.allocated.size(), percent + 1), 0);
    arrivals.resize(order.allocated.size(), 0);
    order.allocated[percent] += 100 * placed / capacity;
    ++arrivals[percent];
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    order.allocated[i] = arrivals[i] > 0 ? order.allocated[i] / arrivals[i] : -1;
  order.at_end = 100 * placed / capacity;
  const auto measured = static_cast<std::size_t>(std::lround(100 * how.measured_at));
  order.at_measured =
      measured < order.allocated.size() && order.allocated[measured] >= 0 ? order.allocated[measured] : order.at_end;
  return order;
}

PackingCurve curve_of(const std::string& label, const std::vector<PackedOrder>& orders)
{
  PackingCurve curve;
  curve.label = label;
  std::size_t length = 0;
  for (const PackedOrder& order : orders)
    length = std::max(length, order.allocated.size());
  for (std::size_t i = 0; i < length; ++i) {
    double sum = 0, least = -1, most = -1;
    int known = 0;
    for (const PackedOrder& order : orders) {
      const double here = i < order.allocated.size() ? order.allocated[i] : -1;
      if (here < 0)
        continue;
      sum += here;
      least = known == 0 ? here : std::min(least, here);
      most = known == 0 ? here : std::max(most, here);
      ++known;
    }
    curve.mean.push_back(known > 0 ? sum / known : -1);
    curve.least.push_back(least);
    curve.most.push_back(most);
  }
  return curve;
}

void plot_packing(const std::vector<PackingCurve>& curves, const std::filesystem::path& path)
{
  constexpr double width = 760, left = 64, right = 20, top = 34, bottom = 384;
  std::size_t last = 1;
  double high = 1;
  for (const PackingCurve& curve : curves) {
    last = std::max(last, curve.mean.size());
    for (const double value : curve.most)
      high = std::max(high, value);
  }
  const double span = width - left - right, end = static_cast<double>(last - 1);
  const double ceiling = std::ceil(std::max(high, 10.0) / 10) * 10;
  const auto x_at = [&](double percent) { return left + span * percent / std::max(end, 1.0); };
  const auto y_at = [&](double percent) { return bottom - (bottom - top) * percent / ceiling; };
  draw_to_files(path, width, bottom + 50 + 16.0 * static_cast<double>((curves.size() + 2) / 3), [&](Canvas& canvas) {
    canvas.colour(ink);
    canvas.text(left, top - 10, "GPUs allocated, % of the cluster", 11, Anchor::left, true);
    for (double y = 0; y <= ceiling + 1e-9; y += ceiling / 5) {
      canvas.colour(grid_line);
      canvas.line(left, y_at(y), width - right, y_at(y), 0.7);
      canvas.colour(quiet_ink);
      canvas.text(left - 6, y_at(y) + 3, fmt::format("{:g}", y), 9, Anchor::right);
    }
    const double step = end > 60 ? 20 : end > 20 ? 10 : 2;
    for (double x = 0; x <= end + 1e-9; x += step) {
      canvas.colour(grid_line);
      canvas.line(x_at(x), top, x_at(x), bottom, 0.7);
      canvas.colour(quiet_ink);
      canvas.text(x_at(x), bottom + 13, fmt::format("{:g}", x), 9, Anchor::centre);
    }
    canvas.colour(ink);
    canvas.text(width - right, bottom + 27, "GPUs asked for so far, % of the cluster", 9, Anchor::right);
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const PackingCurve& curve = curves[c];
      const Colour colour = okabe_ito[c % okabe_ito.size()];
      const bool dashed = c >= okabe_ito.size();
      const auto draw = [&](const std::vector<double>& values, double thickness, double opacity) {
        canvas.colour(colour, opacity);
        for (std::size_t i = 1; i < values.size(); ++i)
          if (values[i - 1] >= 0 && values[i] >= 0)
            canvas.line(x_at(static_cast<double>(i) - 1), y_at(values[i - 1]), x_at(static_cast<double>(i)),
                        y_at(values[i]), thickness, dashed);
      };
      draw(curve.least, 0.6, 0.4);
      draw(curve.most, 0.6, 0.4);
      draw(curve.mean, 1.6, 1);
      const double x = left + static_cast<double>(c % 3) * 230, y = bottom + 46 + static_cast<double>(c / 3) * 16;
      canvas.colour(colour);
      canvas.line(x, y - 3, x + 18, y - 3, 2, dashed);
      canvas.colour(ink);
      canvas.text(x + 24, y, canvas.fitted(curve.label, 200, 10), 10);
    }
  });
}

} // namespace trainyard
