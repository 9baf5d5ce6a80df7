// SPDX-License-Identifier: Apache-2.0
/// Schedules of pipelines, task by task, and the step made of them.
#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/search.hpp"
#include "sim/parallel/step.hpp"
#include "tests/parallel/h100_job.hpp"
#include "tests/support/scenario_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Calls @p visit with every registered schedule that can run so many ranks, chunks and micro-batches.
void for_each_pipeline(const std::function<void(const std::string&, const PipelineSchedule&, int, int, int)>& visit)
{
  for (const std::string& name : Registry<PipelineSchedule>::instance().names())
    for (const int ranks : {1, 2, 3, 8})
      for (const int chunks : {1, 2, 3})
        for (const int micro_batches : {ranks, 2 * ranks, 7 * ranks}) {
          const auto schedule = Registry<PipelineSchedule>::instance().create(name);
          if (schedule->fault(ranks, chunks, micro_batches).empty())
            visit(name, *schedule, ranks, chunks, micro_batches);
        }
}

TEST(PipelineSchedules, EveryChunkSeesEveryMicroBatchOnce)
{
  for_each_pipeline([](const std::string& name, const PipelineSchedule& schedule, int ranks, int chunks, int m) {
    const TaskLists lists = schedule.tasks(ranks, chunks, m);
    ASSERT_EQ(lists.size(), static_cast<std::size_t>(ranks));
    for (const std::vector<PipelineTask>& list : lists) {
      std::set<std::tuple<Pass, int, int>> seen;
      for (const PipelineTask& task : list)
        EXPECT_TRUE(seen.emplace(task.pass, task.chunk, task.micro_batch).second) << name;
      // Forward and backward passes of every micro-batch through every chunk (half of them through each of two where
      // they come from both ends), and gradients of weights of all or, where some backward passes are whole, of others.
      const auto count = [&](auto... passes) {
        return std::ranges::count_if(list, [&](const PipelineTask& task) { return ((task.pass == passes) || ...); });
      };
      const long each = 1L * chunks * m;
      EXPECT_EQ(count(Pass::forward), each) << name;
      EXPECT_EQ(count(Pass::backward, Pass::whole), each) << name;
      if (count(Pass::weights) > 0) {
        EXPECT_EQ(count(Pass::weights, Pass::whole), each) << name;
      }
    }
  });
}

TEST(PipelineSchedules, BubblesAreThoseOfTheFormulas)
{
  for_each_pipeline([](const std::string& name, const PipelineSchedule& schedule, int ranks, int chunks, int m) {
    const double forward = 1.0, backward = 1.0, weights = 1.0;
    const std::vector<ChunkTimes> times(static_cast<std::size_t>(ranks * chunks),
                                        {forward / chunks, backward / chunks, weights / chunks});
    const PipelineRun run = run_pipeline(schedule.tasks(ranks, chunks, m), times, 0, false, schedule.order());
    const double ideal = m * (forward + backward + weights);
    EXPECT_NEAR(run.time / ideal - 1, schedule.bubble(ranks, chunks, m, forward, backward, weights), 1e-9)
        << name << " ranks " << ranks << " chunks " << chunks << " micro-batches " << m;
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(run.in_flight[static_cast<std::size_t>(rank)], schedule.in_flight(ranks, chunks, m, rank)) << name;
  });
}

