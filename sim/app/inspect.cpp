// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/sources/jobs/inspection.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace trainyard::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double never = std::numeric_limits<double>::infinity();

/// What a line asks for: the text of its "do", else nothing.
std::string asked(const Json& command)
{
  const auto found = command.is_object() ? command.find("do") : command.end();
  return found != command.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Lines from stdin; says without waiting whether there is one.
class Commands
{
public:
  /// The next line; nothing at the end of the input.
  std::optional<std::string> next()
  {
    for (;;) {
      if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      if (closed_)
        return std::nullopt;
      gather(200);
    }
  }

  /// Whether the next line, if there is one already, says to stop: "pause" or "quit". Others wait for their turn.
  bool stops()
  {
    if (pending_.find('\n') == std::string::npos && !closed_)
      gather(0);
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos)
      return false;
    const Json command = Json::parse(pending_.substr(0, end), nullptr, false);
    const std::string what = asked(command);
    if (what == "pause")
      pending_.erase(0, end + 1);
    return what == "pause" || what == "quit";
  }

private:
  void gather(int milliseconds)
  {
    pollfd source{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&source, 1, milliseconds);
    check_interrupt();
    if (ready <= 0)
      return;
    char piece[4096];
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got <= 0)
      closed_ = true;
    else
      pending_.append(piece, static_cast<std::size_t>(got));
    if (pending_.size() > 1U << 20U)
      throw InputError{"a command is longer than 1 MiB and has no end of line"};
  }

  std::string pending_;
  bool closed_ = false;
};

Json time_or_null(Seconds time)
{
  return std::isfinite(time.value()) ? Json(time.value()) : Json();
}

