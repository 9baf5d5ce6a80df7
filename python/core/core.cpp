// SPDX-License-Identifier: Apache-2.0
// trainyard._core: scenarios run inside a Python process. The package `trainyard` is what users see.
#include "models/core/data_folder.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/program.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/places.hpp"
#include "models/scenario/short_forms.hpp"
#include "python/core/python_policy.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace py = pybind11;

namespace trainyard::python {
namespace {

/// What a run leaves: what simrun would print and write.
struct Report {
  std::string text;
  std::string summary;
  int exit_code = 0;
  std::vector<RunFile> files;

  std::vector<std::string> tables() const
  {
    std::vector<std::string> names;
    for (const RunFile& file : files)
      if (file.name.ends_with(".csv"))
        names.push_back(file.name.substr(0, file.name.size() - 4));
    return names;
  }

  /// The text of a CSV file.
  std::string csv(const std::string& table) const
  {
    for (const RunFile& file : files)
      if (file.name == table + ".csv") {
        const std::filesystem::path place =
            std::filesystem::temp_directory_path() / fmt::format("trainyard-{}-{}", ::getpid(), file.name);
        file.write(place);
        std::string text = read_text_file(place, std::numeric_limits<std::size_t>::max());
        std::filesystem::remove(place);
        return text;
      }
    throw py::key_error{fmt::format("this run has no table '{}'", table)};
  }
};

Report report_of(RunReport&& made, const std::vector<Diagnostic>& of_check)
{
  RunReport run = with_conclusions(std::move(made), {}, of_check);
  return {run.text(), document_text(run.summary), run.exit_code, std::move(run.files)};
}

void check_signals()
{
  if (PyErr_CheckSignals() != 0)
    throw py::error_already_set{};
}

/// Ctrl-C in the middle of a run that calls no Python: its loops look at interrupt::asked. Only in the main thread,
/// where Python takes signals, and not where a program has a handler of its own, which may go on.
class CtrlC
{
public:
  CtrlC()
  {
    const py::module_ threading = py::module_::import("threading"), signals = py::module_::import("signal");
    if (!threading.attr("current_thread")().is(threading.attr("main_thread")()) ||
        !signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler")))
      return;
    struct sigaction wanted = {};
    wanted.sa_handler = asked;
    watches_ = sigaction(SIGINT, &wanted, &before_) == 0;
  }
  ~CtrlC()
  {
    if (!watches_)
      return;
    sigaction(SIGINT, &before_, nullptr);
    interrupt::asked = false;
  }
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

private:
  static void asked(int)
  {
    interrupt::asked = true;
    PyErr_SetInterrupt(); // for code of Python
  }

  struct sigaction before_ = {};
  bool watches_ = false;
};

class CoreSimulation
{
  // Before its use: its type is deduced.
  /// Faults that a run finds in values of the scenario get their lines.
  template <class What>
  auto located_faults(const What& what)
  {
    try {
      const CtrlC watched;
      return what();
    } catch (const Interrupted&) {
      run_.reset();
      check_signals(); // KeyboardInterrupt
      throw;
    } catch (const InputError& error) {
      std::vector<Diagnostic> all = error.diagnostics();
      for (Diagnostic& one : all)
        if (!one.where.path.empty())
          one = located(one, document_, "");
      run_.reset();
      throw InputError{std::move(all)};
    } catch (...) {
      run_.reset(); // it stopped in the middle; the next one begins anew
      throw;
    }
  }

public:
  /// @p text: the scenario itself, where it is in no file.
  CoreSimulation(const std::string& file, const std::optional<std::string>& text,
                 const std::map<std::string, std::string>& overrides, py::object policy)
      : policy_{std::move(policy)}
  {
    Diagnostics diagnostics;
    document_ = text ? parse_document(*text, file, diagnostics) : read_document(file, diagnostics);
    catalogue_ = load_catalogue(data_folder());
    expand_short_forms(document_, catalogue_, diagnostics);
    diagnostics.throw_if_errors();
    for (const auto& [path, value] : overrides)
      set_path(document_, path, value);
    points_ = check_points(document_, catalogue_, diagnostics);
    diagnostics.throw_if_errors();
    of_check_ = diagnostics.sorted();
    for (const Diagnostic& one : of_check_)
      warnings_.push_back(format(one));
    runner_ = runner_of(points_.front().scenario);
    if (!policy_.is_none())
      check_one_queue("a policy in Python");
  }

  std::optional<double> step()
  {
    if (report_)
      return std::nullopt;
    check_one_queue("step()");
    return located_faults([&]() -> std::optional<double> {
      prepare();
      const std::optional<Instant> time = run_->step();
      return time ? std::optional{time->value()} : std::nullopt;
    });
  }

  const Report& run()
  {
    if (!report_)
      report_ = located_faults([&] { return run_anew(); });
    return *report_;
  }

