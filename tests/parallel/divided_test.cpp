// SPDX-License-Identifier: Apache-2.0
/// Divided transformers on the links of a cluster: against cases worked by hand, and against the closed form where
/// nobody else is on the way.
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/sources/parallel/parallel_row.hpp"
#include "sim/step/training/divided.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

const Catalogue& catalogue()
{
  static const Catalogue hardware = load_catalogue(data_folder());
  return hardware;
}

std::string scenario_text(int machines, int gpus, const std::string& network, const std::string& jobs,
                          const std::string& fidelity = "fluid", int nics = 0)
{
  return fmt::format(
      "trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{n: {{gpu: H100-SXM5, gpus: "
      "{}{}}}}}\n  nodes: [{{name: n, type: n, count: {}}}]\n  network: {{{}}}\njobs:\n{}run: {{fidelity: "
      "{}}}\n",
      gpus, nics > 0 ? fmt::format(", nics: {}", nics) : "", machines, network, jobs, fidelity);
}

std::string job_text(const std::string& model, const std::string& layout, const std::string& name = "a")
{
  return fmt::format("  - {{name: {}, model: {}, precision: bf16, training: {{parallel: {{{}}}}}}}\n", name, model,
                     layout);
}

Scenario scenario_of(const std::string& text)
{
  return tests::checked_points(text, "d.yaml").front().scenario;
}

ParallelStep on_links(const std::string& text)
{
  return steps_on_links(scenario_of(text), catalogue()).front();
}

ParallelStep by_formula(const std::string& text)
{
  const Scenario scenario = scenario_of(text);
  Diagnostics diagnostics;
  const ParallelJob job = parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics);
  diagnostics.throw_if_errors();
  return parallel_step(job);
}

double parts_of(const ParallelStep& s)
{
  return (s.compute + s.host + s.tensor + s.context + s.expert + s.data + s.bubble + s.pipeline + s.optimizer).value();
}

TEST(DividedSteps, TwoStagesAndOneMicroBatchSendTwoMessages)
{
  // Activations of 1024 tokens x 768 x 2 B = 1,572,864 B go over the one link, and as many gradients come back: from
  // 100 to 10 Gbit/s the step grows by 2 x 1,572,864 B x (1/1.25e9 - 1/12.5e9) s/B = 2.265 ms, divided by the share of
  // a link that data reach at the library's rate for long messages: equal for both links of one kind. No bubble hides
  // any of it, as there is one micro-batch.
  const std::string job = job_text("gpt2_small", "pp: 2, micro_batch: 1, global_batch: 1");
  const auto text = [&](const char* link) {
    return scenario_text(2, 1, fmt::format("topology: star, link: {}", link), job);
  };
  const Scenario fast = scenario_of(text("100GbE")), slow = scenario_of(text("10GbE"));
  Diagnostics diagnostics;
  const auto rate = [&](const Scenario& scenario) {
    return parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics).network.between.value();
  };
  EXPECT_NEAR(rate(fast) / rate(slow), 10, 1e-9);
  EXPECT_LE(rate(slow), 1.25e9);
  EXPECT_GE(rate(slow), 0.8 * 1.25e9);
  const double grows = 2 * 1572864 * (1 / rate(slow) - 1 / rate(fast));
  const Seconds quick = on_links(text("100GbE")).step, long_way = on_links(text("10GbE")).step;
  // The tied embedding (50,257 words, padded by nobody) is added up between both stages: 4 B x V x h each way.
  const double embedding = 4.0 * 50257 * 768 * (1 / rate(slow) - 1 / rate(fast));
  EXPECT_NEAR((long_way - quick).value(), grows + embedding, 0.02 * (grows + embedding));
}

struct AgreementCase {
  const char* name;
  const char* model;
  int machines;
  const char* layout;
  double near = 0.03;  // share of the step
  double parts = 0.01; // share of the step without the exchange between replicas
  int nics = 1;        // of a machine, on slow cards

  friend std::ostream& operator<<(std::ostream& out, const AgreementCase& c) { return out << c.name; }
};

class DividedAgreement : public testing::TestWithParam<AgreementCase>
{
};