TEST(PipelineSchedules, BubblesAreThoseOfThePapers)
{
  const auto bubble = [](const char* name, int ranks, int chunks, int m) {
    const auto schedule = Registry<PipelineSchedule>::instance().create(name);
    const std::vector<ChunkTimes> times(static_cast<std::size_t>(ranks * chunks),
                                        {1.0 / chunks, 1.0 / chunks, 1.0 / chunks});
    const TaskLists lists = schedule->tasks(ranks, chunks, m);
    return 1 - 3.0 * m / run_pipeline(lists, times, 0, false, schedule->order()).time; // share of the whole step
  };
  // (p-1)/(m+p-1): Huang et al., arXiv:1811.06965, section 2.
  EXPECT_NEAR(bubble("gpipe", 4, 1, 12), 3.0 / 15, 1e-9);
  EXPECT_NEAR(bubble("1f1b", 8, 1, 32), 7.0 / 39, 1e-9);
  // (p-1)/(v m) of the ideal time: Narayanan et al., arXiv:2104.04473, section 2.2.
  const double interleaved = bubble("interleaved", 8, 4, 32);
  EXPECT_NEAR(interleaved / (1 - interleaved), 7.0 / (4 * 32), 1e-9);
  // (p-1)(F + B - W) instead of (p-1)(F + B + W): Qi et al., arXiv:2401.10241, table 1.
  const double h1 = bubble("zb_h1", 8, 1, 32);
  EXPECT_NEAR(h1 / (1 - h1), 7.0 / (3 * 32), 1e-9);
  EXPECT_NEAR(bubble("zb1p", 8, 1, 32), h1, 1e-9);
}

/// Bubble in seconds with times of its own.
double bubble_of(const char* name, int ranks, int m, const ChunkTimes& time)
{
  const auto schedule = Registry<PipelineSchedule>::instance().create(name);
  const std::vector<ChunkTimes> times(static_cast<std::size_t>(ranks), time);
  return run_pipeline(schedule->tasks(ranks, 1, m), times, 0, false, schedule->order()).time -
         m * (time.forward + time.backward + time.weights);
}

// DeepSeek-AI, arXiv:2412.19437, table 2: (PP - 1)(F + B) for 1F1B, (PP - 1)(F + B - 2 W) for ZB1P, (PP/2 - 1)(F&B + B
// - 3 W) for DualPipe, with B the whole backward pass; F&B = F + B where nothing is hidden. With F = 1, B = 1.2 + 0.8
// and W = 0.8 on 8 stages: 7 x 3, 7 x 1.4, 3 x (3 + 2 - 2.4). Memory of activations: PP, PP and PP + 1 micro-batches.
TEST(PipelineSchedules, BubblesAreThoseOfDeepSeeksTable)
{
  const ChunkTimes time{1, 1.2, 0.8};
  for (const int m : {16, 32, 58}) {
    EXPECT_NEAR(bubble_of("1f1b", 8, m, time), 21, 1e-9);
    EXPECT_NEAR(bubble_of("zb1p", 8, m, time), 9.8, 1e-9);
    EXPECT_NEAR(bubble_of("dualpipe", 8, m, time), 7.8, 1e-9);
    EXPECT_NEAR(Registry<PipelineSchedule>::instance().create("dualpipe")->bubble(8, 1, m, 1, 1.2, 0.8) * 3 * m, 7.8,
                1e-9);
  }
  const auto dual = Registry<PipelineSchedule>::instance().create("dualpipe");
  const std::vector<ChunkTimes> times(8, time);
  const PipelineRun run = run_pipeline(dual->tasks(8, 1, 32), times, 0, false, dual->order());
  for (const int held : run.in_flight)
    EXPECT_EQ(held, 9);
}

// A forward pass of 2 s kernels and 3 s tokens beside a backward pass of 10 and 1: all 3 s hide behind 10, and 1
// behind 2. The other way round 3 s behind 4 and 5 s behind 8.
TEST(PipelineSchedules, TokensHideBehindTheKernelsOfTheOtherChunk)
{
  const ChunkTimes few{5, 5, 0, {3, 5, 2, 4, 0}}, many{8, 9, 2, {3, 1, 8, 10, 0}};
  EXPECT_NEAR(few.saved_beside(many), 3 + 1, 1e-12);
  EXPECT_NEAR(many.saved_beside(few), 3 + 5, 1e-12);
}

