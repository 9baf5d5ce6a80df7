// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/testbed/plan.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::testbed {

/// What one process of a job is told.
struct Task {
  Plan plan;
  int index = 0;   // of this server, worker or rank
  int workers = 1; // of the job
  int staleness = 0;
  int steps = 5;
  double slow_down = 1;
  double delay = 0; // seconds before the first step
  double bucket_bytes = 0;
  int port = 7000;
  std::vector<std::string> addresses; // of the servers, or of the ranks
};

void serve_tcp(const Task& task);
void work_tcp(const Task& task);
void ring_tcp(const Task& task);
/// Throw std::runtime_error where the testbed was built without gRPC.
void serve_grpc(const Task& task);
void work_grpc(const Task& task);

} // namespace trainyard::testbed
