// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace trainyard::python {

/// A decision of a policy that the rules do not allow: trainyard.PolicyError.
class PolicyFault : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// What the objects of a policy share: the queue while it runs, and the cluster while the policy decides.
struct Session : std::enable_shared_from_this<Session> {
  std::shared_ptr<const Workload> workload;
  std::string policy;                           // its class, for messages
  const ClusterView* view = nullptr;            // null: the run is over
  Decisions* decisions = nullptr;               // null: the policy is not deciding
  std::vector<pybind11::object> jobs;           // by number; made when they arrive
  std::unordered_map<std::string, int> numbers; // by name; filled when a name is asked for
  std::vector<JobId> order;                     // who waits, in order of arrival; -1: has left
  std::vector<std::size_t> place;               // of each job in `order`
  std::size_t head = 0;                         // the first in `order` that may wait
  std::size_t waiting = 0;

  const ClusterView& now() const;
  pybind11::object job(JobId id);
  JobId id_of(const pybind11::handle& job);
  void arrive(JobId id);
  void leave(JobId id);
  /// Drops those that have left, once they are many. Not while somebody walks along `order`.
  void tidy();
};

/// The jobs that wait, in order of their arrival.
struct Queue {
  std::shared_ptr<Session> session;
};

/// The machines, and what a policy may do.
struct Cluster {
  std::shared_ptr<Session> session;

  const ClusterView& view() const { return session->now(); }
  const ClusterState& state() const { return view().cluster(); }
};

/// What the list that decide() returned asks for. A job that does not fit is a fault: the policy has counted wrongly.
void follow_list(Session& session, const pybind11::object& list);

/// The classes Job, Queue, Cluster and Machine.
void define_policy_classes(pybind11::module_& module);

} // namespace trainyard::python
