// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QThread>

#include "gui/results/results.hpp"

namespace trainyard::gui {

/// Reads results folders on a thread of its own; the thread ends with its owner.
class ResultLoader : public QObject
{
  Q_OBJECT
public:
  explicit ResultLoader(QObject* parent = nullptr);
  ~ResultLoader() override;

  void load(const QString& folder);

signals:
  void loaded(const trainyard::gui::Results& results);
  void failed(const QString& folder, const QString& why);

private:
  QThread thread_;
  QObject worker_;
};

} // namespace trainyard::gui

Q_DECLARE_METATYPE(trainyard::gui::Results)
