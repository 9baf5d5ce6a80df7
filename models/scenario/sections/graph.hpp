// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/device_placement.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// `graph:` of a scenario: operations that a client runs repeatedly on the devices of a cluster of tasks.
struct GraphSection {
  struct Task {
    std::string job;
    int number = 0;
    std::string node;
    std::vector<int> gpus = {}; // of the node: /gpu:0 is the first of them; empty: all of the node's
  };
  std::vector<Task> tasks;
  std::size_t master = 0; // the task whose session it is
  std::string client;     // node of the client program
  std::string transport = "grpc";
  Bytes control_message{200}; // request and reply without tensors
  Seconds cpu_kernel{2e-6};   // start of a kernel on a CPU
  double runs = 1;            // calls of session.run
  bool soft_placement = false;
  bool log_placement = false;
  KernelTable kernels;
  std::vector<TaskDevice> devices;
  std::vector<GraphOperation> operations;
  std::vector<PlacedOperation> placed;
};

} // namespace trainyard
