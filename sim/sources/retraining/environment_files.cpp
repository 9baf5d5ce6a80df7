// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/figure_text.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>

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

template <class Row>
std::string rows(const Sets& sets, const std::string& head, const Row& row, bool all_replicas = true)
{
  std::string text = "point,policy,replica," + head + "\n";
  for (const EnvironmentRunSet& set : sets)
    for (std::size_t replica = 0; replica < set.runs.size(); ++replica) {
      if (replica > 0 && !all_replicas)
        break;
      row(text, key_of(set, replica), set.runs[replica]);
    }
  return text;
}

std::string requests_csv(const Sets& sets)
{
  std::string head = "request,model,number,needed_at_s";
  for (const std::string_view segment : segment_names)
    head += fmt::format(",{}_s", segment);
  head += ",total_s,ended_at_s,ended,reason,trained_at_s,deployed_at_s,input_wait_s,uploads,wrong_checksums,"
          "submissions,jobs,attempts,gpu_"
          "hours,"
          "wasted_gpu_hours,redone_gpu_hours";
  return rows(sets, head, [](std::string& text, const std::string& key, const EnvironmentResult& run) {
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
  return rows(
      sets, "time_s,request,from,to,what",
      [](std::string& text, const std::string& key, const EnvironmentResult& run) {
        for (const EnvironmentEvent& event : run.events)
          text +=
              fmt::format("{},{},{},{},{},{}\n", key, exact_seconds(event.at),
                          csv_text(request_name(run, event.request)), event.from, event.to, csv_text(event.what.text));
      },
      false);
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
  return rows(
      sets, "time_s,request,priority,queue,state,busy_gpus,gpus,why",
      [](std::string& text, const std::string& key, const EnvironmentResult& run) {
        for (const PlanningDecision& one : run.decisions)
          text += fmt::format("{},{},{},{:g},{},{},{},{},{}\n", key, exact_seconds(one.at),
                              csv_text(request_name(run, one.request)), one.priority, csv_text(one.queue),
                              csv_text(one.state), one.busy_gpus, one.gpus, csv_text(one.why.text));
      },
      false);
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
  return rows(sets, "time_s,model,request,data_until_s",
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const Deployment& one : run.deployments)
                  text += fmt::format("{},{},{},{},{}\n", key, exact_seconds(one.at),
                                      csv_text(run.models[static_cast<std::size_t>(one.model)]),
                                      csv_text(request_name(run, one.request)), exact_seconds(one.data));
              });
}

std::string stale_csv(const Sets& sets)
{
  return rows(sets, "model,from_s,to_s", [](std::string& text, const std::string& key, const EnvironmentResult& run) {
    for (std::size_t model = 0; model < run.models.size(); ++model)
      for (const auto& [from, to] : stale_times(run, static_cast<int>(model)))
        text += fmt::format("{},{},{},{}\n", key, csv_text(run.models[model]), exact_seconds(from), exact_seconds(to));
  });
}

std::string trainings_csv(const Sets& sets)
{
  return rows(sets, "request,attempt,from_s,to_s,save_from_s,gpus,nodes",
              [](std::string& text, const std::string& key, const EnvironmentResult& run) {
                for (const TrainingStay& one : run.stays)
                  text += fmt::format("{},{},{},{},{},{},{},{}\n", key, csv_text(request_name(run, one.request)),
                                      one.attempt, exact_seconds(one.from), exact_seconds(one.to),
                                      optional_text(one.save_from), one.gpus, csv_text(one.nodes));
              });
}

std::string load_csv(const Sets& sets)
{
  return rows(
      sets, "time_s,busy_gpus,waiting",
      [](std::string& text, const std::string& key, const EnvironmentResult& run) {
        for (const LoadSample& one : run.load)
          text += fmt::format("{},{},{},{}\n", key, exact_seconds(one.at), one.busy_gpus, one.waiting);
      },
      false);
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

} // namespace trainyard
