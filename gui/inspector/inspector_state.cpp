// SPDX-License-Identifier: Apache-2.0
#include "gui/inspector/inspector_state.hpp"

#include "gui/results/messages.hpp"

#include <QJsonArray>

#include <limits>

namespace trainyard::gui {

namespace {

InspectedQueue queue_of(const QJsonObject& line)
{
  const auto text = [](const QJsonValue& value, const char* key) { return value[QLatin1String(key)].toString(); };
  const auto number = [](const QJsonValue& value, const char* key, double without = 0) {
    return value[QLatin1String(key)].toDouble(without);
  };
  const auto whole = [&](const char* key) { return line.value(QLatin1String(key)).toInteger(); };
  InspectedQueue queue;
  queue.policy = line.value(QLatin1String("policy")).toString();
  queue.decisions = whole("decisions");
  queue.instants = whole("instants");
  queue.gpus = static_cast<int>(whole("gpus"));
  queue.free_gpus = static_cast<int>(whole("free_gpus"));
  queue.running_count = whole("running_count");
  queue.waiting_count = whole("waiting_count");
  queue.finished = whole("finished");
  queue.never_ran = whole("never_ran");
  constexpr double never = std::numeric_limits<double>::infinity();
  for (const QJsonValue& job : line.value(QLatin1String("running")).toArray())
    queue.running.push_back({text(job, "job"), job[QLatin1String("gpus")].toInt(), number(job, "from_s"),
                             number(job, "end_s", never), number(job, "done"), number(job, "speed", 1),
                             text(job, "where")});
  for (const QJsonValue& job : line.value(QLatin1String("waiting")).toArray())
    queue.waiting.push_back({text(job, "job"), job[QLatin1String("gpus")].toInt(), number(job, "since_s"),
                             number(job, "estimate_s"), sentence_words(text(job, "why")), text(job, "blocker"),
                             number(job, "planned_s", -1)});
  for (const QJsonValue& each : line.value(QLatin1String("happened")).toArray())
    queue.deeds.push_back({text(each, "what"), text(each, "job"), true, {}, false});
  for (const QJsonValue& each : line.value(QLatin1String("decided")).toArray()) {
    const bool done = each[QLatin1String("done")].toBool(true);
    queue.deeds.push_back({text(each, "do"), text(each, "job"), done,
                           done ? text(each, "where") : sentence_words(text(each, "why")), true});
  }
  return queue;
}

} // namespace

std::optional<InspectorState> inspector_state_of(const QJsonObject& line)
{
  if (line.value(QLatin1String("event")).toString() != QLatin1String("state"))
    return std::nullopt;
  const auto text = [](const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString();
  };
  const auto number = [](const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toDouble();
  };
  InspectorState state;
  state.time = number(line, "time_s");
  state.ended = line.value(QLatin1String("ended")).toBool();
  state.event_count = line.value(QLatin1String("event_count")).toInteger();
  state.flow_count = line.value(QLatin1String("flow_count")).toInteger();
  const QJsonObject solver = line.value(QLatin1String("solver")).toObject();
  state.instants = solver.value(QLatin1String("instants")).toInteger();
  state.solves = solver.value(QLatin1String("solves")).toInteger();
  state.rates = solver.value(QLatin1String("rates")).toInteger();
  state.levels = solver.value(QLatin1String("levels")).toInteger();
  state.last_rates = solver.value(QLatin1String("last_rates")).toInteger();
  state.most_flows = solver.value(QLatin1String("most_flows")).toInteger();
  for (const QJsonValue& value : line.value(QLatin1String("events")).toArray()) {
    const QJsonObject event = value.toObject();
    const QJsonValue time = event.value(QLatin1String("time_s"));
    state.events.push_back({time.isDouble() ? time.toDouble() : std::numeric_limits<double>::infinity(),
                            text(event, "job"), text(event, "what"), text(event, "kind")});
  }
  for (const QJsonValue& value : line.value(QLatin1String("flows")).toArray()) {
    const QJsonObject flow = value.toObject();
    InspectorState::Flow one{text(flow, "job"),
                             text(flow, "what"),
                             number(flow, "rate_Bps"),
                             number(flow, "sent_B"),
                             number(flow, "remaining_B"),
                             text(flow, "bottleneck"),
                             flow.value(QLatin1String("held")).toBool(),
                             {}};
    for (const QJsonValue& link : flow.value(QLatin1String("links")).toArray())
      one.links << link.toString();
    state.flows.push_back(std::move(one));
  }
  for (const QJsonValue& value : line.value(QLatin1String("links")).toArray()) {
    const QJsonObject link = value.toObject();
    state.links.push_back({text(link, "name"), number(link, "capacity_Bps"), number(link, "rate_Bps"),
                           link.value(QLatin1String("flows")).toInt()});
  }
  if (text(line, "kind") == QLatin1String("queue")) {
    state.queue = queue_of(line);
    state.instants = state.queue->instants;
  }
  return state;
}

} // namespace trainyard::gui