// What passes that run together hide shortens the step: in the middle of DualPipe they do so all the time. Two stages,
// 8 micro-batches: by table, per rank 2 x (4 - 2 + 0 + 1) = 6 pairs; 0.5 s each of 8 x 3 s.
TEST(PipelineSchedules, PassesThatRunTogetherHideMessages)
{
  const auto dual = Registry<PipelineSchedule>::instance().create("dualpipe");
  const std::vector<ChunkTimes> times(2, {1, 1, 1, {0.25, 0.25, 0.5, 0.5, 0}});
  const PipelineRun run = run_pipeline(dual->tasks(2, 1, 8), times, 0, true, dual->order());
  EXPECT_NEAR(run.saved[0], 6 * 0.5, 1e-12);
  EXPECT_NEAR(run.time, 24 - 3, 1e-12);
  for (const std::vector<PipelineSpan>& rank : run.ranks)
    for (std::size_t i = 1; i < rank.size(); ++i)
      EXPECT_GE(rank[i].begin, rank[i - 1].end - 1e-12);
}

// With equal times each GPU of ZB-V works without a gap (Qi et al., arXiv:2401.10241, section 6): GPU r begins when the
// first micro-batch reaches it, after r chunks, and ends 6 m chunk times later. It holds 2 p chunks: p micro-batches,
// as 1F1B's first GPU.
TEST(PipelineSchedules, ZeroBubbleVHasNoGaps)
{
  const auto zbv = Registry<PipelineSchedule>::instance().create("zbv");
  for (const int p : {1, 2, 3, 4, 8})
    for (const int m : {2 * p - 1, 2 * p, 5 * p}) {
      const std::vector<ChunkTimes> times(static_cast<std::size_t>(2 * p), {1, 1, 1});
      const PipelineRun run = run_pipeline(zbv->tasks(p, 2, m), times, 0, true, zbv->order());
      for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        EXPECT_NEAR(run.ranks[rank].front().begin, static_cast<double>(rank), 1e-9);
        EXPECT_NEAR(run.ranks[rank].back().end, static_cast<double>(rank) + 6.0 * m, 1e-9) << p << " " << m;
        EXPECT_EQ(run.in_flight[rank], 2 * p);
      }
      EXPECT_NEAR(zbv->bubble(p, 2, m, 2, 2, 2), (p - 1.0) / (6.0 * m), 1e-9);
    }
}

TEST(PipelineSchedules, AVTurnsRoundWithoutAMessage)
{
  // Two ranks, chunks of 1 s for each pass, one micro-batch at a time would take: F0 of rank 0, message, F0 and F1 of
  // rank 1, message, F1 of rank 0: the message between F0 and F1 of rank 1 is none.
  const TaskLists lists{{{Pass::forward, 0, 0}, {Pass::forward, 1, 0}}, {{Pass::forward, 0, 0}, {Pass::forward, 1, 0}}};
  const std::vector<ChunkTimes> times(4, {1, 1, 1});
  EXPECT_NEAR(run_pipeline(lists, times, 0.25, false, StageOrder::v).time, 4.5, 1e-12);
}

TEST(PipelineSchedules, TheyRefuseWhatTheyCannotRun)
{
  const auto fault = [](const char* name, int ranks, int chunks, int m) {
    return Registry<PipelineSchedule>::instance().create(name)->fault(ranks, chunks, m);
  };
  EXPECT_EQ(fault("zbv", 4, 1, 8), "zbv has two chunks of layers on each GPU: write vp: 2, not 1");
  EXPECT_EQ(fault("zbv", 4, 2, 6), "zbv fills its pipeline from 2 pp - 1 = 7 micro-batches on; there are 6");
  EXPECT_EQ(fault("dualpipe", 3, 1, 8), "dualpipe needs an even number of stages, not 3");
  EXPECT_EQ(fault("dualpipe", 4, 1, 9), "dualpipe needs an even number of at least 2 pp = 8 micro-batches, not 9");
  EXPECT_EQ(fault("dualpipe", 4, 2, 8), "dualpipe has no virtual stages: leave vp out");
}

TEST(PipelineSchedules, MessagesDelayTheNeighbours)
{
  // Two ranks, one micro-batch: F F B B one after the other, with a message after the first F and the first B.
  const auto schedule = Registry<PipelineSchedule>::instance().create("1f1b");
  const std::vector<ChunkTimes> times(2, {1, 1, 1});
  EXPECT_NEAR(run_pipeline(schedule->tasks(2, 1, 1), times, 0.25).time, 6.5, 1e-12);
}

