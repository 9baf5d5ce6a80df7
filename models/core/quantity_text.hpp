// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trainyard {

/// What a text such as "25 Gbit/s" may mean. Kinds as in Parameter::kind, and the rest of what files hold.
enum class QuantityKind { duration, bytes, bandwidth, flops, flops_rate, power, money_rate, money, ratio, temperature };

/// A number in the base unit of its kind (s, B, B/s, flop, flop/s, W, $/h, $, 1, degrees C), or what is wrong with the
/// text and which units exist.
struct QuantityText {
  double value = 0;
  std::string error;

  explicit operator bool() const { return error.empty(); }
};

/// Reads "<number> <unit>" (the blank is optional): durations ns us µs ms s min h d w; bytes B kB MB GB TB KiB MiB GiB
/// TiB; bandwidth in bytes (GB/s, GiB/s) or bits (Gbit/s, Gbps is refused: it is read both ways); flop/s (TFLOP/s); W,
/// kW; $/h; %; a bare number is an error except for ratio.
QuantityText parse_quantity(std::string_view text, QuantityKind kind);

/// Shortest text that parse_quantity reads back to the same number of @p digits significant digits: "12.5 GB/s", "5
/// us".
std::string to_text(double value, QuantityKind kind, int digits = 6);

std::string to_text(Seconds seconds);
std::string to_text(Bytes bytes);
std::string to_text(BytesPerSecond bandwidth);

/// Units that parse_quantity takes for a kind, as they are written.
std::vector<std::string> unit_names(QuantityKind kind);

/// "duration", "bytes", "bandwidth"…: the name of a kind in files and in the schema.
std::string kind_name(QuantityKind kind);
std::optional<QuantityKind> kind_of_name(const std::string& name);

} // namespace trainyard