  std::vector<std::string> warnings_;

private:
  bool one_queue() const
  {
    if (runner_ == nullptr || runner_->kind() != "trainyard queue" || points_.size() != 1)
      return false;
    const SchedulingSection scheduling = scheduling_of(points_.front().scenario);
    return scheduling.placements.size() == 1 && (!policy_.is_none() || scheduling.policies.size() == 1);
  }

  void check_one_queue(const std::string& what) const
  {
    if (!one_queue())
      throw py::value_error{what +
                            " needs a scenario with a 'workload' and with one point, one policy and one placement; "
                            "override the others, for example overrides={'scheduling.policies': '[fifo]'}"};
  }

  void prepare()
  {
    if (run_ != nullptr)
      return;
    point_ = std::make_unique<QueuePoint>(prepare_queue(points_.front(), catalogue_, notes_));
    const SchedulingSection& scheduling = point_->scheduling;
    if (policy_.is_none()) {
      run_ = std::make_unique<PolicyRun>(*point_, scheduling.policies.front(), scheduling.placements.front());
      return;
    }
    const std::string name = py::str(py::type::of(policy_).attr("__name__"));
    run_ = std::make_unique<PolicyRun>(*point_, NamedPart{name, {}, name}, scheduling.placements.front(),
                                       python_policy(policy_, point_->workload));
  }

  Report run_anew()
  {
    if (one_queue()) {
      prepare();
      for (int steps = 0; run_->step(); ++steps)
        if (steps % 1024 == 0)
          check_signals();
      auto runs = std::make_shared<std::vector<QueueRun>>();
      runs->push_back(run_->alone());
      const std::vector<FilledDefault> seen = queue_seen(points_.front().scenario, {&runs->front()});
      return report_of(with_assumed(queue_report(points_, runs, notes_), assumed(points_, seen)), of_check_);
    }
    const SimulateOptions options{.progress = [](std::size_t, std::size_t, const std::string&) { check_signals(); },
                                  .catalogue = &catalogue_};
    if (runner_ != nullptr)
      return report_of(runner_->run(points_, options), of_check_);
    auto results = std::make_shared<Results>(simulate(points_, catalogue_, options));
    conclude(*results, of_check_);
    Report report{results_told(*results).text(), summary_json(*results), 0, {}};
    for (const auto& [name, csv] :
         std::map<std::string, std::string (*)(const Results&)>{{"events.csv", events_csv},
                                                                {"jobs.csv", jobs_csv},
                                                                {"link_loads.csv", link_loads_csv},
                                                                {"links.csv", links_csv},
                                                                {"steps.csv", steps_csv},
                                                                {"traffic.csv", traffic_csv}})
      report.files.push_back(
          {name, [results, csv = csv](const std::filesystem::path& path) { write_file(path, csv(*results)); }});
    return report;
  }

  py::object policy_;
  Document document_;
  Catalogue catalogue_;
  std::vector<CheckedPoint> points_;
  std::vector<Diagnostic> of_check_; // what the check warned of
  const ScenarioRunner* runner_ = nullptr;
  std::string notes_;
  std::unique_ptr<QueuePoint> point_;
  std::unique_ptr<PolicyRun> run_;
  std::optional<Report> report_;
};

/// trainyard.ScenarioError with the places of all faults.
void raise_scenario_error(const InputError& error)
{
  py::list faults;
  std::string text;
  for (const Diagnostic& one : error.diagnostics()) {
    faults.append(py::make_tuple(one.where.file, one.where.line, one.where.column, one.message));
    text += (text.empty() ? "" : "\n") + format(one);
  }
  const py::object type = py::module_::import("trainyard._errors").attr("ScenarioError");
  const py::object raised = type(text.empty() ? std::string{error.what()} : text, faults);
  PyErr_SetObject(type.ptr(), raised.ptr());
}

} // namespace

PYBIND11_MODULE(_core, module)
{
  module.doc() = "The simulator of Trainyard; use the package trainyard.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown)
        std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise_scenario_error(error);
    }
  });
  define_policy_classes(module);
  py::class_<Report>{module, "Report"}
      .def_readonly("text", &Report::text)
      .def_readonly("summary", &Report::summary)
      .def_readonly("exit_code", &Report::exit_code)
      .def("tables", &Report::tables)
      .def("csv", &Report::csv);
  py::class_<CoreSimulation>{module, "Simulation"}
      .def(py::init<std::string, std::optional<std::string>, std::map<std::string, std::string>, py::object>())
      .def("step", &CoreSimulation::step)
      .def("run", &CoreSimulation::run, py::return_value_policy::reference_internal)
      .def_readonly("warnings", &CoreSimulation::warnings_);
  module.def("data_folder", [] { return data_folder().string(); });
  module.def("version", [] { return program_version(); });
}

} // namespace trainyard::python
