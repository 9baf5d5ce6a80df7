// SPDX-License-Identifier: Apache-2.0
/// A new queue policy is this one file: scenarios name it, and its setting is a key of the file with range and default.
#include "models/core/csv.hpp"
#include "models/scenario/schema.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainyard {
namespace {

/// The job submitted last goes first, but a job that has waited for the patience goes before all.
class NewestFirst final : public QueuePolicy
{
public:
  explicit NewestFirst(const Settings& settings) : patience_{settings.number("patience", 86400)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "patience",
             .kind = "duration",
             .default_value = "1 d",
             .meaning = "a job that has waited this long goes first",
             .minimum = 60,
             .maximum = 1e7}};
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    std::vector<JobId> order{cluster.waiting().begin(), cluster.waiting().end()};
    const auto rank = [&](JobId id) {
      const Instant submit = cluster.job(id).submit;
      return std::pair{cluster.now() - submit < patience_, -submit};
    };
    std::ranges::sort(order, {}, rank);
    for (const JobId id : order)
      decisions.start(id);
  }

private:
  Seconds patience_;
};

TY_REGISTER(QueuePolicy, NewestFirst, "newest_first", "the job submitted last goes first");

/// Three jobs that need all 8 GPUs for an hour each, submitted a minute apart.
const std::string three_jobs = tests::queue_head + "workload:\n  jobs:\n"
                                                   "    - {name: a, duration: 1 h, gpus: 8}\n"
                                                   "    - {name: b, duration: 1 h, gpus: 8, submit: 1 min}\n"
                                                   "    - {name: c, duration: 1 h, gpus: 8, submit: 2 min}\n";

std::map<std::string, double> waits(const std::string& policy)
{
  const tests::QueueFolder folder{tests::run_queue(three_jobs + "scheduling: {policy: " + policy + "}\n")};
  const CsvTable jobs = read_csv(folder.path() / "jobs.csv");
  std::map<std::string, double> result;
  for (const CsvTable::Row& row : jobs.rows)
    result[jobs.cell(row, "job")] = std::stod(jobs.cell(row, "queueing_delay_s"));
  return result;
}

TEST(NewPart, AQueuePolicyRunsAndItsSettingIsAKey)
{
  // c starts when a ends, 3600 - 120 s after its submission; b another hour later, 7200 - 60 s.
  EXPECT_EQ(waits("newest_first"), (std::map<std::string, double>{{"a", 0}, {"b", 7140}, {"c", 3480}}));
  // At 3600 s both have waited for more than 30 min; the newer one still comes first among those.
  EXPECT_EQ(waits("{name: newest_first, patience: 30 min}").at("c"), 3480);
  // With 3,500 s only b has (3,540 s; c 3,480 s): b starts at 3,600 s, c at 7,200 s.
  EXPECT_EQ(waits("{name: newest_first, patience: 3500 s}"),
            (std::map<std::string, double>{{"a", 0}, {"b", 3540}, {"c", 7080}}));
  EXPECT_THAT(tests::queue_faults(three_jobs + "scheduling: {policy: {name: newest_first, patience: 1 s}}\n"),
              ::testing::HasSubstr("'patience' is 1 s; it must be at least 1 min"));
}

TEST(NewPart, AQueuePolicyIsInSchemaAndReference)
{
  const auto schema = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  const std::string page = scenario_reference(schema);
  EXPECT_THAT(page, ::testing::HasSubstr("newest_first"));
  EXPECT_THAT(page, ::testing::HasSubstr("a job that has waited this long goes first"));
}

} // namespace
} // namespace trainyard
