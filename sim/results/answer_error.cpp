// SPDX-License-Identifier: Apache-2.0
#include "sim/results/results.hpp"

#include "models/core/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<std::string, Figure, Figure, Figure, Figure, std::int64_t, Figure> holds{
    "accuracy.holds",
    "How far off: in published tables of this kind ({kind}), {low} to {high} times the predicted step was measured in "
    "8 of 10 cases, {low_95} to {high_95} in 19 of 20 ({units|unit|units} of tables; the middle is {middle})."};

constexpr Sentence<Figure, Figure, Figure, Figure> measured_itself{
    "accuracy.measured",
    "How far off: the step of this very scenario was measured. Measured again, it is taken to be {low} to {high} times "
    "the predicted step in 8 of 10 cases, {low_95} to {high_95} in 19 of 20: what the fit leaves of it, and 5 % from "
    "run to run."};

/// "all_reduce names rdma": "training with all-reduce, known by names alone, over RDMA".
std::string in_words(const std::string& kind)
{
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"row", "with measured steps of the same system"},
      {"collective all_reduce", "one all-reduce"},
      {"collective other", "one collective"},
      {"collective", "one collective"},
      {"all_reduce", "training with all-reduce"},
      {"servers", "training with parameter servers"},
      {"divided dense", "divided transformers"},
      {"divided experts", "divided transformers with experts"},
      {"divided", "divided transformers"},
      {"sharded", "sharded as by FSDP"},
      {"staged", "not sharded"},
      {"unfused", "experts one by one"},
      {"measured", "with the step of one GPU measured"},
      {"names", "known by names alone"},
      {"one", "on one GPU"},
      {"machine", "inside a machine"},
      {"rdma", "over RDMA"},
      {"tcp", "over TCP"}};
  std::string text;
  for (std::string_view rest = kind; !rest.empty();) {
    const auto known = std::ranges::find_if(words, [&](const auto& word) {
      return rest == word.first || (rest.starts_with(word.first) && rest[word.first.size()] == ' ');
    });
    const std::string_view part = known == std::end(words) ? rest.substr(0, rest.find(' ')) : known->first;
    text += (text.empty() ? "" : ", ") + std::string{known == std::end(words) ? part : known->second};
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return text.empty() ? "any" : text;
}

Figure times(double factor)
{
  return {factor, fmt::format("{:.2f}", factor)};
}

} // namespace

ModelError error_of(const JobRow& row)
{
  const Estimate& step = row.step_s;
  return model_errors()
      .of({row.error_kind, row.error_size})
      .beside_chance(step.mean > 0 ? step.high / step.mean - 1 : 0);
}

std::string end_meaning(const std::string& part)
{
  const std::size_t share = part.find('_');
  return fmt::format("{} end of what is {} % sure, errors and chance", part.substr(0, share), part.substr(share + 1));
}

std::string sure_text(double rate, const ModelError& error)
{
  return error.units > 0 ? fmt::format("{} to {}", rate_text(rate / error.high_80), rate_text(rate / error.low_80))
                         : std::string{"as given"};
}

Messages errors_told(std::span<const ModelError> errors)
{
  Messages told; // of a table: they answer nothing
  for (const ModelError& error : errors)
    if (error.kind == "measured")
      add_once(told,
               measured_itself(times(error.low_80), times(error.high_80), times(error.low_95), times(error.high_95)));
    else if (error.units > 0)
      add_once(told, holds(in_words(error.kind), times(error.low_80), times(error.high_80), times(error.low_95),
                           times(error.high_95), error.units, times(error.middle)));
  return told;
}

Messages errors_told(const std::vector<JobRow>& rows)
{
  std::vector<ModelError> errors;
  errors.reserve(rows.size());
  for (const JobRow& row : rows)
    errors.push_back(model_errors().of({row.error_kind, row.error_size}));
  return errors_told(errors);
}

} // namespace trainyard