TEST(PipelineSchedules, ARankSendsOneMessageAfterTheOther)
{
  // Passes of 1 s, messages of 3 s. Rank 0 ends its forward passes at 1, 2 and 3 and sends until 4, 7 and 10; rank 1
  // ends its backward passes at 6, 9 and 12, and the last message is there at 15.
  const TaskLists lists{{{Pass::forward, 0, 0},
                         {Pass::forward, 0, 1},
                         {Pass::forward, 0, 2},
                         {Pass::backward, 0, 0},
                         {Pass::backward, 0, 1},
                         {Pass::backward, 0, 2}},
                        {{Pass::forward, 0, 0},
                         {Pass::backward, 0, 0},
                         {Pass::forward, 0, 1},
                         {Pass::backward, 0, 1},
                         {Pass::forward, 0, 2},
                         {Pass::backward, 0, 2}}};
  const std::vector<ChunkTimes> times(2, {1, 1, 0});
  const PipelineRun run = run_pipeline(lists, times, 3);
  EXPECT_NEAR(run.ends[0], 16, 1e-12);
  EXPECT_NEAR(run.ends[1], 12, 1e-12);
  EXPECT_NEAR(run.chunks[1].begin, 4, 1e-12);
  EXPECT_NEAR(run.chunks[1].end, 12, 1e-12);
}

TEST(PipelineSchedules, RanksThatWaitForEachOtherAreAFault)
{
  const TaskLists lists{{{Pass::backward, 0, 0}, {Pass::forward, 0, 0}}};
  const std::vector<ChunkTimes> times(1, {1, 1, 0});
  EXPECT_THROW(run_pipeline(lists, times, 0), std::logic_error);
}

ParallelJob h100_job(const std::string& model, const ParallelLayout& layout)
{
  ParallelJob job = tests::h100_job(model, layout);
  job.network.switch_reduction = 0.85;
  job.host_per_operator = 10_us;
  return job;
}

double sum_of_parts(const ParallelStep& s)
{
  return (s.compute + s.host + s.tensor + s.context + s.expert + s.data + s.bubble + s.pipeline + s.optimizer).value();
}

TEST(ParallelSteps, PartsAddUpAndNoneIsNegative)
{
  const std::vector<std::pair<std::string, ParallelLayout>> cases{
      {"llama3_70b", {.tp = 8, .pp = 4, .vp = 5, .dp = 16, .sequence_parallel = true, .zero = 1, .global_batch = 512}},
      {"llama3_70b", {.tp = 8, .pp = 4, .dp = 16, .global_batch = 512, .schedule = "zb_h1"}},
      {"llama3_70b", {.tp = 8, .pp = 4, .vp = 2, .dp = 16, .global_batch = 512, .schedule = "zbv"}},
      {"mixtral_8x7b", {.tp = 2, .pp = 4, .dp = 8, .ep = 8, .global_batch = 128, .schedule = "dualpipe"}},
      {"deepseek_v3",
       {.tp = 8, .pp = 7, .dp = 32, .ep = 32, .sequence_parallel = true, .zero = 1, .global_batch = 2048}},
      {"llama3_8b", {.dp = 64, .zero = 3, .global_batch = 256}},
      {"llama3_8b", {.tp = 2, .dp = 4, .cp = 8, .global_batch = 8, .sequence = 131072}},
      {"mixtral_8x7b", {.tp = 2, .pp = 2, .dp = 16, .ep = 8, .global_batch = 256}},
      {"megatron_175b",
       {.tp = 8,
        .pp = 8,
        .vp = 3,
        .global_batch = 64,
        .recomputation = Recomputation::full,
        .attention = "unfused",
        .overlap_gradients = false}}};
  for (const auto& [model, layout] : cases)
    for (const PipelineDetail detail : {PipelineDetail::formula, PipelineDetail::tasks}) {
      ASSERT_TRUE(layout_faults(layout, *find_transformer(model), 0).empty()) << to_text(layout);
      const ParallelStep step = parallel_step(h100_job(model, layout), detail);
      EXPECT_NEAR(sum_of_parts(step), step.step.value(), 1e-9 * step.step.value()) << to_text(layout);
      for (const Seconds part : {step.compute, step.host, step.tensor, step.context, step.expert, step.data,
                                 step.bubble, step.pipeline, step.optimizer})
        EXPECT_GE(part.value(), -1e-9 * step.step.value()) << to_text(layout);
      EXPECT_LT(step.model_flop_utilisation, 0.82) << to_text(layout);
      EXPECT_GT(step.model_flop_utilisation, 0.05) << to_text(layout);
    }
}

