// SPDX-License-Identifier: Apache-2.0
#include "gui/document/schema.hpp"

#include "gui/core/places.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStringList>

#include <algorithm>

namespace trainyard::gui {
namespace {

/// The alternatives of a schema that says "one of these"; else the schema itself.
QVector<QJsonObject> alternatives(const QJsonObject& schema)
{
  QVector<QJsonObject> list;
  for (const char* key : {"oneOf", "anyOf", "allOf"})
    for (const QJsonValue& value : schema.value(QLatin1String(key)).toArray())
      list.push_back(value.toObject());
  if (list.isEmpty() || schema.contains(QLatin1String("properties"))) // a map may say more of itself in an allOf
    list.push_back(schema);
  return list;
}

} // namespace

Schema::Schema(QObject* parent) : QObject{parent}
{
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    if (status == QProcess::NormalExit && code == 0)
      setText(process_.readAllStandardOutput());
  });
}

Schema::~Schema()
{
  end_unheard(process_, *this);
}

void Schema::load()
{
  const QString program = simrun_program();
  if (!program.isEmpty() && process_.state() == QProcess::NotRunning)
    process_.start(program, {QStringLiteral("schema"), QStringLiteral("--long")});
}

QString setting_words(const QString& description)
{
  return description.isEmpty() ? description
                               : QCoreApplication::translate("Settings", description.toUtf8().constData());
}

bool Schema::setText(const QByteArray& text)
{
  const QJsonDocument document = QJsonDocument::fromJson(text);
  if (!document.isObject())
    return false;
  root_ = document.object();
  emit ready();
  return true;
}

QJsonObject Schema::resolved(const QJsonObject& schema) const
{
  QJsonObject result = schema;
  for (int depth = 0; depth < 8 && result.contains(QLatin1String("$ref")); ++depth) {
    const QString name = result.value(QLatin1String("$ref")).toString();
    QJsonValue found{root_};
    for (const QString& step : name.mid(1).split(QLatin1Char('/'), Qt::SkipEmptyParts))
      found = found.toObject().value(step);
    const QString words = result.value(QLatin1String("description")).toString();
    result = found.toObject();
    if (!words.isEmpty())
      result.insert(QStringLiteral("description"), words);
  }
  return result;
}

QJsonObject Schema::at(const QString& path) const
{
  QJsonObject here = resolved(root_);
  for (const QString& key : path.split(QLatin1Char('.'), Qt::SkipEmptyParts)) {
    QJsonObject next;
    for (const QJsonObject& raw : alternatives(here)) {
      const QJsonObject option = resolved(raw);
      const QJsonObject properties = option.value(QLatin1String("properties")).toObject();
      const QJsonValue items = option.value(QLatin1String("items"));
      const QJsonValue others = option.value(QLatin1String("additionalProperties"));
      if (properties.contains(key))
        next = properties.value(key).toObject();
      else if (items.isObject() && !key.isEmpty() && key[0].isDigit())
        next = items.toObject();
      else if (others.isObject())
        next = others.toObject();
      if (!next.isEmpty())
        break;
    }
    if (next.isEmpty())
      return {};
    here = resolved(next);
  }
  return here;
}

QString Schema::description(const QString& path) const
{
  return setting_words(at(path).value(QLatin1String("description")).toString());
}

