// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Operation types and the kinds of device that have a kernel for them ("cpu", "gpu"): one dated table of a framework.
struct KernelTable {
  std::string name;
  std::string source;
  std::map<std::string, std::vector<std::string>> kernels;
};

/// A device of a task: CPU 0, GPU 0, GPU 1…
struct TaskDevice {
  std::string job;
  int task = 0;
  std::string kind; // "cpu", "gpu"
  int index = 0;
};

/// An operation of a data-flow graph, with the device that the user asked for: "/job:worker/task:1/gpu:0", "/cpu:0", ""
/// …
struct GraphOperation {
  std::string name;
  std::string type;
  std::string device;
  std::string colocate; // on the device of this operation, as with `tf.colocate_with`
  std::vector<std::string> inputs;
  Flops flop;
  Bytes output{4}; // a number
};

struct PlacedOperation {
  std::optional<std::size_t> device; // index into the devices; nothing where it cannot be placed
  std::string chosen;                // "/job:worker/task:1/device:GPU:0"
  std::string reason;                // why there, or why nowhere
};

/// A device in words: "/job:worker/task:1/device:GPU:0".
std::string full_name(const TaskDevice& device);

/// Places operations as TensorFlow 1 does.
///
/// What the user pinned is kept: job, task, kind, number. What was left open is filled in: the session's task (@p job,
/// @p task), the kind of highest priority that has a kernel (GPU before CPU) and that the task has, the device of
/// lowest number. A pin on a device that does not exist or has no kernel is an error, or, with @p soft, falls back to
/// what would have been chosen without its kind and number. Source: TensorFlow 1.x, "Using GPUs"; placer.cc.
std::vector<PlacedOperation> place_operations(const std::vector<GraphOperation>& operations,
                                              const std::vector<TaskDevice>& devices, const KernelTable& kernels,
                                              const std::string& job, int task, bool soft);

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
