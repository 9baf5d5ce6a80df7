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
  return flows_.flow(request, [this, then = std::move(done)] {
    packets_.wait(flows_.now());
    one_ended_ = true;
    then();
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
