// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/slurm_parts.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// The jobs of `scontrol show job`: those that run hold their machines from time 0, which is now, and those that wait
/// come after them.
class SlurmJobs
{
public:
  void read(const SlurmLine& record, const ImportPlace& place, ImportContext& context);
  /// After the last file: the jobs of the draft.
  void finish(ImportContext& context);
  std::size_t size() const { return jobs_.size(); }

private:
  struct Job {
    DraftQueueJob job;
    ImportPlace place;
    bool runs = false;
    double end = 0;                                   // of one that runs, since 1970
    double eligible = 0;                              // it does not start before
    double priority = 0;                              // as Slurm has worked it out
    std::string held;                                 // why it never starts
    std::string hosts;                                // where it runs
    std::string features;                             // that its machines must have
    std::string excluded;                             // machines that it must not have
    double submitted() const { return job.submit_s; } // since 1970, until the end
  };

  void note_now(const SlurmLine& record);
  void leave_out_held(ImportReport& report);
  bool hold_hosts(Job& one, ImportContext& context);
  bool narrow(Job& one, ImportContext& context) const;
  void set_times(ImportContext& context);
  void forget_ended();

  std::vector<Job> jobs_;
  double now_ = 0; // since 1970: the newest time of the records
  struct Gone {
    std::string name;
    double end = 0; // since 1970
  };
  std::vector<Gone> gone_; // that run elsewhere
};

} // namespace trainyard
