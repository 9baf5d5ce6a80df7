// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/step.hpp"

#include "sim/parallel/pipeline.hpp"
#include "sim/parallel/step_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace trainyard {

namespace {

/// Tasks of one kind of a pipeline that is run whole. One of more micro-batches repeats itself.
constexpr long long most_tasks = 1 << 20;

/// The schedule's tasks, run one by one. Of very many micro-batches the first are run: beyond, each round of twice as
/// many micro-batches as there are stages takes as long as the one before.
PipelineRun pipeline_time(const PipelineSchedule& schedule, const ParallelLayout& l,
                          const std::vector<ChunkTimes>& times, double handoff)
{
  const auto run = [&](int micro_batches) {
    return run_pipeline(schedule.tasks(l.pp, l.vp, micro_batches), times, handoff, false, schedule.order());
  };
  const int m = l.micro_batches(), round = 2 * l.pp;
  const int first = m % round + round * static_cast<int>(std::max(8LL, most_tasks / (1LL * l.chunks() * round)));
  if (l.own_schedule != nullptr || first >= m)
    return run(m);
  const PipelineRun before = run(first - round);
  PipelineRun all = run(first);
  const double rounds = 1.0 * (m - first) / round, later = rounds * (all.time - before.time);
  all.time += later;
  for (double& end : all.ends)
    end += later;
  for (ChunkEnds& chunk : all.chunks)
    chunk.last_begin += later, chunk.end += later;
  for (std::size_t rank = 0; rank < all.saved.size(); ++rank)
    all.saved[rank] += rounds * (all.saved[rank] - before.saved[rank]);
  return all;
}

} // namespace

ParallelStep StepMaker::make(PipelineDetail detail)
{
  const auto ranks = static_cast<std::size_t>(l_.pp);
  const int m = l_.micro_batches();
  const auto schedule = schedule_for(l_);
  // The rank with the most work; stages that are held twice see half of the micro-batches each.
  std::vector<LayerPasses> of_rank(ranks);
  const double share = schedule->order() == StageOrder::both_ways ? 0.5 : 1;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const int stage : stages_of_rank(l_, static_cast<int>(rank)))
      of_rank[rank] += share * chunks_[static_cast<std::size_t>(stage)];
  std::size_t slowest = 0;
  PassParts parts;
  const auto find_slowest = [&](const std::vector<double>& saved) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      PassParts its = static_cast<double>(m) * of_rank[rank].all();
      its.expert -= saved[rank];
      if (rank == 0 || its.total() > parts.total()) {
        slowest = rank;
        parts = its;
      }
    }
  };
  double instant = 0, all = 0;
  std::optional<double> data;
  const double handoff = stage_message();
  std::vector<int> in_flight(ranks, 1);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    in_flight[rank] = schedule->in_flight(l_.pp, l_.vp, m, static_cast<int>(rank));
  const bool formula = schedule->order() == StageOrder::round && l_.own_schedule == nullptr; // of other orders: none
  if ((detail == PipelineDetail::tasks || !formula) && ranks > 1) {
    const std::vector<ChunkTimes> times = chunk_times();
    PipelineRun run = pipeline_time(*schedule, l_, times, 0);
    instant = run.time;
    find_slowest(run.saved);
    if (handoff > 0)
      run = pipeline_time(*schedule, l_, times, handoff);
    all = run.time;
    if (schedule->order() == StageOrder::both_ways)
      data = exposed_both_ways(run);
  } else {
    find_slowest(std::vector<double>(ranks));
    const ChunkTimes times = of_rank[slowest].times(rates_.collective_share);
    const double busy = parts.total();
    double mean = 0; // a bubble is made of the passes of the other ranks
    for (const LayerPasses& passes : of_rank)
      mean += passes.all().total() / static_cast<double>(ranks);
    instant = busy + schedule->bubble(l_.pp, l_.vp, m, times.forward, times.backward, times.weights) * m * mean;
    all = instant + (ranks > 1 ? handoff * message_rounds(m) : 0);
    if (const int of_micro_batch = ranks > 2 ? 2 * l_.vp : 2 * l_.vp - 1; ranks > 1) // that a rank sends
      all = std::max(all, handoff * m * of_micro_batch);
  }
  if (!data)
    data = exposed_data(of_rank.front());
  ParallelStep step;
  step.compute = Seconds{parts.compute};
  step.host = Seconds{parts.host};
  step.tensor = Seconds{parts.tensor};
  step.context = Seconds{parts.context};
  step.expert = Seconds{parts.expert};
  step.data = Seconds{parts.data + *data};
  step.bubble = Seconds{instant - parts.total()};
  step.pipeline = Seconds{all - instant};
  step.rank = static_cast<int>(slowest);
  step.optimizer = optimizer_time();
  step.step = Seconds{all + *data} + step.optimizer;
  finish(step, in_flight);
  return step;
}