TEST_P(DividedAgreement, LinksWithoutOtherTrafficTakeTheTimeOfTheClosedForm)
{
  // One switch per rail joins all machines: nothing meets. What may differ: gradients of a chunk travel as soon as it
  // is done, where the closed form counts one stretch for the whole rank. Those gradients hold multiprocessors and so
  // slow the last backward pass of every stage, one after the other, up to 16/116 of it; the closed form sees the first
  // stage's only.
  const AgreementCase& c = GetParam();
  const std::string text =
      scenario_text(c.machines, 8, "topology: rail, link: IB-NDR, unit: 64", job_text(c.model, c.layout));
  const ParallelStep formula = by_formula(text), links = on_links(text);
  EXPECT_NEAR(links.step / formula.step, 1, c.near);
  EXPECT_NEAR((links.step - links.data) / (formula.step - formula.data), 1, c.parts);
  EXPECT_NEAR(parts_of(links), links.step.value(), 1e-6 * links.step.value());
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, DividedAgreement,
    testing::Values(
        AgreementCase{"Stages", "megatron_22b", 4, "tp: 8, pp: 4, dp: 1, global_batch: 8"},
        AgreementCase{"StagesAndReplicas", "megatron_22b", 8, "tp: 8, pp: 4, dp: 2, zero: 1, global_batch: 16", 0.04,
                      0.05},
        AgreementCase{"VirtualStages", "megatron_22b", 8,
                      "tp: 8, pp: 4, vp: 3, dp: 2, sequence_parallel: true, zero: 1, global_batch: 32", 0.05, 0.02},
        AgreementCase{"ZeroBubble", "megatron_22b", 4, "tp: 8, pp: 4, schedule: zb_h1, global_batch: 16"},
        AgreementCase{"ReplicasInAndAcrossMachines", "gpt2_small", 4, "tp: 2, dp: 16, global_batch: 64"},
        AgreementCase{"FullySharded", "llama2_7b", 4, "dp: 32, zero: 3, micro_batch: 1, global_batch: 64", 0.002,
                      0.005},
        AgreementCase{"HybridShards", "llama2_7b", 4,
                      "dp: 32, zero: 3, shard_within: 8, micro_batch: 1, global_batch: 64", 0.002, 0.005},
        AgreementCase{"ContextAcrossMachines", "llama3_8b", 4,
                      "tp: 8, cp: 4, sequence_parallel: true, zero: 1, global_batch: 4", 0.03, 0.1},
        AgreementCase{"ExpertsAcrossMachines", "mixtral_8x7b", 8,
                      "tp: 4, pp: 2, dp: 8, ep: 8, sequence_parallel: true, zero: 1, global_batch: 32"},
        AgreementCase{"TensorAcrossMachines", "megatron_22b", 4,
                      "tp: 16, pp: 2, sequence_parallel: true, global_batch: 8", 0.03, 0.025},
        AgreementCase{
            "StagesOfAnEmbeddingAlone",
            "{name: transformer, layers: 6, hidden: 4096, heads: 32, vocabulary: 32000, sequence_length: 4096}", 4,
            "tp: 8, pp: 4, vp: 2, sequence_parallel: true, global_batch: 8"},
        // 3.35 % apart in the whole step (1.5 % while an exchange of the tied embedding, which does not take place, hid
        // a part of it); without gradients 2.52 %, since the forms count other parts of them as exposed.
        AgreementCase{"UnequalStagesBothWays",
                      "{name: transformer, layers: 15, hidden: 4096, heads: 32, vocabulary: 32000, experts: "
                      "128, active_experts: 8, ffn: 1536, sequence_length: 4096, gated: true, biases: false, "
                      "learnt_positions: false}",
                      8,
                      "pp: 4, dp: 16, ep: 16, zero: 1, global_batch: 128, schedule: dualpipe, "
                      "overlap_gradients: false, layers_per_stage: [1, 5, 5, 4]",
                      0.035, 0.026}),
    [](const auto& test) { return test.param.name; });

/// Machines of eight GPUs with cards of 100 Gbit/s: whatever leaves a machine meets there.
class DividedOnSlowCards : public testing::TestWithParam<AgreementCase>
{
};

TEST_P(DividedOnSlowCards, MessagesOfOneJobShareThemInBothForms)
{
  const AgreementCase& c = GetParam();
  const std::string text =
      scenario_text(c.machines, 8, "topology: rail, link: 100GbE", job_text(c.model, c.layout), "fluid", c.nics);
  EXPECT_NEAR(on_links(text).step / by_formula(text).step, 1, 0.05);
}

