// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace trainyard {

/// A fidelity and why it was chosen.
struct ChosenFidelity {
  std::string name;
  std::string why; // "64 workers, more than 16"; empty where the user chose
};

/// What `auto` stands for.
///
/// `flow` simulates meeting rings message by message. With many workers this takes minutes: 290 s where `fluid` takes
/// 0.2 s and differs by 0.3 %. So it is taken for one job of few workers only.
ChosenFidelity auto_fidelity(int jobs, int workers);

} // namespace trainyard
