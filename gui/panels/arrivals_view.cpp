// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/arrivals_view.hpp"

#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/document/schema.hpp"
#include "gui/panels/schema_form.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"
#include "models/scenario/sections/workload.hpp"

#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <exception>
#include <map>

namespace trainyard::gui {

ArrivalsPreview preview_arrivals(const QString& scenario_text, const QString& folder)
{
  ArrivalsPreview preview;
  try {
    Diagnostics reading;
    const Document document =
        parse_document(scenario_text.toStdString(), (folder + QStringLiteral("/scenario.yaml")).toStdString(), reading);
    const Catalogue catalogue = load_catalogue(data_folder());
    const Scenario scenario = read_scenario(document, {}, catalogue, reading);
    const auto* section = scenario.section<WorkloadSection>("workload");
    if (section == nullptr) {
      preview.fault = QObject::tr(
          "The scenario lists its jobs, or has none yet. Set generate or trace to get jobs that arrive over time.");
      return preview;
    }
    Workload workload;
    if (section->trace) {
      std::filesystem::path file = *section->trace;
      if (file.is_relative() && !std::filesystem::exists(file))
        file = std::filesystem::path{folder.toStdString()} / file;
      ImportedTrace trace = import_trace(file, section->options);
      preview.audit = QString::fromStdString(trace.format + ": " + trace.audit.text());
      workload = section->like_trace > 0 ? generate_like(trace.workload, section->like_trace, Random{scenario.run.seed})
                                         : std::move(trace.workload);
    } else if (section->generate) {
      workload = generate(*section->generate, Random{scenario.run.seed});
    }
    preview.jobs = static_cast<qint64>(workload.jobs.size());
    if (workload.jobs.empty())
      return preview;
    constexpr int bins = 96;
    const double last = std::max(workload.jobs.back().submit.value(), 1.0);
    preview.days = last / 86400;
    std::vector<double> counts(bins, 0.0);
    std::map<int, int> sizes;
    std::vector<double> hours;
    for (const TraceJob& job : workload.jobs) {
      ++counts[static_cast<std::size_t>(std::clamp(static_cast<int>(job.submit.value() / last * bins), 0, bins - 1))];
      ++sizes[job.gpus];
      hours.push_back(job.duration.value() / 3600);
    }
    for (int i = 0; i < bins; ++i)
      preview.arrivals.push_back({last / 3600 * i / bins, counts[static_cast<std::size_t>(i)]});
    for (const auto& [gpus, jobs] : sizes)
      preview.gpus.push_back({static_cast<double>(gpus), static_cast<double>(jobs)});
    std::ranges::sort(hours);
    for (int i = 0; i <= 50; ++i) {
      const auto at = std::min(hours.size() - 1, hours.size() * static_cast<std::size_t>(i) / 50);
      preview.durations.push_back({hours[at], 100.0 * i / 50});
    }
  } catch (const InputError& error) {
    preview.fault = error.diagnostics().empty() ? QString::fromUtf8(error.what())
                                                : QString::fromStdString(error.diagnostics().front().message);
  } catch (const std::exception& failure) {
    preview.fault = QString::fromUtf8(failure.what());
  }
  return preview;
}

ArrivalsView::ArrivalsView(ScenarioDocument& document, Schema& schema, QWidget* parent)
    : QWidget{parent}, document_{document}, form_{new SchemaForm{document, schema}}, inner_{new SchemaForm{document,
                                                                                                           schema}},
      arrivals_{new Chart}, sizes_{new Chart}, facts_{new QLabel}, audit_{new QPlainTextEdit}
{
  auto* layout = column_in(this);
  auto* across = new QSplitter;
  layout->addWidget(across);
  auto* forms = new QWidget;
  auto* column = column_in(forms);
  column->addWidget(form_);
  column->addWidget(inner_);
  column->addStretch();
  QScrollArea* scroll = scrolled(forms);
  scroll->setMinimumWidth(230);
  across->addWidget(scroll);
  auto* right = new QWidget;
  auto* charts = new QVBoxLayout{right};
  charts->setContentsMargins(6, 6, 6, 0);
  facts_->setWordWrap(true);
  charts->addWidget(facts_);
  charts->addWidget(arrivals_, 1);
  charts->addWidget(sizes_, 1);
  audit_->setReadOnly(true);
  audit_->setMaximumHeight(120);
  audit_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  audit_->setAccessibleName(tr("Audit of the trace"));
  charts->addWidget(audit_);
  across->addWidget(right);
  across->setSizes({290, 700});
  form_->show(QStringLiteral("workload"), tr("Jobs over time"));
  form_->openIn(*inner_);
  timer_.setSingleShot(true);
  timer_.setInterval(300);
  worker_.moveToThread(&thread_);
  thread_.start();
  connect(&document_, &ScenarioDocument::treeChanged, this, [this] { timer_.start(); });
  connect(&timer_, &QTimer::timeout, this, &ArrivalsView::ask);
  ask();
}

ArrivalsView::~ArrivalsView()
{
  thread_.quit();
  thread_.wait();
}

bool ArrivalsView::hasWorkload() const
{
  return find_path(document_.tree().root, "workload") != nullptr;
}

void ArrivalsView::ask()
{
  // Only what the preview depends on: the jobs and the seed.
  const DocumentNode* workload = find_path(document_.tree().root, "workload");
  const DocumentNode* run = find_path(document_.tree().root, "run");
  const QString now =
      workload == nullptr
          ? QStringLiteral("none")
          : QString::fromStdString(to_flow_yaml(*workload) + (run == nullptr ? "" : to_flow_yaml(*run)));
  if (now == asked_)
    return;
  asked_ = now;
  if (workload != nullptr && inner_->path().isEmpty()) {
    const QString part = workload->find("trace") != nullptr ? QStringLiteral("trace") : QStringLiteral("generate");
    inner_->show(QStringLiteral("workload.") + part, key_words(part));
  }
  const int number = ++pending_;
  const QString folder = document_.folder();
  QMetaObject::invokeMethod(&worker_, [this, number, text = document_.text(), folder] {
    if (number != pending_)
      return; // a later one is wanted
    const ArrivalsPreview preview = preview_arrivals(text, folder);
    QMetaObject::invokeMethod(this, [this, number, preview] {
      if (number == pending_)
        show(preview);
    });
  });
}

void ArrivalsView::show(const ArrivalsPreview& preview)
{
  preview_ = preview;
  facts_->setText(
      !preview.fault.isEmpty()
          ? preview.fault
          : tr("%1 jobs over %2 days").arg(preview.jobs).arg(preview.days, 0, 'f', preview.days < 10 ? 2 : 0));
  arrivals_->setSeries({{tr("jobs submitted"), preview.arrivals, false, {}}}, tr("When jobs arrive"), tr("time, h"),
                       tr("jobs"));
  sizes_->setSeries({{tr("run time"), preview.durations, false, {}}}, tr("Run times of jobs"), tr("run time, h"),
                    tr("% of the jobs"));
  audit_->setPlainText(preview.audit);
  audit_->setVisible(!preview.audit.isEmpty());
}

} // namespace trainyard::gui
