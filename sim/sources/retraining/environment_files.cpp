// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/figure_text.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace trainyard {
namespace {

std::string request_name(const EnvironmentResult& run, int id)
{
  const Request& request = run.requests[static_cast<std::size_t>(id)];
  return fmt::format("{}-{}", run.models[static_cast<std::size_t>(request.model)], request.number);
}

std::string optional_text(Instant time)
{
  return time < Instant{0} ? "" : exact_seconds(time);
}

std::string number_text(double value)
{
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : "";
}

/// point, policy and seed of a row; the seed counts from 0.
std::string key_of(const EnvironmentRunSet& set, std::size_t replica)
{
  return fmt::format("{},{},{}", csv_text(set.point), csv_text(set.label), replica);
}

using Sets = std::vector<EnvironmentRunSet>;
constexpr std::size_t every_seed = SIZE_MAX;

/// @p most: of how many seeds.
template <class Row>
std::string rows(const Sets& sets, const std::string& head, std::size_t most, const Row& row)
{
  std::string text = "point,policy,replica," + head + "\n";
  for (const EnvironmentRunSet& set : sets)
    for (std::size_t replica = 0; replica < std::min(most, set.runs.size()); ++replica)
      row(text, key_of(set, replica), set.runs[replica]);
  return text;
}

std::string requests_csv(const Sets& sets)
{
  std::string head = "request,model,number,needed_at_s";
  for (const std::string_view segment : segment_names)
    head += fmt::format(",{}_s", segment);
  head += ",total_s,ended_at_s,ended,reason,trained_at_s,deployed_at_s,input_wait_s,uploads,wrong_checksums,"
          "submissions,jobs,attempts,gpu_hours,wasted_gpu_hours,redone_gpu_hours";
  return rows(sets, head, every_seed, [](std::string& text, const std::string& key, const EnvironmentResult& run) {
    for (const Request& one : run.requests) {
      text +=
          fmt::format("{},{},{},{},{}", key, csv_text(request_name(run, one.id)),
                      csv_text(run.models[static_cast<std::size_t>(one.model)]), one.number, exact_seconds(one.need));
      for (const Instant spent : one.spent)
        text += "," + exact_seconds(spent);
      text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{:.10g},{:.10g},{:.10g}\n",
                          exact_seconds(one.end - one.need), exact_seconds(one.end), to_text(one.ended),
                          csv_text(one.reason.text), optional_text(one.trained), optional_text(one.deployed),
                          exact_seconds(one.input_wait), one.uploads, one.wrong_checksums, one.submissions,
                          one.trainings, one.attempts, one.gpu_seconds / 3600, one.wasted_gpu_seconds / 3600,
                          one.redone_gpu_seconds / 3600);
    }
  });
}

std::string metrics_csv(const Sets& sets)
{
  std::string text = fmt::format("point,policy,planner,duplicates,{}\n", csv_heading(retraining_columns()));
  for (const EnvironmentRunSet& set : sets)
    text += fmt::format("{},{},{},{},{}\n", csv_text(set.point), csv_text(set.label), csv_text(set.planner),
                        csv_text(set.duplicates), csv_row<EnvironmentRunSet>(retraining_columns(), set, number_text));
  return text;
}

std::string events_csv(const Sets& sets)
{
  return rows(sets, "time_s,request,from,to,what", 1,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const EnvironmentEvent& event : run.events)
                  text += fmt::format("{},{},{},{},{},{}\n", key, exact_seconds(event.at),
                                      csv_text(request_name(run, event.request)), event.from, event.to,
                                      csv_text(event.what.text));
              });
}

/// The same in words, one run after the other.
std::string events_log(const Sets& sets)
{
  std::string text;
  for (const EnvironmentRunSet& set : sets) {
    text += fmt::format("{}{}{}\n", set.point, set.point.empty() ? "" : ": ", set.label);
    const EnvironmentResult& run = set.runs.front();
    for (const EnvironmentEvent& event : run.events)
      text += fmt::format("{} {}: {}{}\n", clock_text(event.at), request_name(run, event.request),
                          event.from == event.to ? fmt::format("{}: ", event.from)
                                                 : fmt::format("{} → {}: ", event.from, event.to),
                          event.what.text);
    text += "\n";
  }
  return text;
}

std::string decisions_csv(const Sets& sets)
{
  return rows(sets, "time_s,request,priority,queue,state,busy_gpus,gpus,why", 1,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const PlanningDecision& one : run.decisions)
                  text += fmt::format("{},{},{},{:g},{},{},{},{},{}\n", key, exact_seconds(one.at),
                                      csv_text(request_name(run, one.request)), one.priority, csv_text(one.queue),
                                      csv_text(one.state), one.busy_gpus, one.gpus, csv_text(one.why.text));
              });
}

