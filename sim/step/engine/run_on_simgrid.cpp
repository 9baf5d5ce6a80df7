// SPDX-License-Identifier: Apache-2.0
#include "models/core/child.hpp"
#include "models/core/loaded_part.hpp"
#include "sim/step/engine/simgrid_network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

namespace trainyard {
namespace {

/// SimGrid looks by recursion for what an event changes.
constexpr rlim_t stack_for_them = 64'000'000;

/// Of this process, which may use more of it from now on.
void raise_stack_limit()
{
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= stack_for_them)
    return;
  limit.rlim_cur = std::min(stack_for_them, limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit);
}

void put(std::string& text, double value)
{
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

class Cursor
{
public:
  explicit Cursor(const std::string& text) : text_{text} {}
  double next()
  {
    double value = 0;
    if (position_ + sizeof value > text_.size())
      throw std::runtime_error{"the result of the network simulation is cut off"};
    std::memcpy(&value, text_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  std::size_t count() { return static_cast<std::size_t>(next()); }

private:
  const std::string& text_;
  std::size_t position_ = 0;
};

std::string packed(const std::vector<StepTrace>& traces)
{
  std::string text;
  for (const StepTrace& trace : traces) {
    put(text, trace.begin.value());
    put(text, trace.end.value());
    put(text, static_cast<double>(trace.spans.size()));
    for (const Span& span : trace.spans) {
      put(text, span.begin.value());
      put(text, span.end.value());
    }
    put(text, static_cast<double>(trace.links.size()));
    for (const LinkUse& use : trace.links)
      for (const double value : {static_cast<double>(use.link.index), use.bytes.value(), use.busy.value()})
        put(text, value);
    put(text, static_cast<double>(trace.resources.size()));
    for (const ResourceUse& use : trace.resources)
      for (const double value : {static_cast<double>(use.resource.index), use.bytes.value(), use.busy.value()})
        put(text, value);
  }
  return text;
}

std::vector<StepTrace> unpacked(const std::string& text, std::size_t programs)
{
  Cursor cursor{text};
  std::vector<StepTrace> traces(programs);
  for (StepTrace& trace : traces) {
    trace.begin = Seconds{cursor.next()};
    trace.end = Seconds{cursor.next()};
    trace.spans.resize(cursor.count());
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
      const double begin = cursor.next();
      trace.spans[i] = {OperationId{static_cast<int>(i)}, Seconds{begin}, Seconds{cursor.next()}};
    }
    trace.links.resize(cursor.count());
    for (LinkUse& use : trace.links) {
      use.link = LinkId{static_cast<int>(cursor.next())};
      use.bytes = Bytes{cursor.next()};
      use.busy = Seconds{cursor.next()};
    }
    trace.resources.resize(cursor.count());
    for (ResourceUse& use : trace.resources) {
      use.resource = ResourceId{static_cast<int>(cursor.next())};
      use.bytes = Bytes{cursor.next()};
      use.busy = Seconds{cursor.next()};
    }
  }
  return traces;
}

} // namespace

std::vector<StepTrace> run_on_simgrid(const Cluster& cluster, std::span<const ProgramRun> programs,
                                      CollectiveStyle style, bool by_windows)
{
  // Loaded here, not in each child.
  static const auto make_network =
      part_function<decltype(trainyard_simgrid_network)>("simgrid", "trainyard_simgrid_network");
  try {
    const std::string answer = in_child([&] {
      raise_stack_limit();
      ProgramRunner runner{cluster, programs, style};
      runner.reuse_collectives();
      WindowShares shares = by_windows ? WindowShares{cluster} : WindowShares{};
      const std::unique_ptr<Network> network{make_network(runner.routes(), shares)};
      return packed(runner.run(*network));
    });
    return unpacked(answer, programs.size());
  } catch (const ChildEnded& fault) {
    throw std::runtime_error{std::string{"the network simulation "} + fault.what()};
  }
}

} // namespace trainyard
