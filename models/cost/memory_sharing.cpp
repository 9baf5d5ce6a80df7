// SPDX-License-Identifier: Apache-2.0
#include "models/cost/memory_sharing.hpp"

#include "models/core/quantity_text.hpp"
#include "models/cost/memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace trainyard {
namespace {

enum class What { end, start, change };

struct Event {
  double time = 0;
  What what = What::start;
  std::size_t process = 0;
  std::size_t demand = 0;
  auto key() const { return std::tuple{time, what, process, demand}; }
};

class Replay
{
public:
  Replay(const std::vector<Bytes>& gpus, const std::vector<GpuProcess>& processes, double fragmentation)
      : gpus_{gpus}, processes_{processes}, unusable_{fragmentation}, free_{gpus}
  {
    for (const GpuProcess& process : processes_) {
      sharing_.processes.push_back({.process = process.name});
      held_.emplace_back(gpus.size());
    }
  }

  MemorySharing run()
  {
    std::vector<Event> events;
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      const GpuProcess& process = processes_[p];
      events.push_back({process.start.value(), What::start, p, 0});
      if (process.end)
        events.push_back({process.end->value(), What::end, p, 0});
      for (std::size_t d = 0; d < process.demand.size(); ++d)
        events.push_back({(process.start + process.demand[d].at).value(), What::change, p, d});
    }
    std::ranges::sort(events, {}, &Event::key);
    for (const Event& event : events) {
      now_ = Seconds{event.time};
      ProcessOutcome& outcome = sharing_.processes[event.process];
      if (outcome.failed || (event.what != What::start && !outcome.started))
        continue;
      if (event.what == What::start)
        start(event.process);
      else if (event.what == What::end)
        give_back(event.process);
      else
        change(event.process, processes_[event.process].demand[event.demand].bytes);
    }
    return std::move(sharing_);
  }

private:
  void start(std::size_t p)
  {
    const GpuProcess& process = processes_[p];
    ProcessOutcome& outcome = sharing_.processes[p];
    if (process.policy != "allow_growth")
      for (const int gpu : process.visible) {
        const auto g = static_cast<std::size_t>(gpu);
        const Bytes wanted = reserved(process, g);
        if (wanted > free_[g] * (1 + 1e-12)) {
          fail(p, fmt::format("cannot reserve {} of GPU {}: {} of {} are left{}", to_text(wanted), gpu,
                              to_text(free_[g]), to_text(gpus_[g]), holders(g)));
          return;
        }
      }
    outcome.started = true;
    for (const int gpu : process.visible)
      if (process.policy != "allow_growth")
        hold(p, static_cast<std::size_t>(gpu), reserved(process, static_cast<std::size_t>(gpu)), Bytes{});
  }

  Bytes reserved(const GpuProcess& process, std::size_t gpu) const
  {
    return gpus_[gpu] * (process.policy == "all" ? reserved_share : process.fraction);
  }

  void change(std::size_t p, Bytes demand)
  {
    const GpuProcess& process = processes_[p];
    for (const int gpu : process.visible) {
      const auto g = static_cast<std::size_t>(gpu);
      if (process.policy != "allow_growth") {
        if (demand > held_[p][g]) {
          fail(p, fmt::format("needs {} of GPU {}, has reserved {}", to_text(demand), gpu, to_text(held_[p][g])));
          return;
        }
        record(p, g, demand);
        continue;
      }
      const Bytes wanted = demand / (1 - unusable_);
      const Bytes before = held_[p][g];
      if (wanted > before && wanted - before > free_[g] * (1 + 1e-12)) {
        fail(p, fmt::format("needs {} more of GPU {}: {} of {} are left{}", to_text(wanted - before), gpu,
                            to_text(free_[g]), to_text(gpus_[g]), holders(g)));
        return;
      }
      hold(p, g, process.gives_back ? wanted : std::max(wanted, before), demand);
    }
  }

  void hold(std::size_t p, std::size_t gpu, Bytes bytes, Bytes used)
  {
    free_[gpu] -= bytes - held_[p][gpu];
    held_[p][gpu] = bytes;
    sharing_.processes[p].most_held = std::max(sharing_.processes[p].most_held, bytes);
    record(p, gpu, used);
  }

  void record(std::size_t p, std::size_t gpu, Bytes used)
  {
    sharing_.timeline.push_back({now_, static_cast<int>(gpu), processes_[p].name, held_[p][gpu], used});
  }

  void give_back(std::size_t p)
  {
    for (const int gpu : processes_[p].visible)
      if (held_[p][static_cast<std::size_t>(gpu)] > Bytes{})
        hold(p, static_cast<std::size_t>(gpu), Bytes{}, Bytes{});
  }

  void fail(std::size_t p, std::string reason)
  {
    sharing_.processes[p].failed = now_;
    sharing_.processes[p].reason = std::move(reason);
    give_back(p);
  }

  std::string holders(std::size_t gpu) const
  {
    std::string text;
    for (std::size_t p = 0; p < processes_.size(); ++p)
      if (held_[p][gpu] > Bytes{})
        text += fmt::format("{}'{}' holds {}", text.empty() ? "; " : ", ", processes_[p].name, to_text(held_[p][gpu]));
    return text;
  }

  const std::vector<Bytes>& gpus_;
  const std::vector<GpuProcess>& processes_;
  double unusable_ = 0;
  std::vector<Bytes> free_;
  std::vector<std::vector<Bytes>> held_; // by process, by GPU
  Seconds now_;
  MemorySharing sharing_;
};

} // namespace

MemorySharing share_memory(const std::vector<Bytes>& gpus, const std::vector<GpuProcess>& processes,
                           double fragmentation)
{
  return Replay{gpus, processes, fragmentation}.run();
}

} // namespace trainyard
