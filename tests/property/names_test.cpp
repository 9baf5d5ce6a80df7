// SPDX-License-Identifier: Apache-2.0
// A name tells things apart and says nothing else: whatever jobs, machines, teams, services and models are called, all
// figures stay equal to the last digit. Streams of random numbers and ties go by places in the file.
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "sim/report/files.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/checked_points.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard {
namespace {

struct Named {
  const char* title;
  const char* text; // names stand as @a, @b…
  friend void PrintTo(const Named& one, std::ostream* out) { *out << one.title; }
};

/// Rows, and what a sentence lists, may stand in order of their names; that is no figure.
nlohmann::json without_order(const nlohmann::json& value)
{
  if (value.is_string()) {
    std::istringstream text{value.get<std::string>()};
    std::multiset<std::string> words;
    for (std::string word; text >> word;)
      words.insert(word.substr(0, word.find_last_not_of(",;.") + 1));
    return words;
  }
  nlohmann::json copy = value;
  if (value.is_structured())
    for (auto& item : copy)
      item = without_order(item);
  if (copy.is_array() && !copy.empty() && copy.front().is_object())
    std::sort(copy.begin(), copy.end());
  return copy;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// The summary of a run whose names are drawn from @p draw, with the names as they stand in the template.
std::string figures(std::string text, RandomStream draw)
{
  std::map<char, std::string> names;
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    std::string& name = names[text[at + 1]];
    while (name.size() < 7)
      name += "bcdfghjklmnpqrstvwxz"[draw.below(20)];
    text.replace(at, 2, name);
  }
  const std::vector<CheckedPoint> points = tests::checked_points(text, "names.yaml");
  const ScenarioRunner* runner = runner_of(points.front().scenario);
  std::string summary = runner != nullptr ? runner->run(points, {}).summary.dump() : summary_json(simulate(points));
  for (const auto& [letter, name] : names)
    summary = replaced(summary, name, std::string{'@'} + letter);
  return without_order(nlohmann::json::parse(summary)).dump(1);
}

class Names : public testing::TestWithParam<Named>
{
};

TEST_P(Names, ChangeNoFigure)
{
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const std::string text = replaced(GetParam().text, "SEED", std::to_string(seed));
    const std::string expected = figures(text, Random{seed}.stream("first"));
    EXPECT_FALSE(expected.empty());
    for (const char* other : {"second", "third", "fourth"})
      ASSERT_EQ(figures(text, Random{seed}.stream(other)), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Names,
                         testing::Values(Named{"servers_on_machines_of_two_kinds", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 1}, @b: {nic_bandwidth: 1 Gbit/s}, @c: {nic_bandwidth: 25 Gbit/s}}
  nodes: [{name: @d, type: @a, count: 6}, {name: @e, type: @b, count: 1}, {name: @f, type: @c, count: 1}]
  network: {link: 10GbE}
jobs: [{name: @g, model: resnet50, workers: 6, training: {mode: parameter_server, servers: 1, update_rule: async}}]
run: {seed: SEED}
)"},
                                         Named{"a_sampled_server_job", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 1}, @b: {}}
  nodes: [{name: @c, type: @a, count: 8}, {name: @d, type: @b, count: 2}]
  network: {link: 10GbE}
jobs: [{name: @e, model: resnet50, workers: 8, training: {mode: parameter_server, servers: 2, pull_order: random}}]
run: {seed: SEED}
)"},
                                         Named{"jitter_and_spread_on_two_kinds_of_gpu_without_a_link", R"(
cluster:
  node_types: {@a: {gpu: A100-SXM4-80GB, gpus: 2}, @b: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: @c, type: @a, count: 1}, {name: @d, type: @b, count: 1}]
jobs:
  - {name: @e, model: vgg16, workers: 4, jitter: {distribution: gamma, coefficient_of_variation: 0.2}, training: {mode: all_reduce}}
  - {name: @f, model: resnet50, workers: 2, training: {mode: parameter_server, servers: 1, update_rule: bounded}}
