// SPDX-License-Identifier: Apache-2.0
#include "gui/document/faults_model.hpp"

#include "gui/core/theme.hpp"
#include "gui/document/scenario_document.hpp"
#include "models/core/quantity_text.hpp"
#include "models/scenario/yaml_edit.hpp"

#include <QRegularExpression>

#include <cmath>

namespace trainyard::gui {
namespace {

QString one_text(const FaultEntry& entry)
{
  QString at = entry.at;
  QString lasts = entry.lasts;
  at.remove(QLatin1Char(' '));
  lasts.remove(QLatin1Char(' '));
  return entry.what + QLatin1Char('@') + at + (lasts.isEmpty() ? QString{} : QLatin1Char('+') + lasts);
}

QString text_of(const DocumentNode& map, const char* key)
{
  const DocumentNode* node = map.find(key);
  return node == nullptr ? QString{} : QString::fromStdString(node->text);
}

FaultEntry entry_of(const DocumentNode& node, const QString& path)
{
  FaultEntry entry;
  entry.path = path;
  if (node.kind == DocumentNode::Kind::map) {
    entry.one_text = false;
    entry.what = text_of(node, "fail");
    entry.at = text_of(node, "at");
    entry.lasts = text_of(node, "lasts");
    if (const double until = fault_time(text_of(node, "until")); until > 0 && entry.lasts.isEmpty())
      entry.lasts_s = until - fault_time(entry.at);
  } else {
    static const QRegularExpression form{QStringLiteral("^([^@]*)@([^+]*)(?:\\+(.*))?$")};
    const auto match = form.match(QString::fromStdString(node.text));
    entry.what = match.hasMatch() ? match.captured(1) : QString::fromStdString(node.text);
    entry.at = match.captured(2);
    entry.lasts = match.captured(3);
  }
  entry.at_s = fault_time(entry.at);
  if (!entry.lasts.isEmpty())
    entry.lasts_s = fault_time(entry.lasts);
  entry.good = entry.at_s >= 0 && (entry.lasts.isEmpty() || entry.lasts_s > 0);
  return entry;
}

} // namespace

double fault_time(const QString& text)
{
  static const QRegularExpression clock{QStringLiteral("^(\\d{1,4}):([0-5]?\\d)(?::([0-5]?\\d))?$")};
  if (const auto match = clock.match(text.trimmed()); match.hasMatch())
    return match.captured(1).toDouble() * 3600 + match.captured(2).toDouble() * 60 + match.captured(3).toDouble();
  const QuantityText quantity = parse_quantity(text.trimmed().toStdString(), QuantityKind::duration);
  return quantity ? quantity.value : -1;
}

QString clock_text(double seconds)
{
  const auto whole = static_cast<qint64>(std::llround(std::max(0.0, seconds)));
  QString text =
      QStringLiteral("%1:%2").arg(whole / 3600, 2, 10, QLatin1Char('0')).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
  if (whole % 60 != 0)
    text += QStringLiteral(":%1").arg(whole % 60, 2, 10, QLatin1Char('0'));
  return text;
}

QVector<FaultEntry> faults_of(const Document& document)
{
  QVector<FaultEntry> list;
  const auto add_all = [&](const DocumentNode* node, const QString& path) {
    if (node == nullptr || node->kind != DocumentNode::Kind::list)
      return;
    for (std::size_t i = 0; i < node->items.size(); ++i)
      list.push_back(entry_of(node->items[i], QStringLiteral("%1.%2").arg(path).arg(i)));
  };
  add_all(find_path(document.root, "faults"), QStringLiteral("faults"));
  add_all(find_path(document.root, "faults.list"), QStringLiteral("faults.list"));
  return list;
}

FaultsModel::FaultsModel(ScenarioDocument& document, QObject* parent) : QAbstractTableModel{parent}, document_{document}
{
  const auto refresh = [this] {
    QVector<FaultEntry> now = faults_of(document_.tree());
    if (now.size() != faults_.size()) {
      beginResetModel();
      faults_ = std::move(now);
      endResetModel();
    } else if (!now.isEmpty()) {
      faults_ = std::move(now);
      emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
  };
  connect(&document_, &ScenarioDocument::treeChanged, this, refresh);
  refresh();
}

bool FaultsModel::add(const QString& what, const QString& at, const QString& lasts)
{
  document_.settle();
  if (what.trimmed().isEmpty() || fault_time(at) < 0 || (!lasts.trimmed().isEmpty() && fault_time(lasts) <= 0))
    return false;
  FaultEntry entry;
  entry.what = what.trimmed();
  entry.at = at.trimmed();
  entry.lasts = lasts.trimmed();
  const DocumentNode* there = find_path(document_.tree().root, "faults");
  const QString list = there != nullptr && there->kind == DocumentNode::Kind::map ? QStringLiteral("faults.list")
                                                                                  : QStringLiteral("faults");
  return document_.appendItem(list, QString::fromStdString(yaml_scalar(one_text(entry).toStdString())),
                              tr("%1 fails at %2").arg(entry.what, entry.at));
}

bool FaultsModel::remove(int row)
{
  document_.settle();
  return row >= 0 && row < faults_.size() &&
         document_.remove(faults_[row].path, tr("Remove the failure of %1").arg(faults_[row].what));
}

bool FaultsModel::move(int row, double seconds)
{
  document_.settle();
  if (row < 0 || row >= faults_.size())
    return false;
  FaultEntry entry = faults_[row];
  entry.at = clock_text(seconds);
  return entry.at == faults_[row].at || write(entry, tr("Move the failure of %1").arg(entry.what), 7);
}

bool FaultsModel::write(const FaultEntry& entry, const QString& label, int merge)
{
  if (entry.one_text)
    return document_.setValue(entry.path, QString::fromStdString(yaml_scalar(one_text(entry).toStdString())), label,
                              merge);
  const DocumentNode* node = find_path(document_.tree().root, entry.path.toStdString());
  bool good = true;
  const auto set = [&](const char* key, const QString& value) {
    if (node != nullptr && text_of(*node, key) != value && !value.isEmpty())
      good = document_.setValue(entry.path + QLatin1Char('.') + QLatin1String(key),
                                QString::fromStdString(yaml_scalar(value.toStdString())), label, merge) &&
             good;
  };
  set("fail", entry.what);
  set("at", entry.at);
  set("lasts", entry.lasts);
  return good;
}

int FaultsModel::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(faults_.size());
}
int FaultsModel::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : 3;
}

