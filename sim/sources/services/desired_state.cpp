// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/desired_state.hpp"

namespace trainyard {

std::string to_text(TaskPhase phase)
{
  switch (phase) {
  case TaskPhase::absent:
    return "absent";
  case TaskPhase::waiting:
    return "pending";
  case TaskPhase::backoff:
    return "waiting to restart";
  case TaskPhase::unnoticed:
    return "dead, not noticed yet";
  case TaskPhase::evicting:
    return "lost, not replaced yet";
  case TaskPhase::pulling:
    return "pulling";
  case TaskPhase::starting:
    return "starting";
  case TaskPhase::running:
    return "running";
  case TaskPhase::stopping:
    return "stopping";
  case TaskPhase::finished:
    return "finished";
  case TaskPhase::gone:
    return "gone";
  }
  return "unknown";
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
