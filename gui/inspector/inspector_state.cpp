#include "gui/inspector/inspector_state.hpp"

#include <QJsonArray>

#include <limits>

namespace trainyard::gui {

std::optional<InspectorState> inspector_state_of(const QJsonObject& line)
{
  if (line.value(QLatin1String("event")).toString() != QLatin1String("state"))
    return std::nullopt;
  const auto text = [](const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toString(); };
  const auto number = [](const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toDouble(); };
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
    state.events.push_back({time.isDouble() ? time.toDouble() : std::numeric_limits<double>::infinity(), text(event, "job"),
                            text(event, "what"), text(event, "kind")});
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
    state.links.push_back(
        {text(link, "name"), number(link, "capacity_Bps"), number(link, "rate_Bps"), link.value(QLatin1String("flows")).toInt()});
  }
  return state;
}

} // namespace trainyard::gui
