// SPDX-License-Identifier: Apache-2.0
// TensorFlow 1.x: every task starts a server with the same ClusterSpec and waits in join(); the session's master
// contacts all tasks and waits for each that does not answer ("CreateSession still waiting for response from worker"),
// by itself without end. Source: TensorFlow 1.x, "Distributed TensorFlow"; master_session.cc.
#include "models/core/quantity_text.hpp"
#include "models/job/rendezvous.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

class ClusterSpecProtocol final : public RendezvousProtocol
{
public:
  std::vector<std::string> task_names(int workers, int servers) const override
  {
    std::vector<std::string> names;
    for (int server = 0; server < servers; ++server)
      names.push_back(fmt::format("/job:ps/task:{}", server));
    for (int worker = 0; worker < workers; ++worker)
      names.push_back(fmt::format("/job:worker/task:{}", worker));
    return names;
  }

  std::optional<Seconds> default_time_out() const override { return std::nullopt; }

  RendezvousOutcome meet(const RendezvousSpec& spec) const override
  {
    const std::optional<Seconds> last = last_join(spec);
    if (!spec.master_up)
      return {std::nullopt, spec.time_out,
              fmt::format("the master {} does not answer: no session is created", spec.master)};
    if (last && (!spec.time_out || *last <= *spec.time_out))
      return {last, std::nullopt, {}};
    const std::vector<std::string> missing = missing_tasks(spec, spec.time_out);
    return {std::nullopt, spec.time_out,
            fmt::format("CreateSession waits for {}{}", fmt::join(missing, ", "),
                        spec.time_out ? fmt::format(" and gives up after {}", to_text(*spec.time_out)) : " for ever")};
  }
};

TY_REGISTER(RendezvousProtocol, ClusterSpecProtocol, "cluster_spec",
            "TensorFlow 1: servers with one ClusterSpec, the session waits for all");

} // namespace
} // namespace trainyard
