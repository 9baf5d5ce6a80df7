// SPDX-License-Identifier: Apache-2.0
#include "gui/results/result_loader.hpp"

#include "gui/results/figures.hpp"

#include <exception>

namespace trainyard::gui {

ResultLoader::ResultLoader(QObject* parent) : QObject{parent}
{
  qRegisterMetaType<Results>();
  worker_.moveToThread(&thread_);
  thread_.start();
  QMetaObject::invokeMethod(
      &worker_, [] { column_facts(); }, Qt::QueuedConnection); // before the first results need them
}

ResultLoader::~ResultLoader()
{
  thread_.quit();
  thread_.wait();
}

void ResultLoader::load(const QString& folder)
{
  QMetaObject::invokeMethod(
      &worker_,
      [this, folder] {
        try {
          emit loaded(std::make_shared<const ResultsData>(read_results(folder)));
        } catch (const std::exception& failure) {
          emit failed(folder, QString::fromUtf8(failure.what()));
        }
      },
      Qt::QueuedConnection);
}

} // namespace trainyard::gui
