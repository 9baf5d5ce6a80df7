// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/server_fabric.hpp"
#include "sim/step/training/server_plan.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// Adds what groups of workers and parameter servers send each other to a program, variable by variable.
class ServerMessages
{
public:
  using Ids = std::vector<OperationId>;

  /// All live as long as this.
  ServerMessages(StepProgram& program, const TrainingContext& context, const ServerExchange& exchange,
                 const ServerPlan& plan, ServerFabric& fabric)
      : program_{program}, c_{context}, e_{exchange}, plan_{plan}, fabric_{fabric}
  {
  }

  OperationId add(SharedText name, Role role, Work work, Ids after, SmallList<LaneId> lanes, int step, int worker,
                  int priority = 0);
  SharedText label(std::string_view verb, int part);
  /// Variable parts from their server to every worker of the group.
  std::vector<Ids> pull(int group, const PulledMessage& pulled, int step, const Ids& after, int priority = 0);
  /// One gradient part from a group to its server; ends when the server has added it.
  Ids push(int group, int part, Bytes bytes, int step, const Ids& produced);

private:
  /// The latest one. Messages that are asked for at once can share it.
  struct Request {
    OperationId operation;
    Seconds latency;
    Ids after;
    bool goes_for(Seconds other, const Ids& begin) const
    {
      return !begin.empty() && other == latency && begin == after;
    }
  };

  VertexId gpu(int worker) const { return c_.placement.workers[static_cast<std::size_t>(worker)]; }
  VertexId host(const WorkerGroup& group) const { return c_.cluster.node(group.node).host; }
  Seconds latency_of_way(VertexId from, VertexId to);
  Ids send(SharedText name, Role role, Transfer transfer, Ids after, SmallList<LaneId> lanes, int step, int worker,
           int priority = 0);
  Ids scatter(const WorkerGroup& g, int part, int step, const Ids& after, bool to_host);
  OperationId collective(const std::string& operation, const WorkerGroup& g, int part, int step, Ids after);

  StepProgram& program_;
  const TrainingContext& c_;
  const ServerExchange& e_;
  const ServerPlan& plan_;
  ServerFabric& fabric_;
  Request request_;
  std::vector<std::vector<std::pair<std::string, SharedText>>> labels_; // by part: of each verb
  std::map<std::pair<VertexId, VertexId>, Seconds> latency_of_way_;
};

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
