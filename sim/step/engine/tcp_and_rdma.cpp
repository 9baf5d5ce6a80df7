// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/tcp_and_rdma.hpp"

#include <limits>
#include <utility>

namespace trainyard {
namespace {

std::vector<double> rates_of(const std::vector<TcpLink>& links)
{
  std::vector<double> rates;
  rates.reserve(links.size());
  for (const TcpLink& link : links)
    rates.push_back(link.rate);
  return rates;
}

} // namespace

TcpAndRdma::TcpAndRdma(const std::vector<TcpLink>& links, std::vector<bool> rdma, RandomStream chance,
                       std::string control)
    : packets_{links, chance, std::move(control)}, rdma_{std::move(rdma)}, flows_{rates_of(links)}
{
}

int TcpAndRdma::flow(const FlowRequest& request, Callback done)
{
  if (rdma_.empty() || request.links->empty() || !rdma_[static_cast<std::size_t>(request.links->front())])
    return packets_.flow(request, std::move(done));
  if (request.connection < 0) {
    send(request, std::move(done));
    return -1;
  }
  std::deque<Message>& stream = streams_[{request.program, request.connection}];
  stream.emplace_back(request, std::move(done));
  if (stream.size() == 1)
    send_first(stream);
  return -1;
}

void TcpAndRdma::send(const FlowRequest& request, Callback done)
{
  flows_.flow(request, [this, then = std::move(done)] {
    packets_.wait(flows_.now());
    one_ended_ = true;
    then();
  });
}

/// Of a stream, and when it has ended those after it.
void TcpAndRdma::send_first(std::deque<Message>& stream)
{
  send(stream.front().first, [this, &stream] {
    const Callback done = std::move(stream.front().second);
    stream.pop_front();
    if (!stream.empty())
      send_first(stream);
    done();
  });
}

void TcpAndRdma::run(const Callback& begin)
{
  begin();
  const bool to_the_end = false;
  advance(to_the_end);
}

void TcpAndRdma::advance(const bool& stop)
{
  if (rdma_.empty()) {
    packets_.advance(stop);
    return;
  }
  for (;;) {
    const double next = packets_.next();
    if (stop && next > now())
      return;
    one_ended_ = false;
    flows_.advance(next, one_ended_);
    if (one_ended_)
      continue; // what follows from it may come before what was next
    if (next == std::numeric_limits<double>::infinity())
      return;
    packets_.pass(next);
  }
}

} // namespace trainyard