TEST(ParallelSteps, TheFormulaIsNearTheTaskLists)
{
  for (const int dp : {1, 4, 16}) {
    const ParallelJob job = h100_job("llama3_70b", {.tp = 8, .pp = 4, .dp = dp, .global_batch = 32 * dp});
    const double tasks = parallel_step(job, PipelineDetail::tasks).step.value();
    EXPECT_NEAR(parallel_step(job, PipelineDetail::formula).step.value(), tasks, 0.03 * tasks);
  }
}

TEST(ParallelSteps, RecomputationCostsTimeAndSavesMemory)
{
  ParallelLayout layout{.tp = 8, .pp = 4, .dp = 16, .global_batch = 512};
  const ParallelStep kept = parallel_step(h100_job("llama3_70b", layout));
  layout.recomputation = Recomputation::full;
  const ParallelStep again = parallel_step(h100_job("llama3_70b", layout));
  EXPECT_LT(again.memory.total(), kept.memory.total());
  // One more forward pass beside one forward and two backward passes: 4/3 of the compute.
  EXPECT_NEAR(again.compute / kept.compute, 4.0 / 3, 0.05);
}

TEST(ParallelSteps, WithoutTheHostSmallModelsAreFaster)
{
  ParallelJob job = h100_job("gpt3_125m", {.dp = 8, .global_batch = 8});
  job.host_per_operator = 40_us;
  const ParallelStep bound = parallel_step(job);
  job.host_per_operator = Seconds{}; // CUDA graphs
  const ParallelStep free = parallel_step(job);
  EXPECT_GT(bound.step, 1.5 * free.step);
  EXPECT_EQ(free.host.value(), 0);
}

// Its layer, two normalisations, a projection of 2 x hidden, and the output once more, for each of 8 micro-batches; the
// processor has nothing to do.
TEST(ParallelSteps, ALayerForLaterTokensIsALayerAProjectionAndAnOutput)
{
  ParallelJob job = h100_job("llama2_7b", {.tp = 8, .sequence_parallel = true, .global_batch = 8});
  job.host_per_operator = Seconds{};
  const ParallelStep without = parallel_step(job);
  job.layout.mtp_layers = 1;
  const ParallelStep with = parallel_step(job);
  const GpuRates rates = gpu_rates(job.gpu, job.layout, job.transformer, Seconds{});
  double more = 0;
  for (const LayerWork& work :
       {layer_work(job.transformer, job.layout, rates), prediction_work(job.transformer, job.layout, rates),
        output_work(job.transformer, job.layout, rates)})
    more += work.forward.seconds + work.backward.seconds + work.weights.seconds;
  EXPECT_NEAR((with.compute - without.compute).value(), 8 * more, 1e-9);
  // Of flop: 2 x 4096 x (2 x 4096 + 32000) for a token besides the 33rd layer, three times.
  Transformer longer = job.transformer;
  ++longer.layers;
  EXPECT_NEAR(model_flop_per_sequence(job.transformer, 4096, 1),
              model_flop_per_sequence(longer, 4096) + 3.0 * 4096 * 2 * 4096 * (2 * 4096 + 32000), 1e6);
}

