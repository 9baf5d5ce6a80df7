// SPDX-License-Identifier: Apache-2.0
#include "sim/results/crowded_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace trainyard {
namespace {

/// Two links of 10 B/s.
class CrowdedLinksTest : public ::testing::Test
{
protected:
  CrowdedLinksTest()
  {
    const VertexId one = cluster.add_vertex({.kind = VertexKind::network_switch, .name = "one"});
    const VertexId other = cluster.add_vertex({.kind = VertexKind::network_switch, .name = "other"});
    for (const char* name : {"first", "second"}) // both directions have a number each
      links.push_back(cluster.add_link(name, LinkKind::ethernet, one, other, BytesPerSecond{10}, Seconds{}));
  }

  /// Of a job that puts so many bytes on each of the links.
  StepTrace trace(double on_first, double on_second) const
  {
    StepTrace trace;
    trace.links = {{links[0], Bytes{on_first}, Seconds{1}}, {links[1], Bytes{on_second}, Seconds{1}}};
    return trace;
  }

  Cluster cluster;
  std::vector<LinkId> links;
};

// From 0 to 10 s the first job sends 20 B, 2 B/s. The second one sends 80 B from 5 to 15 s, 8 B/s: 40 B before 10 s.
// The link could carry 100 B in this time.
TEST_F(CrowdedLinksTest, CountsWhatOthersCarryInTheSameTime)
{
  const StepTrace first = trace(20, 0), second = trace(80, 5);
  CrowdedLinks crowded{cluster};
  crowded.add(0, first, 1, Seconds{0}, Seconds{10});
  crowded.add(1, second, 1, Seconds{5}, Seconds{15});
  crowded.find_busiest();
  const auto found = crowded.busiest_of(0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->link, links[0]);
  EXPECT_EQ(found->jobs, 2);
  EXPECT_DOUBLE_EQ(found->utilisation, 0.6);
}

// The same bytes again and again: 3 times 20 B.
TEST_F(CrowdedLinksTest, CountsStepsThatRepeat)
{
  const StepTrace first = trace(20, 0), second = trace(20, 0);
  CrowdedLinks crowded{cluster};
  crowded.add(0, first, 1, Seconds{0}, Seconds{10});
  crowded.add(1, second, 3, Seconds{0}, Seconds{10});
  crowded.find_busiest();
  EXPECT_DOUBLE_EQ(crowded.busiest_of(0)->utilisation, 0.8);
}

TEST_F(CrowdedLinksTest, KnowsNobodyWhoIsElsewhereOrAtAnotherTime)
{
  const StepTrace first = trace(20, 0), elsewhere = trace(0, 90), later = trace(90, 0);
  CrowdedLinks crowded{cluster};
  crowded.add(0, first, 1, Seconds{0}, Seconds{10});
  crowded.add(1, elsewhere, 1, Seconds{0}, Seconds{10});
  crowded.add(2, later, 1, Seconds{10}, Seconds{20});
  crowded.find_busiest();
  EXPECT_FALSE(crowded.busiest_of(0));
  EXPECT_FALSE(crowded.busiest_of(7));
}

// 2,000 random cases beside the plain sums: for each job, over each of its links, over all others.
TEST_F(CrowdedLinksTest, FindsWhatPlainSumsFind)
{
  std::mt19937_64 random{1};
  const auto draw = [&](int below) { return static_cast<double>(random() % static_cast<std::uint64_t>(below)); };
  for (int round = 0; round < 2000; ++round) {
    struct Job {
      StepTrace trace;
      double times = 1, begin = 0, end = 0;
    };
    std::vector<Job> jobs(1 + random() % 40);
    CrowdedLinks crowded{cluster};
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const double begin = draw(50);
      jobs[job] = {trace(draw(3) * draw(40), draw(2) * draw(40)), 1 + draw(3), begin, begin + draw(20)};
      crowded.add(job, jobs[job].trace, jobs[job].times, Seconds{jobs[job].begin}, Seconds{jobs[job].end});
    }
    crowded.find_busiest();
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const auto& [own, times, begin, end] = jobs[job];
      std::optional<CrowdedLink> expected;
      for (std::size_t link = 0; link < links.size() && end > begin; ++link) {
        double carried = 0;
        int users = 0;
        for (const Job& other : jobs) {
          const double together = std::min(end, other.end) - std::max(begin, other.begin);
          const double bytes = other.trace.links[link].bytes.value() * other.times;
          if (bytes > 0 && together > 0) {
            carried += bytes * together / (other.end - other.begin);
            ++users;
          }
        }
        const double utilisation = std::min(1.0, carried / 10 / (end - begin));
        if (users > 1 && (!expected || utilisation > expected->utilisation * (1 + 1e-12)))
          expected = {links[link], utilisation, users};
      }
      const std::optional<CrowdedLink> found = crowded.busiest_of(job);
      ASSERT_EQ(found.has_value(), expected.has_value()) << round;
      if (!expected)
        continue;
      EXPECT_EQ(found->jobs, found->link == expected->link ? expected->jobs : found->jobs) << round;
      EXPECT_NEAR(found->utilisation, expected->utilisation, 1e-12) << round;
    }
  }
}

} // namespace
} // namespace trainyard
