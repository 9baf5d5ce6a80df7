// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/tcp_network.hpp"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Messages of TCP, packet by packet, and messages over RDMA, which share links equally: InfiniBand's credits and
/// Ethernet's pauses (IEEE 802.1Qbb) hold a sender back before a queue is full, so nothing is lost, and there is no
/// window. Where both meet on a link, directly or by way of others, all share equally: how much of a link each of the
/// two gets is a setting of the switch (IEEE 802.1Qaz), which is not known. A connection sends its messages one after
/// another, as TCP and a reliable connection of RDMA do (InfiniBand Architecture, transaction ordering).
class TcpAndRdma final : public Network
{
public:
  /// @p rdma: by link, see RouteTable::met_by_rdma().
  TcpAndRdma(const std::vector<TcpLink>& links, std::vector<bool> rdma, RandomStream chance, std::string control);

  double now() const override { return packets_.now(); }
  void timer(double delay, Callback callback) override { packets_.timer(delay, std::move(callback)); }
  int flow(const FlowRequest& request, Callback done) override;
  void run(const Callback& begin) override;
  /// See TcpNetwork.
  void advance(const bool& stop);

private:
  using Message = std::pair<FlowRequest, Callback>;
  void send(const FlowRequest& request, Callback done);
  void send_first(std::deque<Message>& stream);

  TcpNetwork packets_; // and all timers
  std::vector<bool> rdma_;
  FluidNetwork flows_;
  std::map<std::pair<int, int>, std::deque<Message>> streams_; // by program and connection; their addresses stay
  bool one_ended_ = false;                                     // of the flows, at this instant
};

} // namespace trainyard