// 8,192 tokens x 8,192 x 128,256 words in three products; in fp8 these and nothing else get faster, at most by the
// ratio of the ceilings.
TEST(ParallelSteps, TheOutputInLowPrecisionTakesItsShareOfTheCeiling)
{
  ParallelJob job = h100_job("llama3_70b", {.tp = 8, .sequence_parallel = true, .global_batch = 4, .precision = "fp8"});
  const GpuRates rates = gpu_rates(job.gpu, job.layout, job.transformer, Seconds{});
  const double ratio = rates.linear.flop_per_s / rates.matrix.flop_per_s;
  EXPECT_GT(ratio, 1.5);
  const Seconds sixteen = parallel_step(job).compute;
  job.layout.low_precision_output = true;
  const Seconds saved = sixteen - parallel_step(job).compute;
  const double products = 4 * 3 * 2.0 * 8192 * 8192 * 128256 / 8 / rates.matrix.flop_per_s;
  EXPECT_GT(saved.value(), 0.7 * products * (1 - 1 / ratio));
  EXPECT_LT(saved.value(), 1.1 * products * (1 - 1 / ratio));
}

// A model whose layers are all among the first without experts is one without experts.
TEST(ParallelSteps, LayersWithoutExpertsExchangeNoTokens)
{
  ParallelJob experts = h100_job("mixtral_8x7b", {.pp = 2, .dp = 4, .ep = 4, .global_batch = 32});
  experts.transformer.dense_layers = experts.transformer.layers;
  experts.transformer.dense_ffn = experts.transformer.ffn;
  ParallelJob plain = experts;
  plain.layout.ep = 1;
  plain.transformer.experts = plain.transformer.active_experts = 1;
  plain.transformer.dense_layers = 0;
  const ParallelStep one = parallel_step(experts), other = parallel_step(plain);
  EXPECT_NEAR(one.compute.value(), other.compute.value(), 1e-12);
  EXPECT_EQ(one.expert, Seconds{});
  // With half of them, on the first of two stages, half of the exchange is left, on the second.
  experts.transformer.dense_layers = experts.transformer.layers / 2;
  ParallelJob all = experts;
  all.transformer.dense_layers = 0;
  const DividedWork half = divided_work(experts), whole = divided_work(all);
  EXPECT_EQ(half.chunks[0].forward.tokens, Seconds{});
  EXPECT_EQ(half.chunks[1].forward.tokens, whole.chunks[1].forward.tokens);
  EXPECT_GT(half.chunks[1].forward.tokens, Seconds{});
}

TEST(ParallelSteps, MoreOverlapIsNeverSlower)
{
  ParallelLayout layout{.tp = 8, .pp = 4, .dp = 16, .sequence_parallel = true, .zero = 1, .global_batch = 512};
  double before = 0;
  for (const char* overlap : {"all", "backward", "none"}) {
    layout.overlap_tensor = overlap;
    const double step = parallel_step(h100_job("llama3_70b", layout)).step.value();
    EXPECT_GT(step, before) << overlap;
    before = step;
  }
}

// The bubble of 1F1B and of interleaved stages is what the first micro-batches take to come down, whatever their
// number: (p - 1)(F + B) of a stage. With a million of them the tasks are not run one by one to the end.
TEST(ParallelSteps, APipelineOfVeryManyMicroBatchesRepeatsItself)
{
  for (const int vp : {1, 5}) {
    ParallelLayout layout{.tp = 8, .pp = 4, .vp = vp, .global_batch = 4096};
    const ParallelStep some = parallel_step(h100_job("llama3_70b", layout));
    layout.global_batch = 4'000'000;
    const ParallelStep many = parallel_step(h100_job("llama3_70b", layout));
    EXPECT_NEAR(many.bubble / some.bubble, 1, 1e-3) << vp; // of a step that is a million times as long
    EXPECT_NEAR(many.compute / some.compute, 4'000'000 / 4096.0, 1e-6) << vp;
  }
  // Zero bubble, no message and no stage alike: twice as many more micro-batches take twice as much more time. Of the
  // first two numbers all tasks are run, of the last not.
  const auto step = [](int batch) {
    return parallel_step(h100_job("llama3_70b", {.tp = 8, .pp = 4, .global_batch = batch, .schedule = "zb_h1"})).step;
  };
  const Seconds first = step(1 << 16), second = step(1 << 17);
  EXPECT_NEAR((step(1 << 20) - second) / (second - first), ((1 << 20) - (1 << 17)) / (1.0 * (1 << 16)), 1e-6);
}

