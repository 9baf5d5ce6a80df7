// SPDX-License-Identifier: Apache-2.0
// Search over layouts by closed form: all of them are looked at, since one takes some ten microseconds.
#include "sim/parallel/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainyard {
namespace {

std::vector<int> divisors(int n, int most)
{
  std::vector<int> list;
  for (int d = 1; d <= std::min(n, most); ++d)
    if (n % d == 0)
      list.push_back(d);
  return list;
}

template <class T>
bool allowed(const std::vector<T>& values, T value)
{
  return values.empty() || std::ranges::find(values, value) != values.end();
}

/// Layers that do not divide evenly are tried over at most so many stages; 61 of DeepSeek-V3 over 16.
constexpr int most_uneven_stages = 16;

/// Goes through the layouts of a search: each member chooses one dimension, and goes on to the next.
class LayoutWalk
{
public:
  LayoutWalk(const ParallelJob& job, int gpus, const LayoutLimits& limits,
             const std::function<void(const ParallelLayout&)>& visit)
      : job_{job}, transformer_{job.transformer}, limits_{limits}, visit_{visit}, gpus_{gpus}, layout_{job.layout}
  {
    layout_.own_schedule = nullptr; // both are made for one number of stages
    layout_.layers_per_stage.clear();
    if (transformer_.latent())
      cheap_.emplace_back("mla_up_proj");
  }

  void all()
  {
    const int widest = limits_.tp.empty() ? job_.network.gpus_per_node : std::ranges::max(limits_.tp);
    for (const int tp : divisors(gpus_, std::min(widest, transformer_.heads))) {
      if (!allowed(limits_.tp, tp))
        continue;
      layout_.tp = tp;
      layout_.sequence_parallel = tp > 1;
      layout_.loss_parallel = job_.layout.loss_parallel || tp == 1;
      layout_.embedding_parallel = job_.layout.embedding_parallel || tp == 1;
      layout_.expert_tp = job_.layout.expert_tp > 1 ? 0 : job_.layout.expert_tp; // all of tp, or none
      for (const int pp :
           divisors(gpus_ / tp, transformer_.layers + 2)) { // embedding and output may have stages of their own
        if (!allowed(limits_.pp, pp))
          continue;
        layout_.pp = pp;
        contexts();
      }
    }
  }

private:
  void contexts()
  {
    const int sequence = job_.layout.sequence > 0 ? job_.layout.sequence : transformer_.sequence;
    const int pieces = std::max(1, sequence / 4096); // shorter pieces of a sequence gain nothing
    const int left = gpus_ / (layout_.tp * layout_.pp);
    for (const int cp : divisors(left, pieces)) {
      layout_.cp = cp;
      layout_.context_exchange = cp > 1 ? job_.layout.context_exchange : std::nullopt;
      layout_.dp = left / cp;
      if (layout_.dp > layout_.global_batch || !allowed(limits_.cp, cp) || !allowed(limits_.dp, layout_.dp))
        continue;
      for (const int ep : divisors(std::min(transformer_.experts, layout_.replicas()), transformer_.experts)) {
        if (!allowed(limits_.ep, ep))
          continue;
        layout_.ep = ep;
        layout_.low_precision_dispatch = job_.layout.low_precision_dispatch && ep > 1;
        micro_batches();
      }
    }
  }

  void micro_batches()
  {
    for (int micro = 1; 1LL * micro * layout_.dp <= layout_.global_batch && micro <= 16; micro *= 2) {
      if (!allowed(limits_.micro_batch, micro))
        continue;
      layout_.micro_batch = micro;
      chunks();
    }
  }

