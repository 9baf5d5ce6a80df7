// SPDX-License-Identifier: Apache-2.0
// Placement matters: slow-down of spread against packed placements on T4 nodes of 4 GPUs (AdaptDL,
// tests/data/traces/perf_t4).
//
// Held, i.e. given to the model: the single-node placements 1, 2, 3, 4 and the pair 11, at every batch size. Scored:
// every other placement on more nodes than it needs, against the most even packed placement of as many GPUs. Nothing is
// fitted on what is scored.
#include "models/job/batch_goodput.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace trainyard {
namespace {

bool is_packed(const std::string& shape)
{
  return static_cast<int>(shape.size()) == (gpus_of_shape(shape) + 3) / 4;
}

double median(std::vector<double> values)
{
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(PerfT4, SlowDownOfSpreadAgainstPackedPlacementsIsWithin15PercentMedian)
{
  const std::filesystem::path folder = tests::source_folder() / "tests/data/traces/perf_t4";
  std::ofstream table;
  if (const char* file = std::getenv("PERF_T4_TABLE"))
    table.open(file);
  table << "model,local_batch,packed,spread,measured_slow_down,predicted_slow_down,relative_error\n";
  std::vector<double> all;
  for (const std::string model : {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"}) {
    const std::map<int, StepProfile> measured = read_step_profiles(folder / (model + ".csv"));
    std::map<int, StepProfile> held = measured;
    for (auto& [batch, profile] : held)
      std::erase_if(profile.points, [](const auto& point) { return !is_packed(point.first) && point.first != "11"; });
    const double overlap = overlap_share(held);
    std::vector<double> errors;
    for (auto& [batch, profile] : held) {
      profile.overlap = overlap;
      const auto& points = measured.at(batch).points;
      for (const auto& [shape, point] : points) {
        const int gpus = gpus_of_shape(shape);
        const auto nodes = static_cast<std::size_t>((gpus + 3) / 4);
        if (is_packed(shape) || shape == "11")
          continue;
        std::string packed; // the most even of the packed ones
        for (const auto& [other, unused] : points)
          if (other.size() == nodes && gpus_of_shape(other) == gpus &&
              (packed.empty() || other.back() - other.front() < packed.back() - packed.front()))
            packed = other;
        if (packed.empty())
          continue;
        const auto a = profile.predict(shape);
        const auto b = profile.predict(packed);
        if (!a || !b)
          continue;
        const double predicted = a->step / b->step;
        const double actual = point.step / points.at(packed).step;
        errors.push_back(std::abs(predicted / actual - 1));
        table << model << ',' << batch << ',' << packed << ',' << shape << ',' << actual << ',' << predicted << ','
              << errors.back() << '\n';
      }
    }
    ASSERT_GT(errors.size(), 100u) << model;
    RecordProperty(model, std::to_string(median(errors)));
    std::printf("%-12s %5zu placements, median error of the slow-down %.1f %%\n", model.c_str(), errors.size(),
                100 * median(errors));
    all.insert(all.end(), errors.begin(), errors.end());
  }
  std::printf("all          %5zu placements, median %.1f %%\n", all.size(), 100 * median(all));
  EXPECT_LT(median(all), 0.15);
}

TEST(StepProfile, ScalesTheExchangeOfThePairWithTheRing)
{
  // Computing 0.9 s, of which half hides the exchange; the pair exposes 0.6 s, so its exchange takes 0.6 + 0.45 = 1.05
  // s. Four nodes: the ring carries 1.5 as much, 1.575 s, of which 0.45 s is hidden: 0.9 + 1.125 s.
  StepProfile profile;
  profile.points = {{"1", {Seconds{0.9}, Seconds{0}}}, {"11", {Seconds{1.5}, Seconds{0.6}}}};
  profile.overlap = 0.5;
  EXPECT_NEAR(profile.predict("1111")->step.value(), 2.025, 1e-12);
  EXPECT_NEAR(profile.predict("11", 2)->step.value(), 0.9 + 2.1 - 0.45, 1e-12);
  EXPECT_EQ(profile.predict("11")->step, Seconds{1.5});
  EXPECT_FALSE(profile.predict("22"));
  // Four nodes are held: their own rate counts. 2 s = 0.9 + 1.5 x - 0.45.
  profile.points["1111"] = {Seconds{2}, Seconds{1.1}};
  EXPECT_NEAR(profile.exchange_of_one_gradient(4)->value(), 1.55 / 1.5, 1e-12);
}

} // namespace
} // namespace trainyard
