// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/shared_link.hpp"

#include <algorithm>
#include <vector>

namespace trainyard {

int SharedLink::start(Bytes bytes, BytesPerSecond limit, std::function<void()> done)
{
  advance();
  const int number = next_++;
  transfers_[number] = {.left = std::max(bytes.value(), 0.0), .limit = limit.value(), .done = std::move(done)};
  share();
  return number;
}

void SharedLink::stop(int transfer)
{
  advance();
  if (transfers_.erase(transfer) > 0)
    share();
}

void SharedLink::advance()
{
  const double passed = seconds(loop_.now() - since_).value();
  for (auto& [number, transfer] : transfers_)
    transfer.left = std::max(0.0, transfer.left - transfer.rate * passed);
  since_ = loop_.now();
}

/// Rates by filling up: a transfer limited below an even share takes its limit, the others share the rest. Then the
/// next end is due.
void SharedLink::share()
{
  if (due_)
    loop_.cancel(*due_);
  due_.reset();
  if (transfers_.empty())
    return;
  std::vector<Transfer*> open;
  for (auto& [number, transfer] : transfers_)
    open.push_back(&transfer);
  std::ranges::stable_sort(open, {}, &Transfer::limit);
  double left = capacity_;
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i]->rate = std::min(open[i]->limit, left / static_cast<double>(open.size() - i));
    left -= open[i]->rate;
  }
  int first = -1;
  double soonest = std::numeric_limits<double>::infinity();
  for (const auto& [number, transfer] : transfers_)
    if (const double time = transfer.left / transfer.rate; time < soonest) {
      soonest = time;
      first = number;
    }
  due_ = loop_.after(Instant{Seconds{soonest}}, [this, first] {
    due_.reset();
    advance();
    const auto ended = transfers_.find(first);
    const std::function<void()> done = std::move(ended->second.done);
    transfers_.erase(ended);
    share();
    done();
  });
}

} // namespace trainyard