  void chunks()
  {
    const int pp = layout_.pp;
    for (int vp = 1; vp * pp <= transformer_.layers + 2 && (pp > 1 || vp == 1) && vp <= 16; ++vp) {
      if (!allowed(limits_.vp, vp))
        continue;
      layout_.vp = vp;
      layout_.layers_per_stage.clear();
      if (layers_of_chunks(layout_, transformer_).empty()) {
        if (layout_.chunks() > most_uneven_stages)
          continue;
        layout_.layers_per_stage = even_stages(layout_.chunks(), transformer_.layers);
      }
      kinds();
    }
  }

  /// What replicas divide, and what is computed again.
  void kinds()
  {
    const bool choose_parts = limits_.recomputation.empty() && job_.layout.recomputed.empty();
    for (const int zero : {0, 1, 2, 3}) {
      if (limits_.zero.empty() ? (zero > 0 && layout_.replicas() == 1) || zero == 2 : !allowed(limits_.zero, zero))
        continue;
      if (limits_.zero.empty() && zero == 3 && layout_.pp > 1)
        continue;
      layout_.zero = zero;
      for (const Recomputation again : {Recomputation::none, Recomputation::selective, Recomputation::full}) {
        if (limits_.recomputation.empty() ? again == Recomputation::selective && layout_.fused_attention()
                                          : !allowed(limits_.recomputation, again))
          continue;
        layout_.recomputation = again;
        layout_.recomputed = again == Recomputation::full ? std::vector<std::string>{} : job_.layout.recomputed;
        visit_sound();
        if (!choose_parts || zero == 3 || again != Recomputation::none)
          continue;
        layout_.recomputed = cheap_;
        visit_sound();
      }
    }
  }

  /// Settings of the file count where they have an effect.
  void visit_sound()
  {
    layout_.root_unit = layout_.zero >= 2 && layout_.pp == 1 ? job_.layout.root_unit : std::nullopt;
    layout_.gradient_sync = layout_.zero >= 2 ? job_.layout.gradient_sync : std::nullopt;
    layout_.sharding = layout_.zero == 2 ? job_.layout.sharding : std::nullopt;
    const bool uneven = layout_.ep > 1 || layout_.experts_by() == "padded";
    layout_.expert_imbalance = uneven ? job_.layout.expert_imbalance : 1;
    if (layout_faults(layout_, transformer_, gpus_).empty())
      visit_(layout_);
  }

  const ParallelJob& job_;
  const Transformer& transformer_;
  const LayoutLimits& limits_;
  const std::function<void(const ParallelLayout&)>& visit_;
  int gpus_;
  ParallelLayout layout_;
  /// What costs least to compute again for what it saves; nobody does so in fully sharded layers.
  std::vector<std::string> cheap_{"layernorm", "activation"};
};

/// Calls @p visit with every layout without faults.
void for_each_layout(const ParallelJob& job, int gpus, const LayoutLimits& limits,
                     const std::function<void(const ParallelLayout&)>& visit)
{
  LayoutWalk{job, gpus, limits, visit}.all();
}

/// Keeps those of a front that the new one does not beat, and the new one unless one of them beats it.
void add_to_front(std::vector<FoundLayout>& front, const ParallelLayout& layout, const ParallelStep& step)
{
  const auto beats = [](const ParallelStep& a, const ParallelStep& b) {
    return a.step <= b.step && a.memory.total() <= b.memory.total();
  };
  if (std::ranges::any_of(front, [&](const FoundLayout& other) { return beats(other.step, step); }))
    return;
  std::erase_if(front, [&](const FoundLayout& other) { return beats(step, other.step); });
  front.push_back({layout, step, {}});
}

} // namespace

