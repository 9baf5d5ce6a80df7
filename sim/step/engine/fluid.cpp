// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/fluid_network.hpp"
#include "sim/step/engine/program_runner.hpp"

#include <limits>
#include <utility>

namespace trainyard {
namespace {

class FluidRuns final : public RepeatedRun
{
public:
  FluidRuns(const Cluster& cluster, std::span<const ProgramRun> programs, KnownWays* known)
      : runner_{cluster, programs, CollectiveStyle::pipelined, false, known},
        capacities_{runner_.routes().number_narrow_links()}
  {
    runner_.reuse_collectives();
  }

  std::vector<StepTrace> again(std::span<const Seconds> starts) override
  {
    runner_.time_anew(starts);
    FluidNetwork network{capacities_};
    return runner_.run(network);
  }

  std::vector<StepTrace> until_one_has_ended(std::span<const Seconds> starts) override
  {
    runner_.time_anew(starts);
    FluidNetwork network{capacities_};
    runner_.begin_all(network);
    network.advance(std::numeric_limits<double>::infinity(), runner_.stepped_since_one_ended());
    return runner_.traces_so_far();
  }

private:
  ProgramRunner runner_;
  std::vector<double> capacities_;
};

class EndlessFluidRun final : public EndlessRun
{
public:
  EndlessFluidRun(const Cluster& cluster, const ProgramRun& program)
      : runner_{cluster, {&program, 1}, CollectiveStyle::pipelined}, network_{runner_.routes().number_narrow_links()}
  {
  }

  bool begin(int back, StepFactor factor)
  {
    if (!runner_.go_round(back, std::move(factor)))
      return false;
    runner_.begin_all(network_);
    return true;
  }

  void go_on(std::size_t steps) override
  {
    network_.advance(std::numeric_limits<double>::infinity(), runner_.have_ended(steps));
  }

  const RoundsDone& done() const override { return runner_.rounds_done(); }

  std::pair<StepTrace, std::map<int, Seconds>> some_steps() override
  {
    network_.advance(std::numeric_limits<double>::infinity(), runner_.note_steps());
    return runner_.noted_steps();
  }

private:
  ProgramRunner runner_;
  FluidNetwork network_;
};

/// Its clock begins at 0 again whenever nothing runs, so that it stays fine; so do the books of programs that have
/// ended.
class OpenFluidRun final : public OpenRun
{
public:
  explicit OpenFluidRun(const Cluster& cluster)
      : runner_{cluster, {}, CollectiveStyle::pipelined}, network_{std::make_unique<FluidNetwork>(
                                                              runner_.routes().capacities())}
  {
  }

  double now() const override { return base_ + network_->now(); }

  int add(const StepProgram& program, int /*like*/) override
  {
    if (running_ == 0)
      begin_again();
    const int number = runner_.add(program);
    if (runner_.routes().capacities().size() > capacities_) {
      network_->grow(runner_.routes().capacities());
      capacities_ = runner_.routes().capacities().size();
    }
    if (const std::vector<const std::vector<int>*> wider = runner_.widened(); !wider.empty())
      network_->widen(wider);
    runner_.begin_latest(*network_);
    operations_.push_back(program.operations.size());
    ++running_;
    return first_ + number;
  }

  std::vector<int> advance(double until) override
  {
    network_->advance(until - base_, runner_.any_ended());
    std::vector<int> ended = runner_.take_ended();
    for (int& number : ended)
      number += first_;
    return ended;
  }

  StepTrace take(int program) override
  {
    --running_;
    StepTrace trace = runner_.take_trace(program - first_);
    shift(trace, Seconds{base_});
    return trace;
  }

  std::vector<double> remove(int program) override
  {
    --running_;
    const int number = program - first_;
    std::vector<double> sent(operations_[static_cast<std::size_t>(number)], 0.0);
    network_->cancel(number, sent);
    return runner_.take_shares(number, sent);
  }

private:
  void begin_again()
  {
    first_ += static_cast<int>(operations_.size());
    operations_.clear();
    base_ = now();
    const bool resources = runner_.routes().has_resources();
    runner_.restart();
    if (!resources) {
      network_->restart();
      return;
    }
    network_ = std::make_unique<FluidNetwork>(runner_.routes().capacities());
    capacities_ = runner_.routes().capacities().size();
  }

  ProgramRunner runner_;
  std::unique_ptr<FluidNetwork> network_;
  double base_ = 0; // the time at which the clock of the network began, s
  int first_ = 0;   // the number of the runner's first program
  int running_ = 0; // programs
  std::size_t capacities_ = 0;
  std::vector<std::size_t> operations_; // by program of the runner
};

class Fluid final : public Executor
{
public:
  std::unique_ptr<OpenRun> open(const Cluster& cluster, std::vector<Coming> /*expected*/) const override
  {
    return std::make_unique<OpenFluidRun>(cluster);
  }
  std::unique_ptr<RepeatedRun> repeated(const Cluster& cluster, std::span<const ProgramRun> programs,
                                        KnownWays* known) const override
  {
    return std::make_unique<FluidRuns>(cluster, programs, known);
  }
  bool goes_on() const override { return true; }
  std::unique_ptr<EndlessRun> endless(const Cluster& cluster, const StepProgram& program, int back,
                                      const StepFactor& factor) const override
  {
    auto run = std::make_unique<EndlessFluidRun>(cluster, ProgramRun{&program, Seconds{}});
    return run->begin(back, factor) ? std::move(run) : nullptr;
  }
  std::vector<StepTrace> run(const Cluster& cluster, std::span<const ProgramRun> programs) const override
  {
    ProgramRunner runner{cluster, programs, CollectiveStyle::pipelined};
    runner.reuse_collectives();
    FluidNetwork network{runner.routes().number_narrow_links()};
    return runner.run(network);
  }
};

TY_REGISTER(Executor, Fluid, "fluid",
            "own max-min solver; the edges of a ring are flows that stay within one chunk of each other");

} // namespace
} // namespace trainyard
