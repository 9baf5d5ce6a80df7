// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QVector>

namespace trainyard::gui {

/// What may stand at one key of a scenario, taken from the JSON Schema.
struct SchemaField {
  enum class Kind { text, choice, integer, number, boolean, quantity, map, list };
  QString key;
  Kind kind = Kind::text;
  QString description;
  QString default_text; // from "default", or from "(default …)" in the description
  QString example;
  QStringList choices;
  QStringList choice_descriptions; // one for each choice, where the schema tells
  double minimum = -1e300;
  double maximum = 1e300;
  bool required = false;
};

/// The JSON Schema of scenario files, as `simrun schema` prints it: every form of the editor is made from it.
class Schema : public QObject
{
  Q_OBJECT
public:
  explicit Schema(QObject* parent = nullptr);
  ~Schema() override;

  /// Asks simrun; `ready` follows. For tests: the text itself.
  void load();
  bool setText(const QByteArray& text);
  bool isReady() const { return !root_.isEmpty(); }
  const QJsonObject& root() const { return root_; }

  /// The schema below a dotted path ("cluster.nodes.0"); empty where the format knows no such place.
  QJsonObject at(const QString& path) const;
  /// The keys that may stand in the map at a path.
  QVector<SchemaField> fields(const QString& path) const;
  QString description(const QString& path) const;

signals:
  void ready();

private:
  QJsonObject resolved(const QJsonObject& schema) const;

  QJsonObject root_;
  QProcess process_;
};

} // namespace trainyard::gui