/// What the cells of requests.csv, events.csv and decisions.csv say, each once.
std::string messages_json(const Sets& sets)
{
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::set<std::string> known;
  const auto add = [&](const Message& message) {
    if (!message.empty() && known.insert(message.text).second)
      all.push_back(to_json(message));
  };
  for (const EnvironmentRunSet& set : sets) {
    for (const Request& one : set.runs.front().requests)
      add(one.reason);
    for (const EnvironmentEvent& one : set.runs.front().events)
      add(one.what);
    for (const PlanningDecision& one : set.runs.front().decisions)
      add(one.why);
  }
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string deployments_csv(const Sets& sets)
{
  return rows(sets, "time_s,model,request,data_until_s", every_seed,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const Deployment& one : run.deployments)
                  text += fmt::format("{},{},{},{},{}\n", key, exact_seconds(one.at),
                                      csv_text(run.models[static_cast<std::size_t>(one.model)]),
                                      csv_text(request_name(run, one.request)), exact_seconds(one.data));
              });
}

std::string stale_csv(const Sets& sets)
{
  return rows(sets, "model,from_s,to_s", every_seed,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (std::size_t model = 0; model < run.models.size(); ++model)
                  for (const auto& [from, to] : stale_times(run, static_cast<int>(model)))
                    text += fmt::format("{},{},{},{}\n", key, csv_text(run.models[model]), exact_seconds(from),
                                        exact_seconds(to));
              });
}

std::string trainings_csv(const Sets& sets)
{
  return rows(sets, "request,attempt,from_s,to_s,save_from_s,gpus,nodes", every_seed,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const TrainingStay& one : run.stays)
                  text += fmt::format("{},{},{},{},{},{},{},{}\n", key, csv_text(request_name(run, one.request)),
                                      one.attempt, exact_seconds(one.from), exact_seconds(one.to),
                                      optional_text(one.save_from), one.gpus, csv_text(one.nodes));
              });
}

std::string load_csv(const Sets& sets)
{
  return rows(sets, "time_s,busy_gpus,waiting", 1,
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const LoadSample& one : run.load)
                  text += fmt::format("{},{},{},{}\n", key, exact_seconds(one.at), one.busy_gpus, one.waiting);
              });
}

} // namespace

void add_environment_files(RunReport& report, std::shared_ptr<const Sets> sets)
{
  const auto file = [&](const char* name, std::string (*make)(const Sets&)) {
    report.files.push_back(text_file(name, [sets, make] { return make(*sets); }));
  };
  file("requests.csv", requests_csv);
  file("metrics.csv", metrics_csv);
  file("events.csv", events_csv);
  file("events.log", events_log);
  file("decisions.csv", decisions_csv);
  file("messages.json", messages_json);
  file("deployments.csv", deployments_csv);
  file("stale.csv", stale_csv);
  file("trainings.csv", trainings_csv);
  file("load.csv", load_csv);
  report.files.push_back(picture_file("segments.png", [sets] { return segments_picture(*sets); }));
  for (std::size_t i = 0; i < sets->size() && i < 8; ++i)
    report.files.push_back(
        picture_file(fmt::format("lanes-{}.png", i), [sets, i] { return lanes_picture((*sets)[i]); }));
}

namespace {

constexpr std::array<Colour, 9> segment_colours = {Colour{0.70, 0.72, 0.75},
                                                   okabe_ito[5],
                                                   Colour{0.55, 0.60, 0.85},
                                                   okabe_ito[4],
                                                   okabe_ito[0],
                                                   okabe_ito[2],
                                                   okabe_ito[3],
                                                   Colour{0.40, 0.75, 0.75},
                                                   okabe_ito[1]};

std::vector<Mark> segment_legend()
{
  std::vector<Mark> entries;
  for (std::size_t i = 0; i < segment_names.size(); ++i)
    entries.push_back(box(0, 0, 0, 0, segment_colours[i], 1, std::string{segment_names[i]}));
  return entries;
}

/// A request in the first of three rows of its model's lane that is free: its segments, and how it ended.
void add_request(const Request& request, std::array<Instant, 3>& free_at, std::vector<Mark>& marks)
{
  auto row = std::ranges::find_if(free_at, [&](Instant free) { return free <= request.need; });
  if (row == free_at.end())
    row = std::ranges::min_element(free_at);
  *row = request.end;
  const double y = request.model + 0.04 + 0.23 * static_cast<double>(row - free_at.begin());
  Instant at = request.need;
  for (std::size_t i = 0; i < request.spent.size(); ++i)
    if (request.spent[i] != Instant{0}) {
      marks.push_back(box(at.value(), (at + request.spent[i]).value(), y, y + 0.2, segment_colours[i]));
      at += request.spent[i];
    }
  if (request.ended == RequestEnd::open)
    return;
  const bool deployed = request.ended == RequestEnd::deployed;
  marks.push_back(marker(request.end.value(), y + 0.1, deployed ? okabe_ito[2] : ink));
  if (!deployed)
    marks.back().shape = Mark::Shape::cross;
}

} // namespace

