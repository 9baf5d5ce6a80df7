// SPDX-License-Identifier: Apache-2.0
// torch.distributed.init_process_group with init_method env://: every rank connects to the store of rank 0 at
// MASTER_ADDR:MASTER_PORT and waits there until world-size ranks have come. A rank that is missing makes all others
// give up at the time-out; without the master's store nobody can start at all. Source: PyTorch documentation,
// torch.distributed, "Initialization" (time-out 30 minutes, port 29500 in its examples and in
// torch.distributed.launch).
#include "models/core/quantity_text.hpp"
#include "models/job/rendezvous.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

class InitProcessGroup final : public RendezvousProtocol
{
public:
  std::vector<std::string> task_names(int workers, int) const override
  {
    std::vector<std::string> names;
    for (int rank = 0; rank < workers; ++rank)
      names.push_back(fmt::format("rank {}", rank));
    return names;
  }

  std::optional<Seconds> default_time_out() const override { return Seconds{1800}; }

  RendezvousOutcome meet(const RendezvousSpec& spec) const override
  {
    Seconds first{1e300};
    for (const JoiningTask& task : spec.tasks)
      if (task.joins)
        first = std::min(first, *task.joins);
    // The clock of a rank runs from its own call on; the first to come is the first to give up.
    const std::optional<Seconds> gives_up = spec.time_out ? std::optional{first + *spec.time_out} : std::nullopt;
    if (!spec.master_up || spec.tasks.empty() || !spec.tasks.front().joins)
      return {std::nullopt, gives_up,
              fmt::format("the master {} does not answer: no rank starts{}", spec.master,
                          gives_up ? fmt::format(", all give up after {}", to_text(*spec.time_out)) : "")};
    const std::vector<std::string> missing = missing_tasks(spec, gives_up);
    if (!missing.empty())
      return {std::nullopt, gives_up,
              fmt::format("{} did not join {}within {}: {} of {} ranks joined", fmt::join(missing, ", "),
                          missing.size() == 1 ? "" : "all ", gives_up ? to_text(*spec.time_out) : "any time",
                          spec.tasks.size() - missing.size(), spec.tasks.size())};
    return {last_join(spec), std::nullopt, {}};
  }
};

TY_REGISTER(RendezvousProtocol, InitProcessGroup, "init_process_group",
            "PyTorch: all ranks meet at the store of rank 0");

} // namespace
} // namespace trainyard
