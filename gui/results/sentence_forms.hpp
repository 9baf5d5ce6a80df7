// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>

namespace trainyard::gui {

/// What a form is a form of, and what fills a place: a name and a number stay, a figure gets the unit of the language,
/// a sample its word; all others are forms again.
enum class Phrase {
  name,
  number,
  figure,
  sample,
  bottleneck,
  comparison,
  gpus,
  win,
  winner,
  calibration,
  computing,
  networking,
  basis,
  reason,
  start,
  gain,
  difference,
  failures,
  tasks,
  event,
  events,
  segment,
  fresh,
  deploying,
  wasting,
  fresher,
  left_out,
  measure,
  without,
  line,
  assumed,
  when, // a time of the clock
  under,
  asking,
  told, // a line of an explanation
  cell, // of a table in it
  head,
  because,
  downs,
  down,
  passed,
  ended,
  parts,
  piece,
  state,
  waiting,
  happening,
  ending,
  choice,
  why,
  misfits,
  misfit,
  warning,
  cause,
  doubt,
  spares,
  never,
  outcome, // of a job with failures
  hit
};

/// %1 to %7 are places; each is filled by its kind.
struct SentenceForm { // NOLINT(clang-analyzer-optin.performance.Padding): forms are read in this order
  Phrase kind;
  const char* text;
  std::array<Phrase, 8> places{};
};

/// Of answers, bottlenecks, bases and assumptions.
std::span<const SentenceForm> answer_forms();
/// Of what `simrun explain` says, and of warnings.
std::span<const SentenceForm> explained_forms();

} // namespace trainyard::gui
