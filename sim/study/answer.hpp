// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/scenario/document.hpp"
#include "sim/study/measures.hpp"

#include <span>
#include <string>
#include <utility>

namespace trainyard {

/// The sentence of a scenario that answers its question, with figures in braces (`answer: "the ring takes {step_time
/// at ring}"`). A figure is a measure (`simrun list measures`, or any number of summary.json):
/// - {MEASURE}: its value; of several points or policies each of them
/// - {MEASURE at POINT}: of one point of the sweep, or of one policy
/// - {lowest MEASURE}, {highest MEASURE}: which point or policy it is, and its value
/// - {A / B}, {A - B}: two of them
/// - {unfinished(JOB)}, {bottleneck(JOB)}, {waited_for(SERVICE)}: why work was not done, what held it up, in words
/// - {services.holds}: what the run says by itself, by the id of the message (`messages` of summary.json)
/// Empty where the scenario has none; a brace or a figure that is not complete goes to @p diagnostics.
std::string answer_form(const Document& document, Diagnostics& diagnostics);

/// The sentence with the figures of a run; @p outcomes: label and figures of every point. Points in which work was not
/// done are left out of comparisons, and the sentence says so. Throws InputError where a figure is not among those of
/// the run.
std::string answer_of(const std::string& form, std::span<const std::pair<std::string, PointOutcome>> outcomes,
                      const Messages& said);

struct CheckedPoint;

/// Which of the values that the scenario leaves to us decide the speed of its training most, and how much: each is
/// replaced by another that is as usual, by closed form. At most three, the largest effect first; those below 1 % are
/// not told, and nothing of several jobs.
Messages decisive_assumptions(const Document& document, const CheckedPoint& point);

} // namespace trainyard
