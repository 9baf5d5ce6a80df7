// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/server_messages.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// The batches of workers that exchange through servers: fed by the client, or read and preprocessed on their node.
class WorkerInput
{
public:
  using Ids = ServerMessages::Ids;

  /// All live as long as this.
  WorkerInput(StepProgram& program, const TrainingContext& context, const ServerExchange& exchange,
              const ServerPlan& plan, ServerFabric& fabric, ServerMessages& messages);

  /// The batch of @p step leaves its buffer, which may be filled again: what the forward pass waits for, @p start alone
  /// where samples are in memory.
  Ids take(int worker, int step, Ids start);

private:
  Ids bring(int worker, int step, const Ids& start);
  /// The batch that must have been taken before the buffer of @p size batches has room; none at first.
  Ids room(int worker, int size) const;
  LaneId lane(NodeId node, const std::string& name);

  StepProgram& program_;
  const TrainingContext& c_;
  const ServerExchange& e_;
  const ServerPlan& plan_;
  ServerFabric& fabric_;
  ServerMessages& messages_;
  std::map<std::pair<NodeId, std::string>, LaneId> lanes_;
  std::vector<std::vector<OperationId>> taken_; // by worker and step
};

} // namespace trainyard
