// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// One router per node on an n-dimensional grid whose lines are closed to rings (a line of two has one link, not two).
/// Source: Dally, Towles, "Principles and Practices of Interconnection Networks", 2004, chapter 5.
class Torus final : public NetworkLayout
{
public:
  explicit Torus(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    return {
        {"dimensions", "name", "as equal as possible", "length of each axis: \"4 4 2\" or \"4x4x2\""},
        {"axes", "integer", "3", "number of axes if `dimensions` is not given", 1, 8},
        {"link_bandwidth", "bandwidth", "that of the network's link", "bandwidth between two routers, one direction",
         1},
    };
  }

  void connect(NetworkContext& context) const override
  {
    std::vector<int> lengths = even_lengths(context.nodes(), settings_.integer("axes", 3));
    if (settings_.has("dimensions")) {
      const auto given = numbers_in(settings_.text("dimensions", ""));
      if (!given || given->empty() || given->size() > 8)
        return context.report.error("cluster.network.dimensions",
                                    "one to eight whole numbers above zero, as in \"4x4x2\"");
      lengths = *given;
    }
    long long room = 1;
    for (const int length : lengths)
      room = std::min(room * length, 1'000'000'000LL);
    if (room < context.nodes() || room > 1'000'000)
      return context.report.error("cluster.network.dimensions", "the torus has " + std::to_string(room) +
                                                                    " places for " + std::to_string(context.nodes()) +
                                                                    " nodes");
    const BytesPerSecond bandwidth{settings_.number("link_bandwidth", context.link.bandwidth.value())};
    std::vector<VertexId> routers;
    for (long long i = 0; i < room; ++i)
      routers.push_back(context.add_switch("router-" + std::to_string(i)));
    // Router number = x + X (y + Y z): the first axis changes fastest.
    for (long long i = 0; i < room; ++i) {
      long long stride = 1;
      std::vector<int> position;
      for (const int length : lengths) {
        const int at = static_cast<int>(i / stride % length);
        position.push_back(at);
        const bool last = at == length - 1;
        if (length > 1 && !(last && length == 2)) {
          const long long next = last ? i - stride * at : i + stride;
          context.join(routers[static_cast<std::size_t>(i)], routers[static_cast<std::size_t>(next)], bandwidth);
        }
        stride *= length;
      }
      if (i < context.nodes()) {
        const NodeId node{static_cast<int>(i)};
        const int line = static_cast<int>(i / lengths.front()); // a line along the first axis is a rack
        context.cluster.place(node, context.racks_given ? context.cluster.node(node).rack : line, std::move(position));
        context.attach_all(node, routers[static_cast<std::size_t>(i)]);
      }
    }
  }

private:
  /// Factors of the number of nodes, or of the next number that has even ones.
  static std::vector<int> even_lengths(int nodes, int axes)
  {
    std::vector<int> lengths;
    int rest = nodes;
    for (int axis = axes; axis > 1; --axis) {
      int length = std::max(1, static_cast<int>(std::lround(std::pow(rest, 1.0 / axis))));
      while (rest % length != 0)
        --length;
      lengths.push_back(length);
      rest /= length;
    }
    lengths.push_back(rest);
    std::ranges::sort(lengths, std::greater<>{});
    return lengths;
  }

  Settings settings_;
};

TY_REGISTER(NetworkLayout, Torus, "torus", "n-dimensional torus, one router per node");

} // namespace
} // namespace trainyard
