// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/hardware.hpp"

#include <array>
#include <string>
#include <utility>

namespace trainyard {

/// How files and tables call them.
inline constexpr std::array<std::pair<Provenance, const char*>, 4> provenance_words{
    {{Provenance::measured, "measured"},
     {Provenance::fitted, "fitted"},
     {Provenance::data_sheet, "data sheet"},
     {Provenance::assumed, "assumed"}}};

inline std::string to_text(Provenance provenance)
{
  return provenance_words.at(static_cast<std::size_t>(provenance)).second;
}

} // namespace trainyard
