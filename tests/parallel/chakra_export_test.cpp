// SPDX-License-Identifier: Apache-2.0
/// Divided jobs as execution traces: counted by hand, and read back.
#include "models/import/chakra_replay.hpp"
#include "sim/export/exporter.hpp"
#include "sim/export/rank_trace.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "tests/import/import_support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using testing::HasSubstr;

Scenario scenario_of(const std::string& model, const std::string& layout, int machines, int gpus)
{
  const std::string text =
      fmt::format("trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{n: {{gpu: H100-SXM5, gpus: "
                  "{}}}}}\n  nodes: [{{name: n, type: n, count: {}}}]\n  network: {{topology: rail, link: IB-NDR}}\n"
                  "jobs:\n  - {{name: a, model: {}, precision: bf16, training: {{parallel: {{{}}}}}}}\n"
                  "run: {{fidelity: closed_form}}\n",
                  gpus, machines, model, layout);
  Diagnostics diagnostics;
  const Document document = parse_document(text, "d.yaml", diagnostics);
  diagnostics.throw_if_errors();
  auto points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return points.front().scenario;
}

ParallelJob job_of(const Scenario& scenario)
{
  Diagnostics diagnostics;
  ParallelJob job = parallel_job(scenario, scenario.jobs.front(), tests::catalogue(), diagnostics);
  diagnostics.throw_if_errors();
  return job;
}

std::map<std::string, std::string> exported(const Scenario& scenario, const std::string& format)
{
  const ExportText made = Registry<Exporter>::instance().create(format)->write({&scenario, tests::catalogue(), {}, {}});
  std::map<std::string, std::string> files;
  for (const ExportFile& file : made.files)
    files[file.name] = file.text();
  return files;
}

ImportResult imported(const std::map<std::string, std::string>& files)
{
  std::vector<std::pair<std::string, std::string>> traces;
  for (const auto& [name, text] : files)
    if (name.ends_with(".et"))
      traces.emplace_back(name, text);
  return tests::import_texts(traces, {.gpu = "H100-SXM5"});
}

bool without_protobuf(const ImportResult& result)
{
  return tests::check_errors(result).find("built without libprotobuf-dev") != std::string::npos;
}

constexpr const char* small_model =
    "{name: transformer, layers: 4, hidden: 1024, heads: 16, sequence_length: 512, vocabulary: 32000}";

TEST(ChakraExport, NodesAndBytesOfTwoTimesTwoTimesTwoAreThoseCountedByHand)
{
  // 8 ranks, 4 micro-batches, 2 layers of each stage, all-reduces (no sequence parallelism, no ZeRO).
  //
  // Forward pass: each layer computes, adds up, computes, adds up: 4 nodes; and the embedding (stage 0) or the input of
  // the projection (stage 1) is added up once: 2 x 4 + 1 = 9. Backward pass: each layer computes, adds up beside a node
  // of computing, and that once more: 2 x 6 = 12. One message comes and one goes: 2. After the last backward pass of
  // each layer its gradients: 2. Then the optimiser: 1. 4 x (9 + 12 + 2) + 2 + 1 = 95 nodes a rank.
  const Scenario scenario =
      scenario_of(small_model, "tp: 2, pp: 2, dp: 2, micro_batch: 1, global_batch: 8, zero: 0", 1, 8);
  const ParallelJob job = job_of(scenario);
  const double activation = 512 * 1024 * 2; // B: tokens x width in 16 bit
  for (const int stage : {0, 1}) {
    int compute = 0, tensor = 0, data = 0, sent = 0, received = 0, ends = 0;
    double tensor_bytes = 0, data_bytes = 0, message_bytes = 0;
    for (const TraceNode& node : rank_trace(job, stage)) {
      compute += node.kind == TraceNode::Kind::compute ? 1 : 0;
      sent += node.kind == TraceNode::Kind::send ? 1 : 0;
      received += node.kind == TraceNode::Kind::receive ? 1 : 0;
      if (node.kind == TraceNode::Kind::send)
        message_bytes += node.bytes.value();
      if (node.kind != TraceNode::Kind::collective)
        continue;
      EXPECT_EQ(node.collective, TraceCollective::all_reduce);
      (node.group == TraceGroup::tensor ? tensor : node.group == TraceGroup::data ? data : ends) += 1;
      (node.group == TraceGroup::tensor ? tensor_bytes : data_bytes) +=
          node.group == TraceGroup::ends ? 0 : node.bytes.value();
    }
    EXPECT_EQ(sent, 4);
    EXPECT_EQ(received, 4);
    EXPECT_EQ(tensor, 4 * (2 * 2 + 1 + 2 * 2));
    EXPECT_EQ(data, 2);
    EXPECT_EQ(ends, job.transformer.tied ? 1 : 0);
    EXPECT_EQ(compute, 4 * (2 * 2 + 2 * 4) + 1);
    EXPECT_DOUBLE_EQ(tensor_bytes, 36 * activation);
    EXPECT_DOUBLE_EQ(message_bytes, 4 * activation);
    EXPECT_NEAR(data_bytes, 4 * rank_parameters(job.layout, job.transformer, stage).all(), 1); // gradients in fp32
  }
}