run: {seed: SEED}
)"},
                                         Named{"jobs_that_meet", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 2}}
  nodes: [{name: @b, type: @a, count: 4}]
  network: {topology: leaf_spine, link: 10GbE, leaf_ports: 2, oversubscription: 2}
jobs:
  - {name: @c, model: vgg16, workers: 3, steps: 60, copies: 2, training: {mode: all_reduce}}
  - {name: @d, model: resnet50, workers: 2, steps: 50, arrival: 3 s, training: {mode: parameter_server, servers: 1, update_rule: async}}
run: {seed: SEED, fidelity: fluid}
)"},
                                         Named{"a_sweep_along_a_path_with_names", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 2, nic_bandwidth: 10 Gbit/s}}
  nodes: [{name: @b, type: @a, count: 2}]
  network: {link: 10GbE}
jobs: [{name: @c, model: vgg16, workers: 4, training: {mode: all_reduce}}]
run: {seed: SEED, fidelity: closed_form}
sweep:
  latin_hypercube: {points: 4, over: {cluster.node_types.@a.nic_bandwidth: 1..20 Gbit/s, jobs.0.batch_per_gpu: 8..64}}
)"},
                                         Named{"a_training_with_failures", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4}, @b: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 8}}
  nodes: [{name: @c, type: @a, count: 2}, {name: @d, type: @b, count: 2}]
  network: {link: 10GbE}
jobs: [{name: @e, model: resnet50, workers: 16, steps: 100000, training: {mode: all_reduce}}]
checkpoints: {interval: 10 min, save: 20 s}
faults: {random: [{kind: node, mtbf: 30 h, mttr: 1 h}, {kind: gpu, mtbf: 100 h, mttr: 1 h, group: @c}]}
run: {seed: SEED}
)"},
                                         Named{"a_queue_with_teams_and_failures", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4}, @b: {gpu: P100-SXM2, gpus: 4}}
  nodes: [{name: @c, type: @a, count: 2}, {name: @d, type: @b, count: 2, per_rack: 1}]
  network: {link: 10GbE}
workload:
  jobs:
    - {name: @e, gpus: 4, duration: 2 h, copies: 6, team: @f, user: @g, submit: 20 min}
    - {name: @h, gpus: 2, duration: 3 h, copies: 8, team: @i, user: @j, submit: 15 min}
    - {name: @k, gpus: 8, duration: 1 h, copies: 4, team: @l, user: @g, submit: 30 min}
scheduling:
  policies: [fifo, fair_share, {name: drf, quotas: "@f=6 @i=4 @l=6"}, easy_backfill]
  placement: best_fit
  checkpoint_interval: 10 min
faults: {random: [{kind: node, mtbf: 40 h, mttr: 1 h}]}
run: {seed: SEED}
)"},
                                         Named{"a_queue_by_steps_with_models_by_chance", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: @b, type: @a, count: 4}]
  network: {link: 10GbE}
jobs:
  - {name: @c, model: vgg16, workers: 4, training: {mode: all_reduce}}
  - {name: @d, model: resnet50, workers: 4, training: {mode: parameter_server, servers: 1, update_rule: async}}
workload:
  generate: {jobs: 40, mean_interarrival: 3 min, median_duration: 20 min, users: 3, teams: 2, gpus: {1: 0.3, 4: 0.5, 6: 0.2}}
  models: {@c: 0.6, @d: 0.4}
scheduling: {policies: [sjf], placement: pack, speed: step}
run: {seed: SEED}
)"},
                                         Named{"cohorts_of_kueue", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4}, @b: {gpu: P100-SXM2, gpus: 4}}
  nodes: [{name: @c, type: @a, count: 2}, {name: @d, type: @b, count: 2}]
  network: {link: 10GbE}
workload:
  jobs:
    - {name: @e, gpus: 4, duration: 2 h, copies: 6, team: @f, submit: 20 min}
    - {name: @g, gpus: 2, duration: 3 h, copies: 8, team: @h, submit: 15 min}