QVariant FaultsModel::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= faults_.size())
    return {};
  const FaultEntry& entry = faults_[index.row()];
  if (role == Qt::ForegroundRole && !entry.good)
    return error_colour();
  if (role != Qt::DisplayRole && role != Qt::EditRole)
    return {};
  switch (index.column()) {
  case 0:
    return entry.what;
  case 1:
    return entry.at;
  default:
    return entry.lasts.isEmpty() && role == Qt::DisplayRole && entry.lasts_s < 0 ? tr("for ever") : entry.lasts;
  }
}

bool FaultsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
  if (!index.isValid() || role != Qt::EditRole)
    return false;
  FaultEntry entry = faults_[index.row()];
  const QString text = value.toString().trimmed();
  if ((index.column() == 1 && fault_time(text) < 0) ||
      (index.column() == 2 && !text.isEmpty() && fault_time(text) <= 0) || (index.column() == 0 && text.isEmpty()))
    return false;
  (index.column() == 0 ? entry.what : index.column() == 1 ? entry.at : entry.lasts) = text;
  return write(entry, tr("Change the failure of %1").arg(entry.what));
}

Qt::ItemFlags FaultsModel::flags(const QModelIndex& index) const
{
  return QAbstractTableModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

QVariant FaultsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (role != Qt::DisplayRole)
    return {};
  if (orientation == Qt::Vertical)
    return section + 1;
  return QStringList{tr("What fails"), tr("At"), tr("For")}.value(section);
}

} // namespace trainyard::gui
