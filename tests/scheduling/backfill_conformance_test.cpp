// SPDX-License-Identifier: Apache-2.0
// Exact conformance of EASY, conservative backfilling and FCFS on cores: golden_backfill.csv, by the rules in
// tests/data/traces/README.md.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

namespace trainyard {
namespace {

struct Case {
  std::string policy;
  int nodes = 0;
  int cores = 0;
  Workload workload;
  std::vector<Instant> ends;
};

std::map<std::string, Case> read_cases()
{
  std::map<std::string, Case> cases;
  std::ifstream stream{tests::source_folder() / "tests/data/traces/golden_backfill.csv"};
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    char name[40] = "", policy[40] = "";
    int nodes = 0, cores = 0, job = 0, wanted = 0, wanted_cores = 0;
    double submit = 0, requested = 0, run = 0, end = 0;
    if (std::sscanf(line.c_str(), "%39[^,],%39[^,],%d,%d,%d,%lf,%d,%d,%lf,%lf,%lf", name, policy, &nodes, &cores, &job,
                    &submit, &wanted, &wanted_cores, &requested, &run, &end) != 11)
      continue;
    Case& one = cases[name];
    one.policy = policy;
    one.nodes = nodes;
    one.cores = cores;
    const bool by_core = one.policy == "fcfs_core_level";
    one.workload.jobs.push_back({.submit = Seconds{submit},
                                 .duration = Seconds{run},
                                 .estimate = Seconds{requested},
                                 .gpus = by_core ? 0 : wanted, // whole nodes are counted
                                 .tasks = by_core ? wanted : 0,
                                 .cpu_milli = by_core ? wanted_cores * 1000 : 0,
                                 .distinct_nodes = by_core});
    one.ends.emplace_back(Seconds{end});
  }
  return cases;
}

void expect_ends(const Case& one, const SchedulingResult& result)
{
  for (std::size_t i = 0; i < one.ends.size(); ++i)
    EXPECT_EQ(result.jobs[i].end, one.ends[i]) << "job " << i + 1;
}

TEST(BackfillConformance, EasyIsExactToTheSecond)
{
  const auto cases = read_cases();
  for (const char* name : {"easy_1", "easy_2", "easy_3"}) {
    SCOPED_TRACE(name);
    const Case& one = cases.at(name);
    const auto policy = Registry<QueuePolicy>::instance().create("easy_backfill");
    expect_ends(one, simulate_queue(one.workload, ClusterShape::pool(one.nodes), *policy));
  }
}

TEST(BackfillConformance, ConservativeIsExactToTheSecond)
{
  int cases = 0;
  for (const auto& [name, one] : read_cases()) {
    if (one.policy != "conservative_backfill")
      continue;
    SCOPED_TRACE(name);
    ++cases;
    const auto policy = Registry<QueuePolicy>::instance().create("conservative_backfill");
    expect_ends(one, simulate_queue(one.workload, ClusterShape::pool(one.nodes), *policy));
  }
  EXPECT_GE(cases, 1);
}

TEST(BackfillConformance, FirstComeFirstServedOnCoresIsExactToTheSecond)
{
  const auto cases = read_cases();
  const Case& one = cases.at("fcfs_1");
  const auto policy = Registry<QueuePolicy>::instance().create("fifo");
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  expect_ends(one, simulate_queue(one.workload, ClusterShape::machines(one.nodes, 0, one.cores * 1000), *policy,
                                  placement.get()));
}

} // namespace
} // namespace trainyard
