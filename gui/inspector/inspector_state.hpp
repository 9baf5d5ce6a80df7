// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include <optional>

namespace trainyard::gui {

/// A queue at one instant.
struct InspectedQueue {
  struct Running {
    QString job;
    int gpus = 0;
    double from = 0; // s
    double end = 0;  // s; infinite if it makes no progress
    double done = 0; // 0…1
    double speed = 1;
    QString where;
  };
  struct Waiting {
    QString job;
    int gpus = 0;
    double since = 0;    // s
    double estimate = 0; // s
    QString why;
    QString blocker;
    double planned = -1; // s; below 0: the policy has not said
  };
  struct Deed {
    QString what; // "start", "preempt", "resize"; or what happened: "arrives", "ends"
    QString job;
    bool done = true;
    QString words; // where, or why not
    bool decided = true;
  };
  QString policy;
  qint64 decisions = 0;
  qint64 instants = 0;
  int gpus = 0;
  int free_gpus = 0;
  qint64 running_count = 0;
  qint64 waiting_count = 0;
  qint64 finished = 0;
  qint64 never_ran = 0;
  QVector<Running> running;
  QVector<Waiting> waiting;
  QVector<Deed> deeds; // what happened, then what was decided
};

/// The simulation at one instant, as `simrun inspect` reports it.
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
  std::optional<InspectedQueue> queue; // else training steps
};

/// Nothing where the object is not a state.
std::optional<InspectorState> inspector_state_of(const QJsonObject& line);

} // namespace trainyard::gui
