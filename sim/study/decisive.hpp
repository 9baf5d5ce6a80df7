// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/scenario/document.hpp"

namespace trainyard {

struct CheckedPoint;

/// Which of the values that the scenario leaves to us decide the speed of its training most, and how much: each is
/// replaced by another that is as usual, by closed form. At most three, the largest effect first; those below 1 % are
/// not told, and nothing of several jobs.
Messages decisive_assumptions(const Document& document, const CheckedPoint& point);

} // namespace trainyard