constexpr const char* narrow_gpt = "{name: transformer, layers: 16, hidden: 2048, heads: 16, ffn: 8192, vocabulary: "
                                   "50304, sequence_length: 2048}";

INSTANTIATE_TEST_SUITE_P(
    Layouts, DividedOnSlowCards,
    testing::Values(
        AgreementCase{"GradientsBesideTensorParallelMessages", "llama3_8b", 4,
                      "tp: 16, dp: 2, zero: 2, micro_batch: 1, global_batch: 4, sequence_parallel: true"},
        AgreementCase{"GradientsOnceAStepBesideThem", "llama3_8b", 4,
                      "tp: 16, dp: 2, micro_batch: 1, global_batch: 4, sequence_parallel: true"},
        AgreementCase{"MessagesOfStagesQueue", narrow_gpt, 8,
                      "tp: 2, pp: 8, dp: 4, micro_batch: 1, global_batch: 64, schedule: gpipe"},
        AgreementCase{"BothWaysOfVirtualStages", narrow_gpt, 2,
                      "tp: 4, pp: 2, vp: 4, dp: 2, zero: 1, micro_batch: 2, global_batch: 16, sequence_parallel: true"},
        AgreementCase{
            "GradientsAfterAllPasses", narrow_gpt, 4,
            "tp: 2, pp: 4, vp: 2, dp: 4, zero: 1, micro_batch: 1, global_batch: 32, overlap_gradients: false"},
        AgreementCase{"GradientsOfBothWays", narrow_gpt, 4,
                      "tp: 8, pp: 2, dp: 2, zero: 1, micro_batch: 2, global_batch: 16, schedule: dualpipe", 0, 0, 8},
        // Both directions' ends lie on the first and the last rank, whose one matrix needs no exchange of its own.
        AgreementCase{"GradientsOfBothWaysOfAnEmbeddingAlone", "gpt2_small", 8,
                      "pp: 4, dp: 16, micro_batch: 1, global_batch: 256, schedule: dualpipe, layers_per_stage: [0, 6, "
                      "6, 0]",
                      0, 0, 1},
        AgreementCase{"GradientsOfAnEmbeddingAlone", "gpt2_small", 6,
                      "pp: 3, dp: 16, micro_batch: 1, global_batch: 64, layers_per_stage: [0, 12, 0]"}),
    [](const auto& test) { return test.param.name; });

TEST(DividedSteps, RanksWithoutLayersExchangeTheirEmbedding)
{
  const auto chunks = [](const std::string& layout) {
    const Scenario scenario =
        scenario_of(scenario_text(8, 8, "topology: rail, link: 100GbE", job_text("gpt2_small", layout)));
    Diagnostics diagnostics;
    return divided_work(parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics)).chunks;
  };
  // 50,257 words and 1,024 positions of 768, against 12 layers of 12 x 768^2 + 13 x 768.
  const auto one_way = chunks("pp: 3, dp: 16, global_batch: 64, layers_per_stage: [0, 12, 0]");
  EXPECT_NEAR(one_way[0].reduce.front().flow / one_way[1].reduce.front().flow, 39'383'808.0 / 85'054'464, 0.01);
  const auto both = chunks("pp: 4, dp: 16, global_batch: 128, schedule: dualpipe, layers_per_stage: [0, 6, 6, 0]");
  for (const DividedWork::Chunk& chunk : both)
    EXPECT_GT(chunk.reduce.front().flow.value(), 0); // not NaN
}

TEST(DividedSteps, AllFidelitiesAgree)
{
  const std::string job = job_text("megatron_22b", "tp: 8, pp: 2, dp: 2, zero: 1, global_batch: 8");
  const std::string network = "topology: rail, link: IB-NDR, unit: 64";
  const double fluid = on_links(scenario_text(4, 8, network, job)).step.value();
  EXPECT_NEAR(on_links(scenario_text(4, 8, network, job, "flow")).step.value() / fluid, 1, 0.01);
}