Picture lanes_picture(const EnvironmentRunSet& set)
{
  constexpr std::size_t most_lanes = 24;
  constexpr double readable = 14; // requests of a model: of a long run its beginning
  const EnvironmentResult& result = set.runs.front();
  if (result.requests.empty())
    return {};
  double last = 0;
  for (const Request& request : result.requests)
    last = std::max(last, request.end.value());
  double high = std::min(result.end.value(), last * 1.05); // nothing happens any more
  const double per_lane = static_cast<double>(result.requests.size()) / static_cast<double>(result.models.size());
  high *= std::min(1.0, readable / per_lane);
  const std::size_t lanes = std::min(result.models.size(), most_lanes);
  PicturePanel panel{.x = {0, high},
                     .height = static_cast<double>(lanes) * (lanes > 12 ? 34 : 50),
                     .lanes = {result.models.begin(), result.models.begin() + static_cast<std::ptrdiff_t>(lanes)}};
  for (std::size_t model = 0; model < lanes; ++model)
    for (const auto& [from, to] : stale_times(result, static_cast<int>(model)))
      if (from.value() < high) {
        const auto y = static_cast<double>(model);
        panel.marks.push_back(box(from.value(), to.value(), y + 0.72, y + 0.96, ink));
        panel.marks.back().shape = Mark::Shape::hatched;
      }
  std::vector<std::array<Instant, 3>> free_at(lanes, {Instant{-1}, Instant{-1}, Instant{-1}});
  for (const Request& request : result.requests)
    if (static_cast<std::size_t>(request.model) < lanes && request.need.value() < high)
      add_request(request, free_at[static_cast<std::size_t>(request.model)], panel.marks);
  Picture picture{.title = set.title,
                  .note = "retraining requests of each model; requests at the same time are stacked; hatched: time in "
                          "which a stale model served",
                  .width = 860,
                  .left = 120,
                  .legend = segment_legend(),
                  .footer = "dot: deployed; cross: stopped, merged into a newer one, dropped or failed"};
  if (per_lane > readable)
    picture.note += fmt::format("; the first {}", time_text(Seconds{high}));
  if (lanes < result.models.size())
    picture.note += fmt::format("; {} of {} models", lanes, result.models.size());
  picture.legend.push_back({.shape = Mark::Shape::hatched, .label = "stale model serves"});
  picture.panels.push_back(std::move(panel));
  return picture;
}

Picture segments_picture(const std::vector<EnvironmentRunSet>& sets)
{
  constexpr std::size_t most_bars = 30;
  const std::size_t bars = std::min(sets.size(), most_bars);
  PicturePanel panel{.kind = PicturePanel::Kind::elapsed, .x = {0, 1e-9}, .height = 26 * static_cast<double>(bars)};
  for (std::size_t i = 0; i < bars; ++i) {
    const EnvironmentMetrics& metrics = sets[i].metrics;
    panel.lanes.push_back(sets[i].title);
    double x = 0;
    const auto y = static_cast<double>(i);
    for (std::size_t s = 0; s < metrics.segment_s.size(); ++s) {
      panel.marks.push_back(box(x, x + metrics.segment_s[s], y + 0.1, y + 0.75, segment_colours[s]));
      x += metrics.segment_s[s];
    }
    panel.marks.push_back(words(x, y + 0.45, quiet_ink,
                                metrics.completions > 0 ? fmt::format("{} deployed", metrics.completions)
                                                        : std::string{"nothing deployed"}));
    panel.x.high = std::max(panel.x.high, x * 1.2);
  }
  return {.title = "mean time from the need to the deployed model, for deployed models",
          .width = 860,
          .left = 180,
          .panels = {std::move(panel)},
          .legend = segment_legend()};
}

} // namespace trainyard