// The fastest layout leads both lists, with the step that its tasks take in both.
TEST(LayoutSearches, LessMemoryIsComparedByTheStepsOfTheSearch)
{
  const ParallelJob job = h100_job("llama3_70b", {.global_batch = 256});
  const LayoutSearch search = search_layouts(job, 64, 1, {}, {.tp = {4}, .pp = {4}});
  ASSERT_FALSE(search.front.empty());
  EXPECT_EQ(to_text(search.front.front().layout), to_text(search.best.front().layout));
  for (const FoundLayout& found : search.front) {
    ParallelJob alone = job;
    alone.layout = found.layout;
    EXPECT_EQ(found.step.step, parallel_step(alone, PipelineDetail::tasks).step) << to_text(found.layout);
  }
}

TEST(LayoutSearches, BestOnesFitAndComeInOrder)
{
  const ParallelJob job = h100_job("llama3_70b", {.global_batch = 256});
  const LayoutSearch search = search_layouts(job, 64, 5);
  ASSERT_EQ(search.best.size(), 5U);
  EXPECT_GT(search.too_large, 0U);
  EXPECT_TRUE(search.best.front().why_slower.empty());
  for (std::size_t i = 0; i < search.best.size(); ++i) {
    EXPECT_TRUE(layout_faults(search.best[i].layout, job.transformer, 64).empty());
    EXPECT_LE(search.best[i].step.memory.total(), job.gpu.memory);
    EXPECT_EQ(search.best[i].layout.gpus(), 64);
    if (i > 0) {
      EXPECT_GE(search.best[i].step.step, search.best[i - 1].step.step);
      EXPECT_FALSE(search.best[i].why_slower.empty());
    }
  }
}

// Half of the layouts of 405B parameters are short of memory for a few activations only.
TEST(LayoutSearches, PartsOfLayersMayBeComputedAgain)
{
  const ParallelJob job = h100_job("llama3.1_405b", {.global_batch = 512});
  const auto parts_again = [&](const LayoutLimits& limits) {
    const LayoutSearch search = search_layouts(job, 1024, 20, {}, limits);
    EXPECT_FALSE(search.best.empty());
    return std::ranges::count_if(search.best,
                                 [](const FoundLayout& found) { return !found.layout.recomputed.empty(); });
  };
  EXPECT_GT(parts_again({}), 0);
  EXPECT_EQ(parts_again({.recomputation = {Recomputation::none}}), 0);
  EXPECT_EQ(parts_again({.zero = {3}}), 0);
}

// 61 layers are prime, and 62 and 63 have few divisors that are powers of two.
TEST(LayoutSearches, LayersThatDivideNothingMakeUnequalStages)
{
  const ParallelJob job = h100_job("deepseek_v3", {.global_batch = 2048});
  const LayoutSearch search = search_layouts(job, 2048, 20, {}, {.pp = {16}});
  ASSERT_FALSE(search.best.empty());
  for (const FoundLayout& found : search.best) {
    EXPECT_EQ(found.layout.layers_per_stage, (std::vector<int>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3}));
    EXPECT_THAT(to_text(found.layout), HasSubstr(", stages of 3, 13 x 4, 2 x 3"));
  }
}

TEST(LayoutSearches, EmbeddingAndOutputMayHaveStagesOfTheirOwn)
{
  const ParallelJob job = h100_job("gpt2_small", {.global_batch = 14}); // 12 layers
  const LayoutSearch search = search_layouts(job, 14, 5, {}, {.pp = {14}});
  ASSERT_FALSE(search.best.empty());
  EXPECT_EQ(search.best.front().layout.chunks(), 14);
}

TEST(LayoutSearches, AModelThatFitsNowhereIsToldFromHowManyGpusOn)
{
  // Weights, gradients and states of 70.6e9 parameters at 18 B are 1.27 TB: 15 GPUs of 85.5 GB, so 16 at least; on 32
  // half of the memory is left for activations.
  const ParallelJob job = h100_job("llama3_70b", {.global_batch = 256});
  EXPECT_TRUE(search_layouts(job, 8, 1).best.empty());
  const int needed = fewest_gpus(job, 1024);
  EXPECT_GE(needed, 16);
  EXPECT_LE(needed, 32);
}

