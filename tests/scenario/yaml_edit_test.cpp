// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/yaml_edit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace trainyard {
namespace {

const std::string sample = R"(# top comment
name: demo   # trailing
cluster:
  node_types:
    worker: {gpu: V100, gpus: 1} # a kind
  nodes:
    # the workers
    - {name: worker, type: worker, count: 4}
    - name: server
      type: server
      count: 1
  network: {topology: star, link: 25GbE}

jobs:
- name: train
  model: "resnet50"
  training:
    mode: all_reduce # how

  workers: 4
run: {}
)";

std::string set(const std::string& path, const std::string& value)
{
  return applied(sample, set_value_edit(sample, path, value));
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
  return text.replace(text.find(from), from.size(), to);
}

TEST(YamlEdit, ReplacesAScalarAndLeavesCommentsAlone)
{
  EXPECT_EQ(set("name", "other"), replaced(sample, "name: demo ", "name: other "));
  EXPECT_EQ(set("cluster.nodes.0.count", "64"), replaced(sample, "count: 4}", "count: 64}"));
  EXPECT_EQ(set("jobs.0.model", "vgg16"), replaced(sample, "\"resnet50\"", "vgg16"));
  EXPECT_EQ(set("jobs.0.training.mode", "parameter_server"), replaced(sample, "all_reduce #", "parameter_server #"));
}

TEST(YamlEdit, AddsAMissingKeyAtTheEndOfItsMap)
{
  EXPECT_EQ(set("cluster.network.latency", "2 us"), replaced(sample, "25GbE}", "25GbE, latency: 2 us}"));
  EXPECT_EQ(set("jobs.0.training.servers", "4"), replaced(sample, "# how\n", "# how\n    servers: 4\n"));
  EXPECT_EQ(set("jobs.0.steps", "9"), replaced(sample, "workers: 4\n", "workers: 4\n  steps: 9\n"));
  EXPECT_EQ(set("run.seed", "3"), replaced(sample, "run: {}", "run: {seed: 3}"));
  EXPECT_EQ(set("faults.list", "[]"), sample.substr(0, sample.size() - 1) + "\nfaults: {list: []}\n");
}

TEST(YamlEdit, ReplacesABlockByAFlowValue)
{
  EXPECT_EQ(set("jobs.0.training", "{mode: x}"),
            replaced(sample, "training:\n    mode: all_reduce # how", "training: {mode: x}"));
}

TEST(YamlEdit, AppendsToBlockAndFlowLists)
{
  EXPECT_EQ(applied(sample, append_item_edit(sample, "cluster.nodes", "{name: c}")),
            replaced(sample, "count: 1\n", "count: 1\n    - {name: c}\n"));
  const std::string flow = "a: [1, 2]\nb: []\nc:\n";
  EXPECT_EQ(applied(flow, append_item_edit(flow, "a", "3")), "a: [1, 2, 3]\nb: []\nc:\n");
  EXPECT_EQ(applied(flow, append_item_edit(flow, "b", "3")), "a: [1, 2]\nb: [3]\nc:\n");
  EXPECT_EQ(applied(flow, append_item_edit(flow, "c", "3")), "a: [1, 2]\nb: []\nc: [3]\n");
}

TEST(YamlEdit, RemovesItemsAndEntries)
{
  EXPECT_EQ(applied(sample, remove_edit(sample, "cluster.nodes.1")),
            replaced(sample, "    - name: server\n      type: server\n      count: 1\n", ""));
  EXPECT_EQ(applied(sample, remove_edit(sample, "cluster.network.topology")), replaced(sample, "topology: star, ", ""));
  EXPECT_EQ(applied(sample, remove_edit(sample, "cluster.network.link")), replaced(sample, ", link: 25GbE", ""));
  EXPECT_EQ(
      applied(sample, remove_edit(sample, "jobs.0")),
      replaced(sample,
               "jobs:\n- name: train\n  model: \"resnet50\"\n  training:\n    mode: all_reduce # how\n\n  workers: 4\n",
               "jobs: []\n"));
  EXPECT_EQ(applied(sample, remove_edit(sample, "jobs.0.name")), replaced(sample, "- name: train\n  model", "- model"));
}

TEST(YamlEdit, RefusesWhatItCannotChangeSafely)
{
  const std::string alias = "a: &x {k: 1}\nb: *x\n";
  EXPECT_THROW(set_value_edit(alias, "b.k", "2"), InputError);
  EXPECT_THROW(set_value_edit(sample, "jobs.7.name", "x"), InputError);
  EXPECT_THROW(set_value_edit(sample, "name.inner", "x"), InputError);
  EXPECT_THROW(remove_edit(sample, "nothing"), InputError);
  EXPECT_THROW(set_value_edit("a: [1\n", "a", "2"), InputError);
}

TEST(YamlEdit, ScalarsAreQuotedWhereNeeded)
{
  EXPECT_EQ(yaml_scalar("25 Gbit/s"), "25 Gbit/s");
  EXPECT_EQ(yaml_scalar("no"), "\"no\"");
  EXPECT_EQ(yaml_scalar("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_scalar(""), "\"\"");
  EXPECT_EQ(yaml_scalar("say \"hi\""), "\"say \\\"hi\\\"\"");
}

/// Any leaf may be set, at random, many times over: all other leaves and all comments stay.
TEST(YamlEdit, RandomEditsKeepCommentsAndMeaning)
{
  std::mt19937 random{7};
  const std::vector<std::string> paths{"name",
                                       "cluster.nodes.0.count",
                                       "cluster.nodes.1.count",
                                       "jobs.0.model",
                                       "jobs.0.training.mode",
                                       "jobs.0.workers",
                                       "cluster.network.link",
                                       "run.seed",
                                       "run.fidelity"};
  std::string text = sample;
  std::map<std::string, std::string> wanted;
  for (int i = 0; i < 300; ++i) {
    const std::string& path = paths[random() % paths.size()];
    const std::string value = "v" + std::to_string(random() % 1000);
    text = applied(text, set_value_edit(text, path, value));
    wanted[path] = value;
  }
  Diagnostics diagnostics;
  const Document document = parse_document(text, "t", diagnostics);
  for (const auto& [path, value] : wanted)
    EXPECT_EQ(find_path(document.root, path)->text, value) << path;
  for (const char* comment : {"# top comment", "# trailing", "# a kind", "# the workers", "# how"})
    EXPECT_THAT(text, ::testing::HasSubstr(comment));
}

} // namespace
} // namespace trainyard