std::string why_slower(const ParallelStep& step, const ParallelStep& best)
{
  const std::array<std::pair<const char*, Seconds>, 9> parts{{
      {"compute", step.compute - best.compute},
      {"launching kernels", step.host - best.host},
      {"tensor-parallel collectives", step.tensor - best.tensor},
      {"keys and values", step.context - best.context},
      {"all-to-all of experts", step.expert - best.expert},
      {"gradients and weights", step.data - best.data},
      {"pipeline bubble", step.bubble - best.bubble},
      {"messages between stages", step.pipeline - best.pipeline},
      {"optimiser", step.optimizer - best.optimizer},
  }};
  std::vector<std::pair<const char*, Seconds>> sorted{parts.begin(), parts.end()};
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& part) { return part.second; });
  std::string text;
  for (std::size_t i = 0; i < 2; ++i)
    if (sorted[i].second > best.step * 0.002)
      text += fmt::format("{}{} {:+.1f} %", text.empty() ? "" : ", ", sorted[i].first,
                          100 * (sorted[i].second / best.step));
  return text.empty() ? "about as fast" : text;
}

LayoutSearch search_layouts(const ParallelJob& job, int gpus, std::size_t most, const SearchProgress& progress,
                            const LayoutLimits& limits)
{
  LayoutSearch search;
  std::size_t total = 0, done = 0;
  if (progress)
    for_each_layout(job, gpus, limits, [&](const ParallelLayout&) { ++total; });
  const auto tell = [&](std::size_t every) {
    if (++done % every == 0 && progress)
      progress(done, total);
  };
  ParallelJob looked = job;
  const auto faster = [](const FoundLayout& a, const FoundLayout& b) { return a.step.step < b.step.step; };
  const std::size_t kept = 4 * most;
  for_each_layout(job, gpus, limits, [&](const ParallelLayout& layout) {
    looked.layout = layout;
    ParallelStep step = parallel_step(looked, PipelineDetail::formula);
    const Bytes needed = step.memory.total();
    if (search.examined == 0 || needed < search.least_memory)
      search.least_memory = needed;
    ++search.examined;
    tell(1000);
    if (needed > job.gpu.memory) {
      ++search.too_large;
      if (!search.fastest_too_large || step.step < search.fastest_too_large->step.step)
        search.fastest_too_large = FoundLayout{layout, std::move(step), {}};
      return;
    }
    search.steps.push_back(step.step.value());
    add_to_front(search.front, layout, step);
    if (search.best.size() == kept && !(step.step < search.best.front().step.step))
      return;
    search.best.push_back({layout, std::move(step), {}});
    std::ranges::push_heap(search.best, faster); // the slowest in front
    if (search.best.size() > kept) {
      std::ranges::pop_heap(search.best, faster);
      search.best.pop_back();
    }
  });
  total += search.best.size() + search.front.size();
  const auto in_tasks = [&](const ParallelLayout& layout) {
    looked.layout = layout;
    tell(1);
    return parallel_step(looked, PipelineDetail::tasks);
  };
  for (FoundLayout& found : search.best)
    found.step = in_tasks(found.layout);
  for (const FoundLayout& found : std::exchange(search.front, {}))
    add_to_front(search.front, found.layout, in_tasks(found.layout));
  if (search.fastest_too_large)
    search.fastest_too_large->step = in_tasks(search.fastest_too_large->layout);
  std::ranges::stable_sort(search.best, faster);
  std::ranges::stable_sort(search.front, faster);
  if (search.best.size() > most)
    search.best.resize(most);
  for (std::size_t i = 1; i < search.best.size(); ++i)
    search.best[i].why_slower = why_slower(search.best[i].step, search.best.front().step);
  return search;
}

int fewest_gpus(const ParallelJob& job, int most_gpus, const LayoutLimits& limits, const SearchProgress& progress)
{
  const auto fits = [&](int gpus) { return !search_layouts(job, gpus, 1, progress, limits).best.empty(); };
  // Whole machines. More may fit worse: what divides layers and batch decides, so that each small number is tried.
  for (std::int64_t machines = 1; machines * job.network.gpus_per_node <= most_gpus;
       machines += std::max<std::int64_t>(1, machines / 32 * 4))
    if (const auto gpus = static_cast<int>(machines * job.network.gpus_per_node); fits(gpus))
      return gpus;
  return 0;
}

} // namespace trainyard