TEST(DividedSteps, NarrowUplinksSlowReplicasDownAsTheySay)
{
  // Two leaf switches of 4 machines with one network card each, gradients not beside the backward pass. A ring of 8
  // replicas crosses between the leaves once each way, so one flow goes over each uplink: at oversubscription 4, where
  // the uplink carries as much as one card sends, nothing is lost; at 8 it carries half, and the all-reduce takes twice
  // as long. The start-up stays.
  const auto text = [&](double oversubscription) {
    return scenario_text(8, 1,
                         fmt::format("topology: leaf_spine, leaf_ports: 4, spines: 1, oversubscription: {}, link: "
                                     "100GbE",
                                     oversubscription),
                         job_text("gpt2_small", "dp: 8, micro_batch: 1, global_batch: 8, overlap_gradients: false"));
  };
  const ParallelStep equal = on_links(text(1)), enough = on_links(text(4)), half = on_links(text(8));
  EXPECT_NEAR(enough.step / equal.step, 1, 1e-9);
  const Scenario scenario = scenario_of(text(1));
  Diagnostics diagnostics;
  const ParallelJob job = parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics);
  // 2 (n-1)/n x 4 B x parameters over one card.
  const double wires = 2.0 * 7 / 8 * 4 * job.transformer.parameters() / job.network.between.value();
  EXPECT_NEAR((half.step - equal.step).value(), wires, 0.01 * wires);
}

TEST(DividedSteps, AFasterCardThanItsSlotIsNoSlower)
{
  // PCIe 5 carries 63 GB/s, which is less than 600 Gbit/s: from there on the slot alone decides.
  const auto step = [](int rate) {
    return on_links(scenario_text(8, 8, fmt::format("topology: rail, bandwidth: {} Gbit/s, unit: 64", rate),
                                  job_text("qwen3_30b_a3b", "pp: 4, dp: 16, ep: 16, zero: 1, micro_batch: 1, "
                                                            "recomputation: full, global_batch: 64")))
        .step.value();
  };
  const double at_slot = step(600);
  EXPECT_LT(at_slot, step(400));
  EXPECT_NEAR(step(1600) / at_slot, 1, 0.001);
}

TEST(DividedSteps, TheOrderOfGroupsDoesNotCount)
{
  const auto text = [](bool a100_first, int h100s, const std::string& fidelity) {
    const std::string a = "{name: a, type: a, count: 4}", h = fmt::format("{{name: h, type: h, count: {}}}", h100s);
    return fmt::format(
        "trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{a: {{gpu: "
        "A100-SXM4-80GB, gpus: 8}}, h: {{gpu: H100-SXM5, gpus: 8}}}}\n  nodes: [{}, {}]\n  network: "
        "{{topology: rail, link: IB-NDR, unit: 64}}\njobs:\n  - {{name: j, model: gpt2_small, precision: "
        "bf16, training: {{parallel: {{dp: 32, global_batch: 64}}}}}}\nrun: {{fidelity: {}}}\n",
        a100_first ? a : h, a100_first ? h : a, fidelity);
  };
  const auto gpu_of = [&](const std::string& scenario_text) {
    const Scenario scenario = scenario_of(scenario_text);
    Diagnostics diagnostics;
    return parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics).gpu.name;
  };
  for (const bool a100_first : {false, true}) {
    EXPECT_EQ(gpu_of(text(a100_first, 4, "closed_form")), "H100-SXM5");      // the faster ones
    EXPECT_EQ(gpu_of(text(a100_first, 2, "closed_form")), "A100-SXM4-80GB"); // of which there are enough
  }
  for (const int h100s : {4, 2}) {
    const double on_links_first = on_links(text(false, h100s, "fluid")).step.value();
    EXPECT_DOUBLE_EQ(on_links(text(true, h100s, "fluid")).step.value(), on_links_first);
    EXPECT_NEAR(by_formula(text(true, h100s, "closed_form")).step.value() / on_links_first, 1, 0.05);
  }
}