double StepMaker::exposed_data(const LayerPasses& first_rank) const
{
  if (l_.replicas() == 1)
    return tied_embedding();
  const RankParameters held = rank_parameters(l_, t_, 0);
  const auto total = [&](const std::vector<ReplicaMessage>& messages,
                         Seconds (ReplicaMessage::*time)(const ParallelNetwork&) const = &ReplicaMessage::time) {
    double sum = 0;
    for (const ReplicaMessage& message : messages)
      sum += (message.*time)(job_.network).value();
    return sum;
  };
  const int gpus_per_node = job_.network.gpus_per_node;
  if (l_.by_layer()) // with each layer; in a pipeline all but a first gather and a last scatter
    return (l_.weights_by_layer() ? 0 : total(weight_messages(l_, gpus_per_node, held))) +
           (l_.pp > 1 ? messages_.gather + messages_.reduce + messages_.add_copies : 0) + tied_embedding();
  const std::vector<ReplicaMessage> of_gradients = gradient_messages(l_, gpus_per_node, held),
                                    of_weights = weight_messages(l_, gpus_per_node, held);
  double gradients = total(of_gradients), weights = total(of_weights);
  if (l_.overlap_gradients) {
    const double last = share_of_layer(l_, t_, 0, true);
    // The stages' first and last passes follow each other, each slowed by the messages of its own stage.
    const double others = stage_order(l_) == StageOrder::round ? (l_.pp - 1.0) / l_.vp : 0;
    const auto exposed = [&](double time, double between, double computing, double sending) {
      const double early = time * (1 - last), meanwhile = computing * (1 - last);
      return time * last + beside(early, meanwhile, between * (1 - last), sending * (1 - last)) +
             others * rates_.taken_by(early, meanwhile);
    };
    gradients = exposed(gradients, total(of_gradients, &ReplicaMessage::time_between),
                        first_rank.backward.total() + first_rank.weights.total(),
                        on_cards(first_rank.backward) + on_cards(first_rank.weights));
    weights = exposed(weights, total(of_weights, &ReplicaMessage::time_between), first_rank.forward.total(),
                      on_cards(first_rank.forward));
  }
  return gradients + weights + tied_embedding();
}

double StepMaker::exposed_both_ways(const PipelineRun& run) const
{
  DividedWork work;
  work.order = StageOrder::both_ways;
  work.parted = run.parted;
  add_chunks(work);
  const auto ranks = static_cast<std::size_t>(l_.pp);
  const auto total = [](const std::vector<NetworkPart>& parts, Seconds NetworkPart::*time) {
    double sum = 0;
    for (const NetworkPart& part : parts)
      sum += (part.*time).value();
    return sum;
  };
  struct Sent {
    double ready = 0, time = 0;
    std::size_t stage = 0;
  };
  std::vector<Sent> gradients;
  std::vector<double> busy(ranks, 0); // until when the messages of replicas keep each rank
  const auto other = [&](std::size_t stage) { return ranks - 1 - stage; }; // the second rank that holds it
  const auto send = [&](std::size_t stage, double ready, double time) {
    const double end = std::max({ready, busy[stage], busy[other(stage)]}) + time;
    busy[stage] = busy[other(stage)] = end;
    return end;
  };
  double late = 0, slower = 0;
  for (std::size_t stage = 0; stage < ranks; ++stage) {
    const DividedWork::Chunk& chunk = work.chunks[stage];
    const double weights = total(chunk.gather, &NetworkPart::time);
    const double first = send(stage, 0, weights * chunk.alone), all = send(stage, first, weights * (1 - chunk.alone));
    const ChunkEnds held[] = {run.chunks[stage], run.chunks[ranks + other(stage)]};
    for (const ChunkEnds& its : held)
      late = std::max({late, first - its.begin, all - its.computed});
    const double reduced = total(chunk.reduce, &NetworkPart::time);
    double early = 0, end = 0;
    for (const ChunkEnds& its : held) {
      early = std::max(early, its.last_begin + chunk.alone * (its.end - its.last_begin));
      end = std::max(end, its.end);
    }
    if (!l_.overlap_gradients)
      early = end = std::max(run.ends[stage], run.ends[other(stage)]);
    gradients.push_back({early, reduced * (1 - chunk.alone), stage});
    gradients.push_back({end, reduced * chunk.alone, stage});
    slower = std::max(slower, total(chunk.reduce, &NetworkPart::taken) + total(chunk.gather, &NetworkPart::taken));
  }
  std::ranges::stable_sort(gradients, {}, &Sent::ready);
  for (double& until : busy) // the passes are late by as much
    until = std::max(0.0, until - late);
  double last = run.time;
  for (const Sent& message : gradients)
    last = std::max(last, send(message.stage, message.ready, message.time));
  return late + last - run.time + slower + tied_embedding();
}

