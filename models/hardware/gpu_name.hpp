// SPDX-License-Identifier: Apache-2.0
// What drivers, labels, schedulers and the catalogue call a GPU, taken apart: "NVIDIA A100 80GB PCIe",
// "nvidia_a100_80gb_pcie" and "A100-PCIe-80GB" are the same.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// The parts of a name.
struct GpuName {
  std::vector<std::string> words; // the model first: a100; titan, x; 6000, ada
  std::string form;               // sxm4, pcie, oam; empty: not said
  double gigabytes = 0;           // 0: not said

  /// Whether the model of @p card begins this name.
  bool begins_with(const GpuName& card) const;
  /// Whether a card of that form may be meant.
  bool may_have_form(const std::string& of_card) const;
  std::string model() const;
};

GpuName gpu_name(const std::string& text);

/// The only one of @p cards (names of the catalogue) that @p text can name; empty where none or several can.
std::string only_gpu_named(const std::string& text, std::span<const std::string> cards);

} // namespace trainyard