TEST(DividedSteps, GroupsOfMachinesThatAreAlikeAddUp)
{
  // Sixteen H100 in two groups, beside sixteen A100 in one.
  const auto text = [](const std::string& nodes, const std::string& fidelity) {
    return fmt::format("trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{a: {{gpu: "
                       "A100-SXM4-80GB, gpus: 8}}, h: {{gpu: H100-SXM5, gpus: 8}}, few: {{gpu: H100-SXM5, gpus: 8, "
                       "nics: 1}}}}\n  nodes: [{}]\n  network: {{topology: rail, link: IB-NDR, unit: "
                       "64}}\njobs:\n  - {{name: j, model: gpt2_small, precision: bf16, training: {{parallel: {{dp: "
                       "16, global_batch: 16}}}}}}\nrun: {{fidelity: {}}}\n",
                       nodes, fidelity);
  };
  const auto job_of = [&](const std::string& nodes) {
    const Scenario scenario = scenario_of(text(nodes, "closed_form"));
    Diagnostics diagnostics;
    return parallel_job(scenario, scenario.jobs.front(), catalogue(), diagnostics);
  };
  const std::string halves = "{name: a, type: a, count: 2}, {name: x, type: h, count: 1}, {name: y, type: h, count: 1}";
  EXPECT_EQ(job_of(halves).gpu.name, "H100-SXM5");
  EXPECT_NEAR(by_formula(text(halves, "closed_form")).step.value() / on_links(text(halves, "fluid")).step.value(), 1,
              0.05);
  // Machines with one network card are not alike those with eight: a job takes either, also on links.
  const std::string slow = "{name: s, type: few, count: 2}", fast = "{name: f, type: h, count: 2}",
                    half = "{name: f, type: h, count: 1}";
  EXPECT_EQ(job_of(slow + ", " + fast).network.between, job_of(fast).network.between);
  EXPECT_EQ(job_of(slow + ", " + half).network.between, job_of(slow).network.between);
  EXPECT_DOUBLE_EQ(on_links(text(slow + ", " + fast, "fluid")).step.value(),
                   on_links(text(fast + ", " + slow, "fluid")).step.value());
}

/// Two machines of A100 (a), two of H100 (h).
std::string two_kinds(const std::string& jobs, const std::string& fidelity = "closed_form")
{
  return fmt::format(
      "trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{a: {{gpu: A100-SXM4-80GB, "
      "gpus: 8}}, h: {{gpu: H100-SXM5, gpus: 8}}}}\n  nodes: [{{name: a, type: a, count: 2}}, {{name: h, "
      "type: h, count: 2}}]\n  network: {{topology: rail, link: IB-NDR}}\njobs:\n{}run: {{fidelity: {}}}\n",
      jobs, fidelity);
}

std::string sixteen(const std::string& name, const std::string& more = "")
{
  return fmt::format("  - {{name: {}, model: gpt2_small, precision: bf16{}, training: {{parallel: {{dp: 16, "
                     "global_batch: 64}}}}}}\n",
                     name, more);
}

ParallelJob job_at(const Scenario& scenario, std::size_t index)
{
  Diagnostics diagnostics;
  ParallelJob job = parallel_job(scenario, scenario.jobs[index], catalogue(), diagnostics);
  diagnostics.throw_if_errors();
  return job;
}

TEST(DividedSteps, AJobLiesOnTheMachinesThatItNames)
{
  const std::string named = sixteen("j", ", nodes: [a-0, a-1]");
  const Scenario scenario = scenario_of(two_kinds(named));
  EXPECT_EQ(job_at(scenario, 0).gpu.name, "A100-SXM4-80GB");
  EXPECT_EQ(job_at(scenario_of(two_kinds(sixteen("j"))), 0).gpu.name, "H100-SXM5");
  EXPECT_NEAR(by_formula(two_kinds(named)).step / on_links(two_kinds(named, "fluid")).step, 1, 0.05);
}

TEST(DividedSteps, SeveralJobsDoNotAllGetTheBestMachines)
{
  const std::string jobs = sixteen("first") + sixteen("second");
  const Scenario scenario = scenario_of(two_kinds(jobs));
  EXPECT_EQ(job_at(scenario, 0).gpu.name, "H100-SXM5");
  EXPECT_EQ(job_at(scenario, 1).gpu.name, "A100-SXM4-80GB");
  const std::vector<ParallelStep> links = steps_on_links(scenario_of(two_kinds(jobs, "fluid")), catalogue());
  for (const std::size_t index : {0U, 1U})
    EXPECT_NEAR(parallel_step(job_at(scenario, index)).step / links[index].step, 1, 0.05);
}

