// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace trainyard {

/// Numbers the smallest requests with which jobs start, so that one check is enough for equal requests.
class RequestClasses
{
public:
  /// @p resizes: elastic jobs may start with fewer GPUs than they ask for.
  RequestClasses(const Workload& workload, bool resizes) : workload_{workload}, resizes_{resizes} {}

  std::size_t of(JobId id)
  {
    if (of_job_.empty())
      of_job_.assign(workload_.jobs.size(), -1);
    int& known = of_job_[static_cast<std::size_t>(id.index)];
    if (known < 0)
      known = numbers_.try_emplace(request(id), static_cast<int>(numbers_.size())).first->second;
    return static_cast<std::size_t>(known);
  }
  /// A job was put into the workload at this place.
  void inserted(std::size_t at)
  {
    if (!of_job_.empty())
      of_job_.insert(of_job_.begin() + static_cast<std::ptrdiff_t>(at), -1);
  }
  ResourceRequest request(JobId id) const
  {
    const TraceJob& job = workload_.job(id);
    return request_of(job, resizes_ ? job.smallest_gpus() : job.gpus);
  }

private:
  const Workload& workload_;
  bool resizes_;
  std::map<ResourceRequest, int> numbers_;
  std::vector<int> of_job_; // -1: not asked for yet
};

} // namespace trainyard