void StepMaker::finish(ParallelStep& step, const std::vector<int>& in_flight) const
{
  const bool equal = l_.layers_per_stage.empty() && l_.own_schedule == nullptr;
  for (int stage = 0; stage < l_.pp; ++stage) {
    if (equal && stage > 1 && stage + 1 < l_.pp)
      continue; // the second holds fewer micro-batches than the first and no embedding; later ones fewer still
    RankMemory memory = rank_memory(l_, t_, stage, in_flight[static_cast<std::size_t>(stage)]);
    if (l_.kept.paged)
      memory.optimizer -= paged_out(memory.optimizer, memory.total(), job_.gpu.memory);
    if (stage == 0 || memory.total() > step.memory.total())
      step.memory = memory;
  }
  derive_figures(step, job_);
}

std::string schedule_of(const ParallelLayout& layout)
{
  if (!layout.schedule.empty())
    return layout.schedule;
  return layout.vp > 1 ? "interleaved" : "1f1b";
}

ParallelStep parallel_step(const ParallelJob& job, PipelineDetail detail)
{
  return StepMaker{job}.make(detail);
}

Bytes host_states(const ParallelJob& job)
{
  if (!job.layout.offload_optimizer)
    return {};
  ParallelLayout on_gpu = job.layout;
  on_gpu.offload_optimizer = false;
  Bytes most;
  for (int stage = 0; stage < on_gpu.pp; ++stage)
    most = std::max(most, rank_memory(on_gpu, job.transformer, stage, 0).optimizer);
  return most * std::min(job.network.gpus_per_node, on_gpu.gpus());
}

void derive_figures(ParallelStep& step, const ParallelJob& job)
{
  static constexpr Sentence<Figure> computing{"divided.compute", "compute ({share} of the step)"};
  const ParallelLayout& l = job.layout;
  const int sequence = l.sequence > 0 ? l.sequence : job.transformer.sequence;
  step.samples_per_second = l.global_batch / step.step.value();
  step.tokens_per_second = step.samples_per_second * sequence;
  double flop = model_flop_per_sequence(job.transformer, sequence, l.mtp_layers) * l.global_batch;
  if (const LowRank& lora = l.kept.lora; lora.rank > 0) // no gradients of frozen weights; small matrices beside them
    flop += (6 * lora.share * job.transformer.parameters() - job.transformer.forward_flop_per_token(0)) * sequence *
            l.global_batch;
  const auto sheet = job.gpu.sheet.find(l.precision);
  const FlopsPerSecond peak = sheet == job.gpu.sheet.end() ? job.gpu.peak.at(l.precision) : sheet->second;
  step.ideal_compute = Seconds{flop / peak.value() / l.gpus()};
  step.model_flop_utilisation = step.ideal_compute / step.step;
  static constexpr Sentence<Figure> parts[]{
      {"divided.host", "launching kernels ({share} of the step)"},
      {"divided.tensor", "tensor-parallel collectives ({share} of the step)"},
      {"divided.context", "exchange of keys and values ({share} of the step)"},
      {"divided.expert", "all-to-all of experts ({share} of the step)"},
      {"divided.data", "gradients and weights between replicas ({share} of the step)"},
      {"divided.bubble", "pipeline bubble ({share} of the step)"},
      {"divided.pipeline", "messages between stages ({share} of the step)"},
      {"divided.optimizer", "optimiser ({share} of the step)"},
  };
  const std::array times{step.host, step.tensor, step.context,  step.expert,
                         step.data, step.bubble, step.pipeline, step.optimizer};
  const auto largest = std::ranges::max_element(times);
  const auto told = [&](const Sentence<Figure>& part, Seconds time) {
    return part({time / step.step, fmt::format("{:.0f} %", 100 * (time / step.step))});
  };
  const Message other = told(parts[largest - times.begin()], *largest);
  step.besides = *largest > step.step * 0.05 ? other : Message{};
  step.bottleneck = *largest > step.compute ? other : told(computing, step.compute);
}

DividedWork divided_work(const ParallelJob& job)
{
  return StepMaker{job}.work();
}

PipelineRun pipeline_of(const ParallelJob& job)
{
  const StepMaker maker{job};
  const auto schedule = schedule_for(job.layout);
  return run_pipeline(schedule->tasks(job.layout.pp, job.layout.vp, job.layout.micro_batches()), maker.chunk_times(),
                      maker.stage_message(), true, schedule->order());
}

} // namespace trainyard