TEST(DividedSteps, MachinesThatAreNotAlikeAreRefused)
{
  const Scenario scenario = scenario_of(two_kinds(sixteen("j")));
  Scenario mixed = scenario;
  mixed.jobs.front().nodes = {"a-0", "h-0"};
  Diagnostics diagnostics;
  parallel_job(mixed, mixed.jobs.front(), catalogue(), diagnostics);
  EXPECT_THAT(diagnostics.sorted().front().message,
              testing::HasSubstr("job 'j' would lie on machines that are not alike, a-0 with "
                                 "A100-SXM4-80GB and h-0 with H100-SXM5: name others (nodes)"));
}

/// What the check of a scenario with these `node_types` and nodes says; empty: nothing.
std::string refusal(const std::string& types, const std::string& nodes, const std::string& jobs)
{
  try {
    scenario_of(
        fmt::format("trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {{{}}}\n  nodes: [{}]\n  "
                    "network: {{topology: rail, link: IB-NDR}}\njobs:\n{}run: {{fidelity: closed_form}}\n",
                    types, nodes, jobs));
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(DividedSteps, UnlikeSharesOfMachinesCountByTheirGreatestCommonDivisor)
{
  // Three machines of 8 GPUs. Ranks in a row: of 6 + 2, four in a row cross at rank 6; of 2 + 6 at rank 2; two do not.
  const Scenario scenario = scenario_of(scenario_text(3, 8, "topology: rail, link: IB-NDR", sixteen("j")));
  Diagnostics diagnostics;
  const Cluster cluster = build_cluster(scenario.cluster, catalogue().links, diagnostics);
  const auto gpus_of_each = [&](const std::vector<std::size_t>& shares) {
    Placement placement;
    for (std::size_t node = 0; node < shares.size(); ++node) {
      const std::vector<VertexId>& gpus = cluster.node(NodeId{static_cast<int>(node)}).gpus;
      placement.workers.insert(placement.workers.end(), gpus.begin(),
                               gpus.begin() + static_cast<std::ptrdiff_t>(shares[node]));
    }
    return share_of_machine(cluster, placement).gpus;
  };
  EXPECT_EQ(gpus_of_each({2, 6}), 2);
  EXPECT_EQ(gpus_of_each({6, 2}), 2);
  EXPECT_EQ(gpus_of_each({4, 6, 6}), 2); // ranks 8 to 11 lie in two machines
  EXPECT_EQ(gpus_of_each({8, 4, 4}), 4); // ranks 8 to 15 lie in two machines
  EXPECT_EQ(gpus_of_each({4, 4, 8}), 4);
  EXPECT_EQ(gpus_of_each({8, 8, 4}), 8); // whole machines and the rest on the last one
  EXPECT_EQ(gpus_of_each({4, 4, 4}), 4);
}

TEST(DividedSteps, MachinesWithEqualGpusMayStillDiffer)
{
  const auto said = [](const std::string& other, bool reversed) {
    return refusal(fmt::format("n: {{gpu: H100-SXM5, gpus: 8}}, s: {{{}}}", other),
                   "{name: n, type: n, count: 1}, {name: s, type: s, count: 1}",
                   sixteen("j", reversed ? ", nodes: [s-0, n-0]" : ", nodes: [n-0, s-0]"));
  };
  const std::string cards = "gpu: H100-SXM5, gpus: 8, nics: 1", gpus = "gpu: H100-SXM5, gpus: 16",
                    wires = "gpu: H100-SXM5, gpus: 8, intra: pcie_tree";
  EXPECT_THAT(said(cards, false),
              testing::HasSubstr("job 'j' would lie on machines that are not alike, n-0 with 8 network cards and s-0 "
                                 "with 1: name others (nodes)"));
  EXPECT_THAT(said(cards, true),
              testing::HasSubstr("job 'j' would lie on machines that are not alike, s-0 with 1 network cards and n-0 "
                                 "with 8: name others (nodes)"));
  EXPECT_THAT(said(gpus, false), testing::HasSubstr("n-0 with 8 GPUs and s-0 with 16: name others"));
  EXPECT_THAT(said(gpus, true), testing::HasSubstr("s-0 with 16 GPUs and n-0 with 8: name others"));
  for (const bool reversed : {false, true})
    EXPECT_THAT(said(wires, reversed), testing::HasSubstr("of links at GPUs and network cards"));
  EXPECT_EQ(said("gpu: H100-SXM5, gpus: 8", false), "");
}

TEST(DividedSteps, MachinesGiveAsManyGpusEach)
{
  const auto said = [](const std::string& jobs) {
    return refusal("n: {gpu: H100-SXM5, gpus: 8}", "{name: n, type: n, count: 3}", jobs);
  };
  const auto job = [](const std::string& name, const std::string& layout, const std::string& nodes = "") {
    return fmt::format("  - {{name: {}, model: gpt2_small, precision: bf16{}, training: {{parallel: {{{}}}}}}}\n", name,
                       nodes.empty() ? "" : fmt::format(", nodes: [{}]", nodes), layout);
  };
  // Two GPUs a name.
  EXPECT_THAT(
      said(job("j", "dp: 8, global_batch: 8", "n-0, n-1, n-1, n-1")),
      testing::HasSubstr(
          "job 'j' would have 2 of the GPUs of n-0 and 6 of n-1: name machines that give as many each (nodes)"));
  EXPECT_THAT(
      said(job("j", "dp: 8, global_batch: 8", "n-1, n-1, n-1, n-0")),
      testing::HasSubstr(
          "job 'j' would have 6 of the GPUs of n-1 and 2 of n-0: name machines that give as many each (nodes)"));
  EXPECT_EQ(said(job("j", "dp: 8, global_batch: 8", "n-0, n-1, n-0, n-1")), "");
  // Others leave 8, 4 and 4.
  const std::string others = job("a", "dp: 4, global_batch: 4", "n-1") + job("b", "dp: 4, global_batch: 4", "n-2");
  EXPECT_THAT(
      said(others + job("j", "tp: 4, dp: 4, global_batch: 4")),
      testing::HasSubstr(
          "job 'j' would have 8 of the GPUs of n-0 and 4 of n-1: name machines that give as many each (nodes)"));
  // Whole machines, and the rest on the last one.
  EXPECT_EQ(said(others + job("j", "dp: 12, global_batch: 12")), "");
  const std::string large =
      said(others + job("j", "tp: 4, dp: 6, global_batch: 6") + job("k", "dp: 1, global_batch: 1"));
  EXPECT_THAT(large, testing::HasSubstr("job 'j' needs 24 GPUs, and jobs before it leave 16: add machines, or lower "
                                        "dp"));
  EXPECT_EQ(large.find("needs 24 GPUs"), large.rfind("needs 24 GPUs")); // once, not for each job behind it
  EXPECT_THAT(said(job("j", "dp: 16, global_batch: 16", "n-0")),
              testing::HasSubstr("worker 8 finds no free GPU on node 'n-0'; name more machines, or others (nodes)"));
}

TEST(DividedSteps, AStageHasNoNegativeNumberOfLayers)
{
  const std::string said = refusal("n: {gpu: H100-SXM5, gpus: 8}", "{name: n, type: n, count: 1}",
                                   job_text("gpt2_small", "pp: 2, global_batch: 2, layers_per_stage: [-1, 13]"));
  EXPECT_THAT(said, testing::HasSubstr("a stage has a whole number of layers, 0 or more"));
  EXPECT_EQ(said.find("error:"), said.rfind("error:")); // and nothing about their sum
}

TEST(DividedSteps, CardsOfTheGpusInUseCount)
{
  // Two GPUs of each of two machines: neighbours share a card where a machine has fewer than eight.
  for (const int nics : {1, 2, 4, 8}) {
    const std::string text = scenario_text(
        2, 8, "topology: rail, link: 25GbE",
        "  - {name: j, model: gpt2_small, precision: bf16, nodes: [n-0, n-1], training: {parallel: {dp: 4, "
        "micro_batch: 1, global_batch: 4}}}\n",
        "fluid", nics);
    EXPECT_NEAR(on_links(text).step / by_formula(text).step, 1, 0.05) << nics << " cards";
  }
}

TEST(DividedSteps, MessagesOfStagesInAMachineTakeTheTimeOfTheTaskList)
{
  // What a GPU sends to the next stage and to the previous one leaves over the same slot.
  const std::string text =
      "trainyard: 1\nname: d\nquestion: how fast?\ncluster:\n  node_types: {n: {gpu: H100-PCIe, gpus: 8, intra: "
      "pcie_tree, pcie_bandwidth: 1 GB/s}}\n  nodes: [{name: n, type: n, count: 1}]\n  network: {topology: "
      "star, link: 100GbE}\njobs:\n" +
      job_text(narrow_gpt, "pp: 8, micro_batch: 1, global_batch: 16, schedule: 1f1b") + "run: {fidelity: fluid}\n";
  EXPECT_NEAR(on_links(text).step / by_formula(text).step, 1, 1e-6);
}

TEST(DividedSteps, MachinesBelowTwoLeavesMeetNarrowUplinks)
{
  const auto above = [](const std::string& nodes) {
    const Scenario scenario = scenario_of(scenario_text(
        8, 1, "topology: leaf_spine, leaf_ports: 4, spines: 1, oversubscription: 4, link: 100GbE",
        fmt::format("  - {{name: j, model: gpt2_small, precision: bf16, nodes: [{}], training: {{parallel: {{dp: 2, "
                    "global_batch: 2}}}}}}\n",
                    nodes),
        "closed_form"));
    return oversubscription(scenario, job_at(scenario, 0), catalogue());
  };
  EXPECT_NEAR(above("n-0, n-7"), 4, 0.01);
  EXPECT_EQ(above("n-0, n-3"), 1);
}

TEST(DividedSteps, GpusOfHalfAMachineCountAsSuch)
{
  // Four GPUs on each of four machines: a tensor-parallel group of eight crosses between two of them. A GPU has a card.
  const std::string half = sixteen("j", ", nodes: [n-0, n-1, n-2, n-3]");
  const ParallelJob job =
      job_at(scenario_of(scenario_text(4, 8, "topology: rail, link: IB-NDR", half, "closed_form")), 0);
  EXPECT_EQ(job.network.gpus_per_node, 4);
  EXPECT_EQ(groups_of({.tp = 8, .dp = 2}, job.network.gpus_per_node).tensor.nodes(), 2);
  const ParallelJob whole =
      job_at(scenario_of(scenario_text(4, 8, "topology: rail, link: IB-NDR", sixteen("j"), "closed_form")), 0);
  EXPECT_EQ(job.network.between, whole.network.between);
}

TEST(DividedSteps, OneRailStandsForAll)
{
  // Two equal jobs on machines of their own share no link of a single rail switch's ports: each takes its time alone,
  // but with all its rails simulated.
  const std::string layout = "tp: 8, pp: 2, dp: 2, zero: 1, global_batch: 8";
  const std::string network = "topology: rail, link: IB-NDR, unit: 64";
  const double alone = on_links(scenario_text(8, 8, network, job_text("megatron_22b", layout))).step.value();
  const std::vector<ParallelStep> both =
      steps_on_links(scenario_of(scenario_text(
                         8, 8, network, job_text("megatron_22b", layout) + job_text("megatron_22b", layout, "b"))),
                     catalogue());
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0].step.value() / alone, 1, 1e-6);
  EXPECT_NEAR(both[1].step.value() / alone, 1, 1e-6);
}

TEST(DividedSteps, JobsShareTheUplinks)
{
  // Eight machines below two leaves, each job on two machines of either side would share uplinks; packed, job a has
  // leaf 0 and job b leaf 1, and nothing is shared. Jobs of six and two machines: a crosses the leaves, b does not.
  const std::string network = "topology: leaf_spine, leaf_ports: 4, spines: 1, oversubscription: 8, link: 100GbE";
  const auto layout = [](int dp) {
    return fmt::format("dp: {0}, micro_batch: 1, global_batch: {0}, overlap_gradients: false", dp);
  };
  const std::string wide = job_text("gpt2_small", layout(3)), other = job_text("gpt2_small", layout(3), "b");
  const double alone = on_links(scenario_text(8, 1, network, wide)).step.value();
  const std::vector<ParallelStep> both =
      steps_on_links(scenario_of(scenario_text(8, 1, network, wide + other)), catalogue());
  // a lies on machines 0-2 of leaf 0; b on 3 (leaf 0), 4 and 5: only b crosses.
  EXPECT_NEAR(both[0].step.value() / alone, 1, 1e-6);
  EXPECT_GT(both[1].step.value(), 1.2 * alone);
}

} // namespace
} // namespace trainyard
