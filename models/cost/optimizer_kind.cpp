// SPDX-License-Identifier: Apache-2.0
#include "models/cost/optimizer_kind.hpp"

#include "models/core/closest.hpp"
#include "models/cost/kept_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace trainyard {
namespace {

constexpr double of_8_bit = 2 * (1 + 4.0 / 256);
constexpr std::array kinds{OptimizerKind{"sgd", 0, true},
                           OptimizerKind{"sgd_momentum", 4, true},
                           OptimizerKind{"momentum", 4, true},
                           OptimizerKind{"adam", 8, true},
                           OptimizerKind{"adamw", 8, true},
                           OptimizerKind{"lamb", 8, true},
                           OptimizerKind{"lars", 4, true},
                           OptimizerKind{"adagrad", 4, true},
                           OptimizerKind{"rmsprop", 4, true},
                           OptimizerKind{"lion", 4, true},
                           OptimizerKind{"adafactor", 0, false},
                           OptimizerKind{"adam_bf16", 4, false},
                           OptimizerKind{"adam_8bit", of_8_bit, false},
                           OptimizerKind{"paged_adam", 8, false, true},
                           OptimizerKind{"paged_adam_8bit", of_8_bit, false, true}};

struct LogitsShare {
  const char* name;
  double share;
};
constexpr std::array shares{LogitsShare{"all", 1},        LogitsShare{"masked", 0.15}, LogitsShare{"pieces", 1.0 / 8},
                            LogitsShare{"one_kernel", 1}, LogitsShare{"fused", 0},     LogitsShare{"none", 0}};

} // namespace

const OptimizerKind& optimizer_kind(const std::string& name)
{
  const auto* const found = std::ranges::find(kinds, std::string_view{name}, &OptimizerKind::name);
  if (found == kinds.end())
    throw std::invalid_argument{"unknown optimizer '" + name + "'" + did_you_mean(name, optimizer_names())};
  return *found;
}

std::vector<std::string> optimizer_names()
{
  std::vector<std::string> names;
  for (const OptimizerKind& kind : kinds)
    names.emplace_back(kind.name);
  return names;
}

Bytes paged_out(Bytes states, Bytes needed, Bytes room)
{
  constexpr double page = 2 << 20;
  return std::clamp(Bytes{std::ceil((needed - room).value() / page) * page}, Bytes{}, states);
}

KeptParts kept_of(const Settings& settings)
{
  return {.update_in_backward = settings.flag("kept.update_in_backward", false),
          .logits = settings.text("kept.logits", ""),
          .computed_again = settings.flag("kept.computed_again", false),
          .lora = {}};
}

void keep(Settings& settings, const KeptParts& parts)
{
  for (const auto& [key, value] :
       {std::pair{"kept.update_in_backward", parts.update_in_backward}, {"kept.computed_again", parts.computed_again}})
    if (value)
      settings.set(key, 1.0);
  if (!parts.logits.empty())
    settings.set("kept.logits", parts.logits);
}

double logit_bytes(const std::string& logits, double element_bytes, double of_program)
{
  const auto* const found = std::ranges::find(shares, std::string_view{logits}, &LogitsShare::name);
  return logits == "one_kernel" ? 2 * element_bytes : found == shares.end() ? of_program : found->share * of_program;
}

const std::vector<std::string>& logits_kinds()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const LogitsShare& one : shares)
      made.emplace_back(one.name);
    return made;
  }();
  return names;
}

} // namespace trainyard
