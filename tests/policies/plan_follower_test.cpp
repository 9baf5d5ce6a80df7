// SPDX-License-Identifier: Apache-2.0
// heft, clustering, genetic and mixed beside machines that fail, and with jobs that no plan can place.
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace trainyard {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::run_queue;

/// A machine of four V100s and one of four P40s.
const std::string two_types = "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
                              "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4}, m: {gpu: P40, gpus: 4}}\n"
                              "  nodes: [{name: a, type: n, count: 1}, {name: b, type: m, count: 1}]\n"
                              "  network: {topology: star, link: 25GbE}\n";
const std::string planners = "scheduling: {policies: [heft, clustering, genetic, mixed]}\n";

TEST(PlanFollower, PlansAnewWhereOneMachineIsRepairedAsAnotherFails)
{
  // The V100s are down until 10 s, when the P40s go: as many GPUs are up as before. The job runs from 10 to 20 s.
  const RunReport report = run_queue(
      two_types + "workload: {jobs: [{name: j, submit: 2 s, duration: 10 s, gpus: 4, gpu_type: V100-SXM2-16GB}]}\n" +
      "faults: [{fail: \"node:a-0\", at: 1 s, lasts: 9 s}, {fail: \"node:b-0\", at: 10 s, lasts: 50 s}]\n" + planners);
  const json policies = json::parse(report.summary)["policies"];
  EXPECT_EQ(policies.size(), 4U);
  for (const json& policy : policies)
    EXPECT_EQ(policy["waiting_s"]["mean"], 8.0) << policy["policy"];
}

TEST(PlanFollower, SaysThatPlansUseOneTypeOfGpuForAJob)
{
  const RunReport report = run_queue(two_types + "workload: {jobs: [{name: k, duration: 10 s, gpus: 8}]}\n" + planners);
  EXPECT_THAT(report.text,
              AllOf(HasSubstr("the policy plans one type of GPU for a job, and no type has as many as it needs"),
                    Not(HasSubstr("to other jobs"))));
}

TEST(PlanFollower, SaysSoBesideOtherJobsAndNotOfAJobThatWaitsForItsTime)
{
  // Job l waits for k, which has all V100s until 10 s, and is slower on P40s by nothing: it runs there at once. Job o
  // needs 4 GPUs and finds none free before 10 s; then it runs. Job k8 never does.
  const RunReport report = run_queue(two_types + "workload:\n  jobs:\n    - {name: k8, duration: 10 s, gpus: 8}\n"
                                                 "    - {name: k, duration: 10 s, gpus: 4}\n"
                                                 "    - {name: l, duration: 10 s, gpus: 4}\n"
                                                 "    - {name: o, duration: 10 s, gpus: 4}\n"
                                                 "scheduling: {policy: heft}\n");
  EXPECT_THAT(report.text, HasSubstr("job k8, line 10 (8 GPUs): the policy plans one type of GPU"));
  const json policy = json::parse(report.summary)["policies"][0];
  EXPECT_EQ(policy["makespan_s"], 20.0);
  EXPECT_EQ(policy["finished"], 3);
}

} // namespace
} // namespace trainyard