SchemaField Schema::fieldOf(const QString& key, const QJsonObject& whole) const
{
  SchemaField field;
  field.key = key;
  const QString about = whole.value(QLatin1String("description")).toString();
  field.description = setting_words(about);
  field.asked = about.endsWith(QLatin1String("must be given"));
  for (const char* name : {"default", "x-defaults", "x-otherwise"})
    if (field.default_text.isEmpty() && whole.contains(QLatin1String(name)))
      field.default_text = whole.value(QLatin1String(name)).toVariant().toString();
  for (const QJsonValue& part : whole.value(QLatin1String("x-of")).toArray())
    field.of << part.toString();
  for (const QJsonObject& each : alternatives(whole)) {
    const QJsonObject kind = resolved(each);
    const QJsonValue types =
        kind.value(QLatin1String("type")); // a number may also be written as a share: ["number", "string"]
    const QString type = types.isArray() ? types.toArray().first().toString() : types.toString();
    for (const auto& choice : kind.value(QLatin1String("enum")).toArray())
      field.choices << choice.toVariant().toString();
    if (kind.contains(QLatin1String("const"))) {
      field.choices << kind.value(QLatin1String("const")).toVariant().toString();
      field.choice_descriptions << setting_words(kind.value(QLatin1String("description")).toString());
    }
    for (const auto& choice : kind.value(QLatin1String("enumDescriptions")).toArray())
      field.choice_descriptions << setting_words(choice.toString());
    field.minimum = std::max(field.minimum, kind.value(QLatin1String("minimum")).toDouble(-1e300));
    field.maximum = std::min(field.maximum, kind.value(QLatin1String("maximum")).toDouble(1e300));
    if (const QJsonArray examples = kind.value(QLatin1String("examples")).toArray(); !examples.isEmpty())
      field.example = examples.first().toVariant().toString();
    if (!field.choices.isEmpty())
      field.kind = SchemaField::Kind::choice;
    else if (type == QLatin1String("integer"))
      field.kind = SchemaField::Kind::integer;
    else if (type == QLatin1String("number"))
      field.kind = SchemaField::Kind::number;
    else if (type == QLatin1String("boolean"))
      field.kind = SchemaField::Kind::boolean;
    else if (type == QLatin1String("object"))
      field.kind = SchemaField::Kind::map;
    else if (type == QLatin1String("array"))
      field.kind = SchemaField::Kind::list;
    else if (kind.contains(QLatin1String("pattern")) && !field.example.isEmpty())
      field.kind = SchemaField::Kind::quantity;
  }
  return field;
}

std::optional<SchemaField> Schema::member(const QString& path, const QString& key) const
{
  const QJsonObject whole = at(path.isEmpty() ? key : path + QLatin1Char('.') + key);
  return whole.isEmpty() ? std::nullopt : std::optional{fieldOf(key, whole)};
}

QVector<SchemaField> Schema::fields(const QString& path) const
{
  QVector<SchemaField> list;
  QStringList seen;
  for (const QJsonObject& raw : alternatives(at(path))) {
    const QJsonObject option = resolved(raw);
    const QJsonObject properties = option.value(QLatin1String("properties")).toObject();
    const QJsonArray required = option.value(QLatin1String("required")).toArray();
    for (auto it = properties.begin(); it != properties.end(); ++it) {
      if (seen.contains(it.key()))
        continue;
      seen << it.key();
      list.push_back(fieldOf(it.key(), resolved(it.value().toObject())));
      list.back().required = required.contains(it.key());
    }
  }
  return list;
}

namespace {

/// Written otherwise than the key has it.
QString spelled(const QString& word)
{
  static const QHash<QString, QString> others{
      {QStringLiteral("gpu"), QStringLiteral("GPU")},       {QStringLiteral("gpus"), QStringLiteral("GPUs")},
      {QStringLiteral("cpu"), QStringLiteral("CPU")},       {QStringLiteral("nic"), QStringLiteral("NIC")},
      {QStringLiteral("nics"), QStringLiteral("NICs")},     {QStringLiteral("pcie"), QStringLiteral("PCIe")},
      {QStringLiteral("nvlink"), QStringLiteral("NVLink")}, {QStringLiteral("mpi"), QStringLiteral("MPI")},
      {QStringLiteral("io"), QStringLiteral("I/O")},        {QStringLiteral("ps"), QStringLiteral("parameter server")},
      {QStringLiteral("jct"), QStringLiteral("JCT")},       {QStringLiteral("nccl"), QStringLiteral("NCCL")}};
  return others.value(word, word);
}

} // namespace

QString key_words(const QString& key)
{
  // Where the key itself says too little.
  static const QHash<QString, QString> known{{QStringLiteral("k"), QStringLiteral("Ports of a switch (k)")},
                                             {QStringLiteral("per_rack"), QStringLiteral("Machines per rack")},
                                             {QStringLiteral("intra"), QStringLiteral("Wiring inside the machine")},
                                             {QStringLiteral("workers"), QStringLiteral("Workers (GPUs)")}};
  QString words = known.value(key);
  if (words.isEmpty()) {
    QStringList parts;
    for (const QString& part : key.split(QLatin1Char('_'), Qt::SkipEmptyParts))
      parts << spelled(part);
    words = parts.join(QLatin1Char(' '));
    if (!words.isEmpty())
      words[0] = words[0].toUpper();
  }
  return QCoreApplication::translate("Keys", words.toUtf8().constData());
}

} // namespace trainyard::gui
