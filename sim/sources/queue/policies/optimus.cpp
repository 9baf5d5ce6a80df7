// SPDX-License-Identifier: Apache-2.0
// Optimus (Peng et al., EuroSys 2018), section 4.1: every interval the GPUs are given out anew. In order of submission
// each job first gets the fewest that it runs on; then, one step at a time, the job whose remaining time falls most per
// GPU added gets more, until no GPU is left or none gains. The remaining time is the work left over the planned speed.
#include "sim/sources/queue/policies/size_rounds.hpp"

#include <queue>
#include <tuple>

namespace trainyard {
namespace {

/// A step of a job to its next size on its type.
struct Gain {
  double per_gpu = 0; // s
  std::size_t job = 0;
  std::size_t to = 0; // in its choices

  bool operator<(const Gain& other) const { return std::tie(per_gpu, other.job) < std::tie(other.per_gpu, job); }
};

/// The fastest of its smallest sizes for which GPUs are left; the number of its choices where there is none.
std::size_t smallest(const SizedJob& job, const std::vector<int>& left)
{
  std::size_t best = job.choices.size();
  for (std::size_t i = 0; i < job.choices.size(); ++i) {
    const SizeChoice& choice = job.choices[i];
    const bool first = i == 0 || job.choices[i - 1].type != choice.type;
    if (first && choice.gpus <= left[static_cast<std::size_t>(choice.type)] &&
        (best == job.choices.size() || choice.speed > job.choices[best].speed))
      best = i;
  }
  return best;
}

class Optimus final : public SizeRounds
{
public:
  explicit Optimus(const Settings& settings) : SizeRounds{"optimus", settings.duration("interval", 600_s)} {}

  static std::vector<Parameter> parameters()
  {
    return {interval_setting("10 min", "time from one plan of all sizes to the next", "Optimus: ten minutes")};
  }

private:
  std::vector<SizeChoice> plan(const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) const override
  {
    std::vector<int> left = capacity;
    std::vector<SizeChoice> chosen(jobs.size());
    std::priority_queue<Gain> gains;
    const auto push = [&](std::size_t job, std::size_t from) {
      const std::vector<SizeChoice>& choices = jobs[job].choices;
      if (from + 1 >= choices.size() || choices[from + 1].type != choices[from].type)
        return;
      const double gain = jobs[job].left / choices[from].speed - jobs[job].left / choices[from + 1].speed;
      if (gain > 0)
        gains.push({gain / (choices[from + 1].gpus - choices[from].gpus), job, from + 1});
    };
    for (std::size_t job = 0; job < jobs.size(); ++job)
      if (const std::size_t first = smallest(jobs[job], left); first < jobs[job].choices.size()) {
        chosen[job] = jobs[job].choices[first];
        left[static_cast<std::size_t>(chosen[job].type)] -= chosen[job].gpus;
        push(job, first);
      }
    while (!gains.empty()) {
      const Gain best = gains.top();
      gains.pop();
      const SizeChoice& next = jobs[best.job].choices[best.to];
      const int more = next.gpus - chosen[best.job].gpus;
      if (more > left[static_cast<std::size_t>(next.type)])
        continue;
      left[static_cast<std::size_t>(next.type)] -= more;
      chosen[best.job] = next;
      push(best.job, best.to);
    }
    return chosen;
  }
};

using OptimusByPool = ByPool<Optimus>;
TY_REGISTER(QueuePolicy, OptimusByPool, "optimus",
            "all sizes anew in rounds: the remaining time that falls most per GPU, by measured speeds (Optimus)");

} // namespace
} // namespace trainyard
