// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QVector>

#include <optional>

namespace trainyard::gui {

/// A description of the schema in the language of the window; one that has no translation stays English.
QString setting_words(const QString& description);

/// The possible values of one key of a scenario, from the JSON Schema.
struct SchemaField {
  enum class Kind { text, choice, integer, number, boolean, quantity, map, list };
  QString key;
  Kind kind = Kind::text;
  QString description;
  QString default_text; // from "default", or from "(default …)" in the description
  QString example;
  QStringList choices;
  QStringList choice_descriptions; // one for each choice, where the schema tells
  QStringList of;                  // the parts that have it: "leaf_spine", "rail"; empty: all
  double minimum = -1e300;
  double maximum = 1e300;
  bool required = false;
  bool asked = false; // it has no default where it counts
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

  /// The schema below a dotted path ("cluster.nodes.0"); empty if the format has no such path.
  QJsonObject at(const QString& path) const;
  /// The possible keys of the map at a path.
  QVector<SchemaField> fields(const QString& path) const;
  /// What may stand at @p key of the list or map at a path: an item by its number, also a key that may have any name;
  /// nothing where the format has no such key.
  std::optional<SchemaField> member(const QString& path, const QString& key) const;
  QString description(const QString& path) const;

signals:
  void ready();

private:
  SchemaField fieldOf(const QString& key, const QJsonObject& whole) const;
  QJsonObject resolved(const QJsonObject& schema) const;

  QJsonObject root_;
  QProcess process_;
};

/// A key of a scenario in words: "batch_per_gpu" is "Batch per GPU".
QString key_words(const QString& key);

} // namespace trainyard::gui
