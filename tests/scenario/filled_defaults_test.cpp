// SPDX-License-Identifier: Apache-2.0
/// What the reader filled in for jobs that say the same is kept once, and told of each.
#include "models/core/data_folder.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/run/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

Scenario read_jobs(const std::string& jobs, Diagnostics& diagnostics)
{
  const Document document = parse_document("cluster:\n  node_types: {m: {gpu: V100-SXM2-16GB, gpus: 8}}\n"
                                           "  nodes: [{name: m, type: m, count: 2}]\n  network: {topology: star}\n"
                                           "jobs:\n" +
                                               jobs,
                                           "jobs.yaml", diagnostics);
  return read_scenario(document, registered_parts(), load_catalogue(data_folder()), diagnostics);
}

TEST(FilledDefaults, AreTheSameOfAJobAloneAndOfOneAfterOthers)
{
  const std::string ring = "training: {mode: all_reduce, collective: ring}}\n";
  const std::string servers = "training: {mode: parameter_server, servers: 2}}\n";
  const std::string later = "training: {mode: parameter_server, servers: 2, update_rule: async}}\n";
  std::string all;
  int number = 0;
  using Notes = std::vector<std::string>; // in their order; the path is that within the job
  std::vector<Notes> alone;
  const auto told_of = [](const Scenario& scenario, const std::string& job) {
    Notes told;
    scenario.defaults.each([&](const FilledDefault& filled) {
      if (filled.path.starts_with(job + "."))
        told.push_back(filled.path.substr(job.size()) + " = " + filled.value + " from " + filled.source);
    });
    return told;
  };
  for (const std::string& training : {ring, servers, ring, later, servers}) {
    Diagnostics diagnostics;
    const std::string job = "  - {name: j" + std::to_string(number++) + ", model: resnet50, workers: 2, " + training;
    alone.push_back(told_of(read_jobs(job, diagnostics), "jobs.0"));
    EXPECT_GT(alone.back().size(), 10U);
    diagnostics.throw_if_errors();
    all += job;
  }
  Diagnostics diagnostics;
  const Scenario scenario = read_jobs(all, diagnostics);
  diagnostics.throw_if_errors();
  for (std::size_t j = 0; j < alone.size(); ++j)
    EXPECT_EQ(told_of(scenario, "jobs." + std::to_string(j)), alone[j]) << j;
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_NE(alone[1], alone[3]); // it says update_rule
  ASSERT_NE(scenario.defaults.find("jobs.4.training.transport"), nullptr);
  EXPECT_EQ(scenario.defaults.find("jobs.3.training.update_rule"), nullptr);
  EXPECT_EQ(scenario.jobs[4].training.settings, scenario.jobs[1].training.settings);
}

TEST(FilledDefaults, AJobWithATextInQuotesIsNotTakenForTheOneBeforeWithTheNumber)
{
  Diagnostics diagnostics;
  read_jobs("  - {name: a, model: resnet50, workers: 2, training: {mode: all_reduce, channels: 2}}\n"
            "  - {name: b, model: resnet50, workers: 2, training: {mode: all_reduce, channels: \"2\"}}\n",
            diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_THAT(format(diagnostics.sorted().front()), HasSubstr("jobs.yaml:7:"));
}

TEST(FilledDefaults, AJobWithoutTrainingFollowsOneWithAnEmptyMap)
{
  Diagnostics diagnostics;
  const Scenario scenario = read_jobs("  - {name: a, model: resnet50, workers: 2, training: {}}\n"
                                      "  - {name: b, model: resnet50, workers: 2}\n",
                                      diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  ASSERT_EQ(scenario.jobs.size(), 2U);
  EXPECT_EQ(scenario.jobs[0].training.settings, scenario.jobs[1].training.settings);
}

TEST(FilledDefaults, EachJobWithAKeyThatHasNoEffectIsWarnedOf)
{
  Diagnostics diagnostics;
  const std::string job = ", model: resnet50, workers: 2, training: {mode: all_reduce, servers: 2}}\n";
  read_jobs("  - {name: a" + job + "  - {name: b" + job, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  int warned = 0;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    warned += format(diagnostic).find("'servers' has no effect with mode all_reduce") != std::string::npos ? 1 : 0;
  EXPECT_EQ(warned, 2);
}

/// The second job says what the first one does, but for the keys that each job has of its own; the third is the first.
TEST(FilledDefaults, AJobLikeOneBeforeKeepsItsNameArrivalStepsAndNodes)
{
  const std::string like = ", model: {name: one_tensor, elements: 5000}, workers: 2, batch_per_gpu: 3, jitter: "
                           "{distribution: gamma, coefficient_of_variation: 0.2}";
  Diagnostics diagnostics;
  const Scenario scenario =
      read_jobs("  - {name: a, arrival: 5 s, steps: 7, nodes: [m-1]" + like + "}\n  - {steps: 9, nodes: [m-0, m-1]" +
                    like + "}\n  - {name: c" + like + "}\n  - {name: d, arrival: 1 s" + like + ", priority: 2}\n",
                diagnostics);
  diagnostics.throw_if_errors();
  ASSERT_EQ(scenario.jobs.size(), 4U);
  const auto own = [&](std::size_t j) {
    const JobSpec& job = scenario.jobs[j];
    return std::tuple{job.name, job.path, job.arrival.value(), job.steps, job.nodes};
  };
  const double steps = JobSpec{}.steps;
  using Nodes = std::vector<std::string>;
  EXPECT_EQ(own(0), (std::tuple{"a", "jobs.0", 5.0, 7.0, Nodes{"m-1"}}));
  EXPECT_EQ(own(1), (std::tuple{"job-1", "jobs.1", 0.0, 9.0, Nodes{"m-0", "m-1"}}));
  EXPECT_EQ(own(2), (std::tuple{"c", "jobs.2", 0.0, steps, Nodes{}}));
  EXPECT_EQ(own(3), (std::tuple{"d", "jobs.3", 1.0, steps, Nodes{}}));
  for (const JobSpec& job : scenario.jobs) {
    EXPECT_EQ(job.model, "one_tensor");
    EXPECT_EQ(job.model_elements, 5000);
    EXPECT_EQ(job.batch_per_gpu, 3);
    EXPECT_EQ(job.jitter.distribution, "gamma");
    EXPECT_EQ(job.priority, job.name == "d" ? 2 : 0);
    ASSERT_NE(scenario.defaults.find(job.path + ".precision"), nullptr);
    EXPECT_EQ(scenario.defaults.find(job.path + ".batch_per_gpu"), nullptr);
  }
}

TEST(FilledDefaults, FaultsOfAJobLikeOneBeforeAreTold)
{
  Diagnostics diagnostics;
  read_jobs("  - {name: a, model: resnet50, workers: 2}\n"
            "  - {name: b, model: resnet50, workers: 2, steps: 0}\n"
            "  - {name: c, model: resnet50, workers: 2, arrival: soon}\n"
            "  - {name: a, model: resnet50, workers: 2}\n"
            "  - {name: d, model: resnet50, workers: \"2\"}\n"
            "  - {name: e, model: resnet50, workers: 2, stops: 3}\n"
            "  - {name: f, model: resnet50, workers: 2, stops: 3}\n",
            diagnostics);
  std::vector<int> lines;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    lines.push_back(diagnostic.where.line);
  EXPECT_EQ(lines, (std::vector<int>{7, 8, 9, 10, 11, 12}));
}

} // namespace
} // namespace trainyard
