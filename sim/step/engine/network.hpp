// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/callback.hpp"

#include <limits>
#include <vector>

namespace trainyard {

/// A flow of bytes over shared capacities.
struct FlowRequest {
  const std::vector<int>* links = nullptr;                // indices of capacities, each once
  double bytes = 0;                                       // that load every one of them
  double limit = std::numeric_limits<double>::infinity(); // bytes/s
  int follows = -1; // pipelined: cannot be more than `lead` bytes ahead of this flow, while that one runs
  double lead = 0;
  int connection = -1; // messages of one connection have one share of every capacity, and one limit, among them, in
                       // equal parts; -1: alone, but at fidelity tcp, where all such of a program with the same links
                       // are on one connection
  int program = 0;     // that it belongs to
  int from = -1, to = -1;                 // ends: what goes the other way is on the same connection
  const std::vector<int>* back = nullptr; // capacities on the way of acknowledgements; null: they come at once
  bool loads_back = false; // acknowledgements load that way; else they are in the bytes of what goes there
  bool asked = false;      // the receiver asks for it, once it has heard that what it sent before is there
};

/// A back end that lets time pass: timers, and flows that share capacities. Everything happens in callbacks; equal
/// times in order of their requests.
class Network
{
public:
  using Callback = trainyard::Callback;

  virtual ~Network() = default;
  virtual double now() const = 0;
  virtual void timer(double delay, Callback callback) = 0;
  /// Starts a flow now; returns its number or -1 where it has none. Without links and limit a flow takes no time.
  virtual int flow(const FlowRequest& request, Callback done) = 0;
  /// Says, after both were started, that @p follower may not be more than @p lead bytes ahead of @p leader. Back ends
  /// without pipelining ignore it.
  virtual void follow(int leader, int follower, double lead, bool pipelined);
  /// What is asked for from now on, until the next such call or callback, is for this operation; what a callback asks
  /// for is for the operation that the callback was for. Only back ends that are watched keep it.
  virtual void belongs_to(int program, int operation);
  /// Runs until nothing is left to happen. @p begin makes the first requests.
  virtual void run(const Callback& begin) = 0;
};

inline void Network::follow(int, int, double, bool) {}
inline void Network::belongs_to(int, int) {}

} // namespace trainyard
