// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/scenario/document.hpp"
#include "sim/sources/retraining/environment_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

constexpr std::size_t largest_file = 1U << 30U;

Instant time_cell(TraceTable& table, const char* column)
{
  return Instant{Seconds{table.number(column).value_or(0)}};
}

/// Names of the models, in order of the run's first needs.
std::vector<std::string> models_in(const std::filesystem::path& folder)
{
  const std::string file = read_text_file(folder / "requests.csv", largest_file);
  TraceTable requests{file, folder / "requests.csv", {"model"}};
  TraceAudit audit;
  std::vector<std::string> models;
  std::set<std::string> known;
  requests.for_each(audit, [&](std::int64_t) {
    if (std::string model{requests.cell("model")}; known.insert(model).second)
      models.push_back(std::move(model));
  });
  return models;
}

/// "the models: faces, pages, …; for example faces-1"
std::string models_text(const std::vector<std::string>& models)
{
  constexpr std::size_t most = 12;
  std::string text = "the models: ";
  for (std::size_t i = 0; i < models.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + models[i];
  return text + fmt::format("{}; for example {}-1", models.size() > most ? ", …" : "", models.front());
}

std::string whole_run(const std::filesystem::path& folder)
{
  const auto summary = nlohmann::json::parse(read_text_file(folder / "summary.json", largest_file), nullptr, false);
  std::string text =
      fmt::format("{}\n\n{}\n{}", heading(summary.value("scenario", ""), summary.value("description", "")),
                  summary.value("advice", ""), summary.value("paired", ""));
  for (const auto& warning : summary.value("warnings", nlohmann::json::array()))
    text += "warning: " + warning.get<std::string>() + "\n";
  text += fmt::format("\nto see the messages and decisions of one retraining: simrun explain job MODEL-NUMBER {}\n",
                      folder.string());
  const std::vector<std::string> models = models_in(folder);
  return models.empty() ? text : text + models_text(models) + "\n";
}

} // namespace

std::string explain_environment(const std::filesystem::path& folder, const std::string& what, const std::string& name)
{
  if (what.empty())
    return whole_run(folder);
  if (what != "job")
    throw InputError{
        fmt::format("a task environment has jobs, but no '{}'; write simrun explain job MODEL-NUMBER FOLDER", what)};
  const std::string requests_file = read_text_file(folder / "requests.csv", largest_file),
                    events_file = read_text_file(folder / "events.csv", largest_file),
                    decisions_file = read_text_file(folder / "decisions.csv", largest_file);
  TraceAudit audit;
  TraceTable requests{requests_file, folder / "requests.csv", {"policy", "request", "needed_at_s"}};
  struct Found {
    std::string point, policy, head;
  };
  std::vector<Found> found;
  std::vector<std::string> known;
  requests.for_each(audit, [&](std::int64_t) {
    if (requests.number("replica").value_or(0) != 0)
      return;
    if (requests.cell("request") != name) {
      if (known.size() < 100'000)
        known.emplace_back(requests.cell("request"));
      return;
    }
    Found one{std::string{requests.cell("point")}, std::string{requests.cell("policy")}, {}};
    one.head = fmt::format("{} under {}{}: needed at {}, {} after {}{}\n", name, one.policy,
                           one.point.empty() ? "" : " at " + one.point, clock_text(time_cell(requests, "needed_at_s")),
                           requests.cell("ended"), time_text(Seconds{requests.number("total_s").value_or(0)}),
                           requests.cell("reason").empty() ? "" : fmt::format(" ({})", requests.cell("reason")));
    one.head += "  ";
    bool first = true;
    for (const std::string_view segment : segment_names) {
      const double spent = requests.number(std::string{segment} + "_s").value_or(0);
      if (spent == 0)
        continue;
      one.head += fmt::format("{}{} {}", first ? "" : " + ", segment, time_text(Seconds{spent}));
      first = false;
    }
    one.head += fmt::format(" = {}\n", time_text(Seconds{requests.number("total_s").value_or(0)}));
    if (const double wait = requests.number("input_wait_s").value_or(0); wait > 0)
      one.head += fmt::format("  the training waited {} for data: it is input-bound\n", time_text(Seconds{wait}));
    found.push_back(one);
  });
  if (found.empty()) {
    const std::vector<std::string> models = models_in(folder);
    throw InputError{fmt::format("there is no retraining '{}' in this run{}; their names are MODEL-NUMBER{}", name,
                                 did_you_mean(name, known), models.empty() ? "" : "; " + models_text(models))};
  }
  std::string text;
  for (const Found& one : found) {
    text += one.head;
    TraceTable events{events_file, folder / "events.csv", {"policy", "time_s", "request", "from", "to", "what"}};
    events.for_each(audit, [&](std::int64_t) {
      if (events.cell("request") != name || events.cell("policy") != one.policy || events.cell("point") != one.point)
        return;
      text += fmt::format("  {}  {:>8} {} {:<8}  {}\n", clock_text(time_cell(events, "time_s")), events.cell("from"),
                          events.cell("from") == events.cell("to") ? "·" : "→",
                          events.cell("from") == events.cell("to") ? "" : events.cell("to"), events.cell("what"));
    });
    TraceTable decisions{decisions_file, folder / "decisions.csv", {"policy", "time_s", "request", "queue", "state"}};
    decisions.for_each(audit, [&](std::int64_t) {
      if (decisions.cell("request") != name || decisions.cell("policy") != one.policy ||
          decisions.cell("point") != one.point)
        return;
      text += fmt::format("  decision at {}: start {}, {}\n    queue:    {}\n    priority: {}\n    state:    {}\n    "
                          "load:     {} of {} GPUs "
                          "busy\n",
                          clock_text(time_cell(decisions, "time_s")), name, decisions.cell("why"),
                          decisions.cell("queue"), decisions.cell("priority"),
                          decisions.cell("state").empty() ? "nothing trains"
                                                          : fmt::format("{} train", decisions.cell("state")),
                          decisions.cell("busy_gpus"), decisions.cell("gpus"));
    });
    text += "\n";
  }
  return text;
}

} // namespace trainyard
