// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/server_messages.hpp"

#include <vector>

namespace trainyard {

/// The collectives by which workers sum what is no table of rows (ServerExchange::dense_by_all_reduce), as those of
/// mode all_reduce.
class DenseSums
{
public:
  using Ids = ServerMessages::Ids;

  /// Adds its lanes to @p program. @p workers: of the job; one alone has nothing to sum.
  DenseSums(StepProgram& program, const TrainingContext& context, const Transport& transport, int workers);

  /// A worker's backward pass in this step, by layer; layers without an operation compute with those before them.
  void wait_for(const std::vector<OperationId>& backward);

  /// The sums of what was waited for; @p computed where one worker alone has computed it.
  Ids sum(int step, ServerMessages& messages, Ids computed);

  /// Share of the gradients that is no table.
  double share() const { return share_; }

private:
  StepProgram& program_;
  double share_ = 0;
  std::vector<PlannedCollective> planned_; // buckets, and their calls
  std::vector<CollectiveCall> calls_;
  std::vector<Ids> ready_; // the backward passes that each bucket waits for
  HostCopies copies_;
  LaneId stream_;
};

} // namespace trainyard