std::string state_line(const EngineState& state)
{
  Json json = {{"event", "state"},
               {"time_s", state.time.value()},
               {"ended", state.ended},
               {"solver",
                {{"instants", state.instants},
                 {"solves", state.solves},
                 {"rates", state.rates},
                 {"levels", state.levels},
                 {"last_rates", state.last_rates},
                 {"most_flows", state.most_flows}}},
               {"event_count", state.event_count},
               {"flow_count", state.flow_count},
               {"events", Json::array()},
               {"flows", Json::array()},
               {"links", Json::array()}};
  for (const InspectedEvent& event : state.events)
    json["events"].push_back({{"time_s", time_or_null(event.time)},
                              {"job", event.job},
                              {"what", event.what},
                              {"kind", event.flow ? "end of flow" : "timer"}});
  for (const InspectedFlow& flow : state.flows)
    json["flows"].push_back({{"job", flow.job},
                             {"what", flow.what},
                             {"rate_Bps", flow.rate.value()},
                             {"sent_B", flow.sent.value()},
                             {"remaining_B", flow.remaining.value()},
                             {"bottleneck", flow.bottleneck},
                             {"held", flow.held},
                             {"links", flow.links}});
  for (const InspectedLink& link : state.links)
    json["links"].push_back({{"name", link.name},
                             {"capacity_Bps", link.capacity.value()},
                             {"rate_Bps", link.rate.value()},
                             {"flows", link.flows}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string error_line(const std::string& message)
{
  return Json{{"event", "error"}, {"message", message}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The time until which the simulation runs without a pause.
struct RunUntil {
  long instants = 0; // that may still pass
  double time = -1;  // or until this time is reached
};

/// What a line asks for; nothing where the simulation stays where it is.
std::optional<RunUntil> goal_of(const Json& command, std::string& fault)
{
  const std::string what = asked(command);
  try {
    if (what == "step") {
      const long count = command.value("count", 1L);
      if (count < 1)
        fault = "count must be at least 1";
      else
        return RunUntil{count, -1};
    } else if (what == "run_until") {
      return RunUntil{0, command.at("time_s").get<double>()};
    } else if (what == "run") {
      return RunUntil{0, never};
    } else if (what != "state" && what != "pause") {
      fault = fmt::format("unknown command '{}'; commands are step, run_until, run, pause, state and quit", what);
    }
  } catch (const Json::exception& error) {
    fault = error.what();
  }
  return std::nullopt;
}

/// The messages between this program and the one that watches it.
class Session
{
public:
  /// Prints the state when the goal is reached, and waits for the next goal. False: there is none.
  bool visit(Seconds now, bool ended, const std::function<std::string()>& state)
  {
    const bool first = !std::exchange(told_, true);
    if (!first && !ended && (goal_.instants > 1 || now.value() < goal_.time)) {
      goal_.instants = std::max(goal_.instants - 1, 0L);
      if (!commands_.stops())
        return true;
    }
    print_data(state() + "\n");
    for (;;) {
      const auto line = commands_.next();
      if (!line)
        return false;
      if (line->find_first_not_of(" \t\r") == std::string::npos)
        continue;
      const Json command = Json::parse(*line, nullptr, false);
      if (!command.is_object()) {
        print_data(error_line("a line must be a JSON object such as {\"do\":\"step\"}"));
        continue;
      }
      if (asked(command) == "quit")
        return false;
      std::string fault;
      const std::optional<RunUntil> next = goal_of(command, fault);
      if (!fault.empty()) {
        print_data(error_line(fault));
        continue;
      }
      if (next && !ended) {
        goal_ = *next;
        return true;
      }
      print_data(state() + "\n");
    }
  }

private:
  Commands commands_;
  RunUntil goal_;
  bool told_ = false;
};

int inspect_command(const Arguments& arguments)
{
  if (arguments.value("SCENARIO") == "-")
    throw InputError{"simrun inspect reads its commands from standard input; give the scenario as a file"};
  Diagnostics diagnostics;
  const auto [input, points] = checked_input(arguments, diagnostics);
  print_diagnostics(diagnostics.sorted(), arguments);
  const std::uint64_t chosen = arguments.whole_number("--point", points.size() - 1);
  if (chosen >= points.size())
    throw InputError{fmt::format("--point {}: the scenario has points 0 to {}", chosen, points.size() - 1)};
  const ScenarioRunner* runner = runner_of(points[chosen].scenario);
  const std::vector<std::string> policies = queue_policies(points[chosen].scenario);
  if (runner != nullptr && policies.empty())
    throw InputError{"only training steps and queues can be stepped through. For transformers that are divided among "
                     "GPUs see pipeline.csv in the results folder, for orchestrators ('services:') and task "
                     "environments events.csv, and simrun explain"};
  if (runner == nullptr && arguments.has("--policy"))
    throw InputError{"--policy chooses the queue policy of a scenario with 'workload:'; this one has training steps"};
  const int steps = static_cast<int>(arguments.whole_number("--steps", 3, 1, 1'000'000'000));
  Session session;
  const auto ready = [&] {
    std::vector<std::string> labels;
    for (const auto& point : points)
      labels.push_back(point.label);
    print_data(Json{{"event", "ready"},
                    {"schema_version", 1},
                    {"scenario", points[chosen].scenario.name},
                    {"kind", runner == nullptr ? "training" : "queue"},
                    {"point", points[chosen].label},
                    {"number", chosen},
                    {"points", points.size()},
                    {"labels", labels},
                    {"steps", steps},
                    {"policies", policies}}
                   .dump(-1, ' ', false, Json::error_handler_t::replace) +
               "\n");
  };
  bool greeted = false;
  const auto visit = [&](Seconds now, bool ended, const std::function<std::string()>& state) {
    if (!std::exchange(greeted, true))
      ready();
    return session.visit(now, ended, state);
  };
  if (runner != nullptr)
    inspect_queue(points[chosen], arguments.value("--policy"),
                  [&](Instant now, bool ended, const std::function<std::string()>& state) {
                    return visit(seconds(now), ended, state);
                  });
  else
    inspect(points[chosen], steps, [&](Seconds now, bool ended, const std::function<EngineState()>& state) {
      return visit(now, ended, [&] { return state_line(state()); });
    });
  return done;
}

std::vector<Option> inspect_options()
{
  std::vector<Option> list = scenario_options();
  list.push_back(
      {"--point", "", "N", "number of the sweep's point, from 0 (default: the last, whose timeline a run keeps)"});
  list.push_back({"--steps", "", "N", "number of training steps to simulate (default 3)"});
  list.push_back(
      {"--policy", "", "NAME", "policy, for a queue that compares several (default: the first)", "list queues"});
  return list;
}

[[maybe_unused]] const bool inspect_registered = register_command(
    {"inspect",
     "step through a simulation: event queue, flows and their rates, the solver's work; jobs and decisions of a queue",
     "Reads and writes JSON lines. It writes {\"event\":\"ready\",…}, then {\"event\":\"state\",…} whenever it pauses; "
     "it reads\n"
     "{\"do\":\"step\",\"count\":10}, {\"do\":\"run_until\",\"time_s\":0.5}, {\"do\":\"run\"}, {\"do\":\"pause\"}, "
     "{\"do\":\"state\"} and\n"
     "{\"do\":\"quit\"}. A step goes to the next instant of simulated time, on the fluid engine; all placed jobs run "
     "together.\nThe state of a queue (workload:) shows the next events, where each job runs, what each job waits for, "
     "and the policy's decisions.",
     inspect_options(),
     {{"echo '{\"do\":\"step\"}' | simrun inspect vgg16_ps_vs_ring",
       "show the state at the start and after one instant"},
      {"echo '{\"do\":\"run_until\",\"time_s\":86400}' | simrun inspect shared_cluster_policies --policy srtf",
       "show a queue after one day"}},
     inspect_command});

} // namespace
} // namespace trainyard::app
