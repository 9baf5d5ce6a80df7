// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/desired_state.hpp"

namespace trainyard {

Message message_of(TaskPhase phase)
{
  static constexpr Sentence<> phases[]{{"services.absent", "absent"},
                                       {"services.waiting", "pending"},
                                       {"services.backoff", "waiting to restart"},
                                       {"services.unnoticed", "dead, not noticed yet"},
                                       {"services.evicting", "lost, not replaced yet"},
                                       {"services.pulling", "pulling"},
                                       {"services.task_starts", "starting"},
                                       {"services.running", "running"},
                                       {"services.stopping", "stopping"},
                                       {"services.finished", "finished"},
                                       {"services.gone", "gone"}};
  return phases[static_cast<std::size_t>(phase)]();
}

std::string to_text(TaskPhase phase)
{
  return message_of(phase).text;
}

std::string to_text(EndReason reason)
{
  switch (reason) {
  case EndReason::runs:
    return "runs";
  case EndReason::finished:
    return "finished";
  case EndReason::crashed:
    return "process failed";
  case EndReason::node_lost:
    return "node failed";
  case EndReason::cut_off:
    return "node cut off";
  case EndReason::daemon:
    return "container daemon stopped";
  case EndReason::updated:
    return "replaced by an update";
  case EndReason::scaled_down:
    return "scaled down";
  case EndReason::preempted:
    return "preempted by a higher priority";
  case EndReason::job_ended:
    return "ended with its job";
  case EndReason::gpu_lost:
    return "GPU failed";
  case EndReason::out_of_gpu_memory:
    return "out of GPU memory";
  }
  return "unknown";
}

} // namespace trainyard
