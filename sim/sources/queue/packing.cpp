// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/packing.hpp"

#include "models/core/interrupt.hpp"
#include "sim/cluster/cluster_state.hpp"

#include <algorithm>
#include <cmath>
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
  cluster.bind(original);
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

Picture packing_picture(const std::vector<PackingCurve>& curves)
{
  PicturePanel panel{.title = "GPUs allocated, % of the cluster",
                     .kind = PicturePanel::Kind::number,
                     .y = {0, 10},
                     .height = 350,
                     .x_title = "GPUs asked for so far, % of the cluster"};
  Picture picture;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const PackingCurve& curve = curves[c];
    panel.x.high = std::max(panel.x.high, static_cast<double>(curve.mean.size()) - 1);
    Mark mean = series_line(c, curve.label);
    for (const auto& [values, thickness, opacity] :
         {std::tuple{&curve.least, 0.6, 0.4}, {&curve.most, 0.6, 0.4}, {&curve.mean, 1.6, 1.0}}) {
      mean.thickness = thickness;
      mean.opacity = opacity;
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < values->size(); ++i)
        if ((*values)[i] >= 0) {
          points.emplace_back(static_cast<double>(i), (*values)[i]);
          panel.y.high = std::max(panel.y.high, std::ceil((*values)[i] / 10) * 10);
        }
      add_line(panel.marks, points, mean);
    }
    picture.legend.push_back(mean);
  }
  picture.panels.push_back(std::move(panel));
  return picture;
}

} // namespace trainyard
