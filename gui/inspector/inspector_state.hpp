#pragma once
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include <optional>

namespace trainyard::gui {

/// The simulation at one instant, as `simrun inspect` tells it.
struct InspectorState {
  struct Event {
    double time = 0; // s; infinite where nothing is known yet
    QString job;
    QString what;
    QString kind;
  };
  struct Flow {
    QString job;
    QString what;
    double rate = 0;      // B/s
    double sent = 0;      // B
    double remaining = 0; // B
    QString bottleneck;   // empty: its own limit, or the flow that it follows
    bool held = false;
    QStringList links;
  };
  struct Link {
    QString name;
    double capacity = 0; // B/s
    double rate = 0;     // B/s
    int flows = 0;
  };
  double time = 0; // s
  bool ended = false;
  qint64 instants = 0;
  qint64 solves = 0;
  qint64 rates = 0;
  qint64 levels = 0;
  qint64 last_rates = 0;
  qint64 most_flows = 0;
  qint64 event_count = 0;
  qint64 flow_count = 0;
  QVector<Event> events;
  QVector<Flow> flows;
  QVector<Link> links;
};

/// Nothing where the object is no state.
std::optional<InspectorState> inspector_state_of(const QJsonObject& line);

} // namespace trainyard::gui