TEST(ParallelScenarios, TheShippedOneRunsAndWhatCannotBeCombinedIsRefused)
{
  tests::ScenarioRun run = tests::run_scenario("llama3_70b_on_512_h100", {}, false);
  EXPECT_FALSE(run.refused()) << run.messages();
  run = tests::run_scenario("llama3_70b_on_512_h100", {{"run.fidelity", "fluid"}}, false);
  EXPECT_FALSE(run.refused()) << run.messages();
  run = tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.training.parallel.tp", "6"}}, false);
  EXPECT_THAT(run.messages(), HasSubstr("tp = 6 does not divide the 64 heads; try 4 or 8"));
  EXPECT_THAT(run.messages(), HasSubstr("layouts that work, nearest first: TP8 PP4"));
  run = tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.training.parallel.micro_batch", "8"}}, false);
  EXPECT_THAT(run.messages(), HasSubstr("out of GPU memory"));
  EXPECT_THAT(run.messages(), HasSubstr("it fits with"));
  // Two changes in either order are one way out.
  run = tests::run_scenario(
      "llama3_70b_on_512_h100",
      {{"jobs.0.training.parallel", "{tp: 1, pp: 1, dp: 512, micro_batch: 1, global_batch: 512}"}}, false);
  EXPECT_THAT(run.messages(), HasSubstr("recomputation: full, zero: 3"));
  EXPECT_THAT(run.messages(), Not(HasSubstr("zero: 3, recomputation: full")));
  // A name that is unknown chooses no schedule: 5 chunks of a GPU are not held against 1f1b.
  run = tests::run_scenario("llama3_70b_on_512_h100", {{"jobs.0.training.parallel.schedule", "dualpip"}}, false);
  EXPECT_THAT(run.messages(), HasSubstr("unknown schedule 'dualpip'; did you mean 'dualpipe'?"));
  EXPECT_THAT(run.messages(), Not(HasSubstr("no virtual stages")));
  run = tests::run_scenario("llama3_70b_on_512_h100", {{"workload", "{generate: {jobs: 3}}"}}, false);
  EXPECT_THAT(run.messages(), HasSubstr("reads it only with scheduling: {speed: step}"));
}

// 64 machines with 8 cards each on leaf switches whose uplinks carry an eighth of what comes from below; on switches
// that carry all, and below one switch, nothing is said.
TEST(ParallelScenarios, SwitchesThatCarryLessThanTheCardsSendAreTold)
{
  const auto told = [](const std::string& network) {
    return tests::run_scenario("llama3_70b_on_512_h100", {{"cluster.network", network}}, false).messages();
  };
  EXPECT_THAT(told("{topology: leaf_spine, link: IB-NDR, oversubscription: 8}"),
              HasSubstr("warning: the cards of the machines send 8 times what the switches carry"));
  EXPECT_EQ(tests::run_scenario("llama3_70b_on_512_h100",
                                {{"cluster.network", "{topology: leaf_spine, link: IB-NDR, oversubscription: 8}"},
                                 {"run.fidelity", "fluid"}},
                                false)
                .messages(),
            "");
  EXPECT_EQ(told("{topology: leaf_spine, link: IB-NDR}"), "");
  EXPECT_EQ(told("{topology: rail, link: IB-NDR}"), "");
  EXPECT_EQ(told("{topology: star, link: IB-NDR}"), "");
}

TEST(ParallelScenarios, JobsThatTogetherNeedMoreGpusThanThereAreAreRefused)
{
  const std::string job = "{model: llama3_70b, workers: 512, precision: bf16, training: {parallel: {tp: 8, pp: 4, "
                          "sequence_parallel: true, zero: 1, global_batch: 512}}, name: ";
  EXPECT_THAT(
      tests::run_scenario("llama3_70b_on_512_h100", {{"jobs", "[" + job + "a}, " + job + "b}]"}}, false).messages(),
      HasSubstr("the jobs need 1024 GPUs at the same time, and the cluster has 512"));
}

} // namespace
} // namespace trainyard