kueue:
  flavors: [{name: @i, gpu: V100-SXM2-16GB}, {name: @j, nodes: [@d]}]
  cohorts: [{name: @k}]
  cluster_queues:
    - {name: @f, cohort: @k, quotas: [{flavor: @i, nominal_quota: 4}, {flavor: @j, nominal_quota: 2}], reclaim_within_cohort: Any}
    - {name: @h, cohort: @k, quotas: [{flavor: @j, nominal_quota: 6}, {flavor: @i, nominal_quota: 2}]}
scheduling: {policies: [kueue], placement: best_fit}
run: {seed: SEED}
)"},
                                         Named{"services_with_failures", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16, memory: 64 GB}, @b: {gpu: P100-SXM2, gpus: 2, cpu_cores: 16, memory: 64 GB}}
  nodes: [{name: @c, type: @a, count: 2}, {name: @d, type: @b, count: 2}]
  network: {link: 10GbE}
orchestrator: kubernetes
services:
  - {name: @e, replicas: 3, restart: always, image: {name: @i, size: 2 GB}, resources: {cpu: 2, memory: 4 GB}}
  - {name: @f, kind: training, coupling: independent, replicas: 4, resources: {gpus: 1, cpu: 2}, work: 5 h, checkpoint: {interval: 10 min, save: 5 s, load: 5 s}}
  - {name: @g, kind: training, work: 4 h, tasks: [{role: ps, replicas: 1, resources: {cpu: 4}}, {role: worker, replicas: 3, resources: {gpus: 1}}]}
  - {name: @h, kind: training, replicas: 2, resources: {gpus: 1}, work: 3 h, constraints: [node != @d-0]}
faults: {random: [{kind: node, mtbf: 10 h, mttr: 10 min}, {kind: process, mtbf: 20 h}]}
run: {seed: SEED, until: 12 h}
)"},
                                         Named{"retraining", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4}}
  nodes: [{name: @b, type: @a, count: 2}]
  network: {link: 10GbE}
jobs: [{name: @c, model: resnet50, workers: 4, steps: 20000, training: {mode: parameter_server, servers: 1, update_rule: async}}]
task_environment:
  models:
    - {name: @d, train_time: 90 min, gpus: 4, period: 3 h, data: 20 GB, parts: 4, variation: 0.5, priority: 2}
    - {name: @e, train_time: 40 min, gpus: 2, copies: 2, trigger: drift, period: 2 h, data: 5 GB, variation: 1}
    - {name: @f, job: @c, period: 4 h, data: 20 GB, variation: 0.3}
  planner: genetic
  upload: {bandwidth: 400 Mbit/s, corruption: 10 %}
  messages: {loss: 30 %, latency: 200 ms, tries: 2, retry_after: 5 s}
  status: {by: polling, period: 1 min}
  mean_time_to_failure: 30 h
run: {seed: SEED, until: 3 d}
)"},
                                         Named{"a_queue_services_and_retraining", R"(
cluster:
  node_types: {@a: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16, memory: 64 GB}}
  nodes: [{name: @b, type: @a, count: 2}, {name: @c, type: @a, count: 2}]
  network: {link: 10GbE}
orchestrator: kubernetes
services: [{name: @d, kind: training, replicas: 2, resources: {gpus: 1}, work: 6 h}]
workload: {jobs: [{name: @e, gpus: 2, duration: 2 h, copies: 10, submit: 30 min, team: @h}]}
scheduling: {policies: [fifo], placement: best_fit}
task_environment:
  models: [{name: @f, train_time: 90 min, gpus: 4, period: 3 h, data: 20 GB, variation: 0.5}, {name: @g, train_time: 1 h, gpus: 2, period: 2 h, data: 20 GB, variation: 0.5}]
faults: {random: [{kind: node, mtbf: 30 h, mttr: 1 h}]}
run: {seed: SEED, until: 24 h}
)"}),
                         [](const testing::TestParamInfo<Named>& of) { return std::string{of.param.title}; });

} // namespace
} // namespace trainyard