TEST(ChakraExport, RanksLieInTheOrderOfTheLayoutAndGroupsNameThem)
{
  ParallelLayout layout;
  layout.tp = 2;
  layout.pp = 2;
  layout.dp = 2;
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::tensor), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::data), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::ends), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::context), Groups{});
  // dp 2 x cp 4: neighbours share a sequence; experts on two neighbours, each held four times
  layout = {};
  layout.dp = 2;
  layout.cp = 4;
  layout.ep = 2;
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::context), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::expert), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::expert_copies), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(ChakraExport, AstraSimGetsTheGroupsAndTheCluster)
{
  const auto files =
      exported(scenario_of(small_model, "tp: 2, pp: 2, dp: 2, micro_batch: 1, global_batch: 8", 2, 4), "astra-sim");
  EXPECT_EQ(files.size(), 8 + 4U);
  EXPECT_THAT(files.at("comm_group.json"), HasSubstr("\"1\": [0, 1]"));
  EXPECT_THAT(files.at("network.yml"), HasSubstr("topology: [ Switch, Switch ]\nnpus_count: [ 4, 2 ]\n"));
  EXPECT_THAT(files.at("system.json"), HasSubstr("\"all-reduce-implementation\": [\n    \"ring\",\n    \"ring\"\n  ]"));
  // our own reader of ASTRA-sim's networks finds the rates again, in GiB/s
  const ParallelJob job =
      job_of(scenario_of(small_model, "tp: 2, pp: 2, dp: 2, micro_batch: 1, global_batch: 8", 2, 4));
  const ImportResult network = tests::import_texts({{"network.yml", files.at("network.yml")}});
  EXPECT_NE(tests::find_entry(network.report.understood(), fmt::format("dimension 1: Switch of 4 NPUs, {:.4f} GiB/s",
                                                                       job.network.inside.value() / (1U << 30U))),
            nullptr);
}

TEST(ChakraExport, SaysWhatItNeedsAndWhatItCannotDo)
{
  const auto message = [](const std::string& layout, const std::string& model = small_model) {
    try {
      static_cast<void>(exported(scenario_of(model, layout, 1, 8), "chakra"));
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"no error"};
  };
  EXPECT_THAT(message("tp: 1, pp: 2, dp: 4, schedule: dualpipe, micro_batch: 1, global_batch: 16"),
              HasSubstr("stages that two ranks hold ('dualpipe') are not exported yet: take another schedule"));
}

struct RoundTrip {
  const char* name;
  const char* model;
  const char* layout;
  int machines;
  double near = 0.01;

  friend std::ostream& operator<<(std::ostream& out, const RoundTrip& c) { return out << c.name; }
};

class ChakraRoundTrip : public testing::TestWithParam<RoundTrip>
{
};

TEST_P(ChakraRoundTrip, TracesThatAreReadBackTakeTheSameStep)
{
  const RoundTrip& c = GetParam();
  const Scenario scenario = scenario_of(c.model, c.layout, c.machines, 8);
  const ParallelStep step = parallel_step(job_of(scenario));
  const ImportResult result = imported(exported(scenario, "chakra"));
  if (without_protobuf(result))
    GTEST_SKIP() << "part chakra: built without libprotobuf-dev";
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(tests::check_errors(result), "");
  EXPECT_NE(tests::find_entry(result.report.understood(), "by their durations and dependencies"), nullptr);
  EXPECT_NEAR(std::stod(result.draft.jobs[0].single_gpu_step) / step.step.value(), 1, c.near) << step.step.value();
}

// With virtual stages gradients of a chunk travel as soon as it is done, where the closed form counts one stretch.
INSTANTIATE_TEST_SUITE_P(
    Layouts, ChakraRoundTrip,
    testing::Values(
        RoundTrip{"tp2_pp2_dp2", small_model, "tp: 2, pp: 2, dp: 2, micro_batch: 1, global_batch: 8", 1},
        RoundTrip{"sequence_parallel_zero1", "llama2_7b",
                  "tp: 4, pp: 2, dp: 2, sequence_parallel: true, zero: 1, micro_batch: 1, global_batch: 16", 2},
        RoundTrip{"overlap_all", "llama2_7b",
                  "tp: 8, pp: 2, dp: 2, sequence_parallel: true, zero: 1, micro_batch: 1, global_batch: 16, "
                  "overlap_tensor: all, recomputation: full",
                  4},
        RoundTrip{"zero3", "llama2_7b", "tp: 1, dp: 16, zero: 3, micro_batch: 1, global_batch: 32", 2},
        RoundTrip{"virtual_stages", "llama2_7b",
                  "tp: 4, pp: 2, vp: 4, dp: 2, sequence_parallel: true, zero: 1, micro_batch: 1, global_batch: 16", 2,
                  0.05},
        RoundTrip{"zbv", "llama2_7b",
                  "tp: 4, pp: 2, vp: 2, dp: 2, schedule: zbv, micro_batch: 1, global_batch: 16, zero: 1", 2, 0.05},
        RoundTrip{"context", "llama2_7b", "tp: 2, cp: 2, pp: 2, dp: 2, zero: 1, micro_batch: 1, global_batch: 16", 2},
        RoundTrip{"experts", "mixtral_8x7b", "tp: 2, pp: 4, dp: 4, ep: 4, zero: 1, micro_batch: 1, global_batch: 32",
                  4}),
    [](const auto& param) { return std::string{param.param.name}; });

} // namespace
} // namespace trainyard
