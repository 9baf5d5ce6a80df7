// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/figure_text.hpp"
#include "models/cost/kept_state.hpp"
#include "models/cost/mpi_decisions.hpp"
#include "models/cost/roofline.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/training/all_reduce_plan.hpp"
#include "sim/step/training/sparse_rows.hpp"
#include "sim/step/training/spread.hpp"
#include "sim/step/training/support.hpp"
#include "sim/step/training/training_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// Where the batches of one worker (or of a class of equal workers) come from: read from disk or storage, preprocessed
/// by the CPU, kept in a buffer of `prefetch_steps` batches.
///
/// The disk and the cores of a node are shared by its workers, a shared storage by all workers of the job.
class InputPipeline
{
public:
  /// Adds its lanes to @p program. @p mates: workers of the node that share disk and cores; @p all: workers that share
  /// the storage.
  InputPipeline(StepProgram& program, const TrainingContext& context, int worker, int mates, int all);

  /// Operations that bring the batch of @p step; returns what the forward pass waits for: @p start alone where samples
  /// are in memory.
  std::vector<OperationId> take(StepProgram& program, int step, std::vector<OperationId> start);

private:
  OperationId add(StepProgram& program, const char* name, Seconds duration, std::vector<OperationId> after,
                  std::vector<LaneId> lanes, int step) const;

  int worker_ = 0;
  Seconds read_;
  Seconds preprocess_;
  int prefetch_ = 1;
  LaneId reader_;
  LaneId cores_;
  std::vector<OperationId> taken_; // by step: the batch has left the buffer
};

InputPipeline::InputPipeline(StepProgram& program, const TrainingContext& context, int worker, int mates, int all)
    : worker_{worker}, prefetch_{std::max(1, context.job.input.prefetch_steps)}
{
  const InputSpec& input = context.job.input;
  if (input.source == "synthetic")
    return;
  const double batch = static_cast<double>(context.job.batch_per_gpu) * std::max(context.job.accumulation_steps, 1);
  const bool shared = input.source == "storage";
  if (input.bandwidth > BytesPerSecond{})
    read_ = input.bytes_per_sample * (batch * (shared ? all : mates)) / input.bandwidth;
  if (input.cpu_cores > 0)
    preprocess_ = input.preprocess_per_sample * (batch * mates / input.cpu_cores);
  const VertexId vertex = context.placement.workers[static_cast<std::size_t>(worker)];
  const NodeId node = context.cluster.vertex(vertex).node;
  const std::string name = context.cluster.node(node).name;
  if (read_ > Seconds{})
    reader_ =
        program.add(Lane{.name = shared ? name + " storage" : name + " disk", .kind = LaneKind::host, .node = node});
  if (preprocess_ > Seconds{})
    cores_ = program.add(Lane{.name = name + " preprocessing", .kind = LaneKind::host, .node = node});
}

OperationId InputPipeline::add(StepProgram& program, const char* name, Seconds duration, std::vector<OperationId> after,
                               std::vector<LaneId> lanes, int step) const
{
  return program.add(Operation{.name = name,
                               .role = Role::input,
                               .work = HostWork{duration},
                               .lanes = std::move(lanes),
                               .after = std::move(after),
                               .step = step,
                               .worker = worker_});
}

std::vector<OperationId> InputPipeline::take(StepProgram& program, int step, std::vector<OperationId> start)
{
  if (read_ <= Seconds{} && preprocess_ <= Seconds{})
    return start;
  std::vector<OperationId> batch;
  if (const int freed = static_cast<int>(taken_.size()) - prefetch_; freed >= 0)
    batch.push_back(taken_[static_cast<std::size_t>(freed)]);
  if (read_ > Seconds{})
    batch = {add(program, "read", read_, std::move(batch), {reader_}, step)};
  if (preprocess_ > Seconds{})
    batch = {add(program, "preprocess", preprocess_, std::move(batch), {cores_}, step)};
  start.insert(start.end(), batch.begin(), batch.end());
  taken_.push_back(add(program, "take batch", Seconds{}, std::move(start), {}, step));
  return {taken_.back()};
}

bool equal_times(const WorkerTimes& a, const WorkerTimes& b)
{
  return a.forward == b.forward && a.backward == b.backward && a.update == b.update;
}

/// Each class shares one lane.
const std::vector<WorkerClass>& worker_classes(const TrainingContext& context)
{
  std::vector<WorkerClass>& classes = found_at(context).classes;
  if (!classes.empty())
    return classes;
  const bool random = is_random(context.job.jitter);
  for (int worker = 0; worker < static_cast<int>(context.workers.size()); ++worker) {
    const WorkerTimes& times = context.workers[static_cast<std::size_t>(worker)];
    const auto same = std::ranges::find_if(classes, [&](const WorkerClass& candidate) {
      return !random && equal_times(context.workers[static_cast<std::size_t>(candidate.first)], times);
    });
    if (same == classes.end())
      classes.push_back({worker, 1});
    else
      ++same->members;
  }
  return classes;
}

int most_per_node(const TrainingContext& context)
{
  std::map<NodeId, int> counts;
  int most = 1;
  for (const VertexId worker : context.placement.workers)
    most = std::max(most, ++counts[context.cluster.vertex(worker).node]);
  return most;
}

/// Standard deviation of a worker with these times around its mean, after @p steps steps: chance adds up as its square
/// root, a GPU that is slow stays slow.
Seconds straggler_deviation(const Settings& settings, const TrainingContext& context, const WorkerTimes& times,
                            int steps)
{
  const int micro_steps = std::max(context.job.accumulation_steps, 1);
  Seconds compute;
  for (const Seconds time : times.forward)
    compute += time * micro_steps;
  for (const Seconds time : times.backward)
    compute += time * micro_steps;
  const Seconds by_chance =
      Seconds{settings.number("straggler_deviation", 0)} +
      Seconds{settings.number("straggler_deviation_per_sample", 0) * context.job.batch_per_gpu * micro_steps};
  return by_chance * std::sqrt(steps) + compute * (settings.number("straggler_variation", 0) * std::sqrt(steps) +
                                                   spread_of(settings, context) * steps);
}

/// Synchronous data parallelism: every worker holds a replica, gradients are summed by all-reduce, each worker updates
/// its replica.
///
/// Buckets of gradients (`fusion`) are exchanged in order on one communication stream while the backward pass goes on.
class AllReduce final : public TrainingMode
{
public:
  explicit AllReduce(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters();

  void check(const TrainingContext& context, Diagnostics& diagnostics) const override;
  StepProgram program(const TrainingContext& context, int first_step, int steps) const override;
  bool begin_elsewhere(const TrainingContext& context, int first_step, StepProgram& program) const override;
  int period(const TrainingContext&) const override { return sync_every(); }

private:
  void check_averaging(const TrainingContext& context, Diagnostics& diagnostics) const;
  void check_channels(const TrainingContext& context, const Transport& transport, bool gpu,
                      Diagnostics& diagnostics) const;
  std::string transport_name() const { return settings_.text("transport", "nccl"); }
  /// Of gradients; averaged parameters are one flat buffer (torch.distributed.algorithms.model_averaging.utils).
  std::string fusion() const { return settings_.text("fusion", sync_every() > 1 ? "single" : "buckets"); }
  int sync_every() const { return settings_.integer("sync_every", 1); }
  Settings settings_;
};

std::vector<Parameter> AllReduce::parameters()
{
  std::vector<Parameter> list{
      {"transport", "name", "nccl", "registered transport of the collectives"},
      {"collective", "name", "auto with nccl, else ring",
       "all-reduce algorithm; auto = ring, tree, NVSwitch or low-latency protocol as NCCL would choose"},
      mpi_parameter(),
      {"fusion", "name", "buckets; single with sync_every", "how gradients are fused into messages"},
      {"overlap", "boolean", "true", "exchange gradients during the backward pass"},
      sync_every_parameter(),
      {"outer_optimizer",
       "name",
       "none",
       "with sync_every: what is done with the average: workers go on with it, or it is the gradient of an outer step "
       "with Nesterov's momentum (DiLoCo), which keeps the last average and a momentum",
       0,
       0,
       "Douillard et al., arXiv:2311.08105",
       {"none", "nesterov"}},
      {"channels", "integer", "1", "parallel rings over different NICs", 1, 64},
      {"collectives_in_flight", "integer", "1; 2 with gloo",
       "collectives that the library runs side by side, at fidelity tcp; always 1 with fusion: horovod, whose thread "
       "waits for each",
       1, 64, "torch/csrc/distributed/c10d/ProcessGroupGloo.cpp: two threads for a device"},
      {"ring_order",
       "name",
       "auto",
       "order of ranks in rings: as given, or by topology; auto = topology if the transport reads GPU memory and "
       "`channels` is not given",
       0,
       0,
       "NCCL searches the topology for rings; MPI and Gloo keep the order of the ranks",
       {"auto", "ranks", "topology"}},
      latency_model_parameter(),
      staging_parameter(),
      {"copies_back", "boolean", "true",
       "Horovod's thread that waits for an exchange (blocking) also copies sums back to the GPU before it looks again; "
       "TensorFlow's does not",
       0, 1,
       "Horovod, torch/mpi_ops_v2.cc and mxnet/mpi_ops.cc: the callback copies; TensorFlow copies outside the thread"},
      {"kernel_wait", "number", "",
       "share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors; "
       "default: 0.5 where the library reads GPU memory, 0 where it runs on processors",
       0, 10, "assumed: it becomes ready at a random time in a kernel that fills the GPU"},
      {"collective_start_up", "duration", "0 s", "framework's cost of one collective, in addition to the library's", 0,
       10},
      {"contention_per_GB", "duration", "0 s",
       "extra compute time per GB of gradients: copies into fusion buffers, multiprocessors used by collectives", 0, 1},
      {"collective_channels", "integer", "",
       "multiprocessors that collectives take from the backward pass while both run; default: two for each ring (24 "
       "and 16 in machines of A100 and of H100 with NVSwitch), 0 on CPUs; without effect beside contention_per_GB",
       0, 128, "NCCL, src/graph/connect.cc (2.7)"},
      {"straggler_deviation", "duration", "0 s",
       "standard deviation of a worker's step; the barrier waits for the slowest", 0, 100},
      {"straggler_deviation_per_sample", "duration", "0 s",
       "standard deviation per sample of the worker's batch: input pipelines", 0, 10},
      {"straggler_variation", "number", "0", "standard deviation as a share of the worker's compute time", 0, 10},
      spread_parameter(),
      {"slow_down_per_neighbour", "number", "0",
       "share by which compute time grows for each further GPU of the job on the node with the most GPUs", 0, 10},
      {"step_overhead", "duration", "0 s",
       "additional work per step, which a single GPU does not have; with sync_every: of a step that averages", 0, 100},
      {"overhead_per_tensor", "duration", "0 s",
       "the same per gradient tensor: hooks, copies into and out of buffers, calls that only several workers make; "
       "with sync_every: of a step that averages",
       0, 1},
      {"gradient_element_size", "bytes", "",
       "bytes of one gradient element on the wire; default: 2 with fp16 and bf16, else 4, also with amp, whose "
       "parameters and gradients are fp32 (with a compression hook 2)",
       0.0625, 8},
  };
  for (const Parameter& parameter : sparse_parameters())
    list.push_back(parameter);
  for (const Parameter& parameter : collective_tuning_parameters())
    list.push_back(parameter);
  return list; // those of the fusions are listed with them; here, before main, it would depend on which file is
               // initialised first
}

void AllReduce::check(const TrainingContext& context, Diagnostics& diagnostics) const
{
  const auto transport = context.transports.find(transport_name());
  if (transport == context.transports.end()) {
    const std::vector<std::string> names = keys_of(context.transports);
    diagnostics.error({.path = context.job.path + ".training.transport"},
                      "job '" + context.job.name + "': unknown transport '" + transport_name() + "'" +
                          did_you_mean(transport_name(), names));
  } else if (!context.placement.workers.empty()) {
    const bool gpu = context.cluster.vertex(context.placement.workers.front()).kind == VertexKind::gpu;
    check_support(context.transports, transport_name(), "all_reduce", gpu, context.job, "or choose a parameter server",
                  diagnostics);
    if (sync_every() <= 1 && context.dnn.sparse() && context.whole() > 1)
      check_support(context.transports, transport_name(), "all_gather", gpu, context.job,
                    "or write 'sparse_gradients: dense'", diagnostics);
    check_network_reduction(context, settings_, diagnostics);
    check_channels(context, transport->second, gpu, diagnostics);
  }
  if (sync_every() > 1)
    check_averaging(context, diagnostics);
  else
    check_sparse_settings(context, diagnostics);
  if (sync_every() <= 1 && settings_.has("outer_optimizer"))
    diagnostics.warning({.path = context.job.path + ".training.outer_optimizer"},
                        "'outer_optimizer' has no effect without 'sync_every: 2' or more");
  check_collective(settings_.text("collective", "auto"), "all_reduce", context.job, diagnostics);
  if (Registry<Fusion>::instance().find(fusion()) == nullptr)
    diagnostics.error({.path = context.job.path + ".training.fusion"},
                      "job '" + context.job.name + "': unknown fusion '" + fusion() + "'" +
                          did_you_mean(fusion(), Registry<Fusion>::instance().names()));
}

/// Warns of settings of an exchange of gradients, which there is none of.
void AllReduce::check_averaging(const TrainingContext& context, Diagnostics& diagnostics) const
{
  for (const char* key :
       {"overlap", "kernel_wait", "collective_channels", "contention_per_GB", "sparse_gradients", "sparse_rows"})
    if (settings_.has(key))
      diagnostics.warning({.path = context.job.path + ".training." + key},
                          "'" + std::string{key} + "' has no effect with sync_every: " + std::to_string(sync_every()) +
                              ", where whole parameters are averaged after the update; leave it out");
}

/// Warns where `collective_channels` changes nothing.
void AllReduce::check_channels(const TrainingContext& context, const Transport& transport, bool gpu,
                               Diagnostics& diagnostics) const
{
  static constexpr Sentence<> on_processors{
      "channels.on_processors",
      "'collective_channels' has no effect on processors, where collectives take no multiprocessors; leave it out"};
  static constexpr Sentence<std::string> on_hosts{
      "channels.on_hosts", "'collective_channels' has no effect with transport {transport}, whose collectives run on "
                           "the hosts and take no multiprocessors; leave it out"};
  static constexpr Sentence<std::string> beside{"channels.beside",
                                                "'collective_channels' has no effect beside {key}; leave it out"};
  const Message why = !gpu                                                          ? on_processors()
                      : !transport.gpu_direct                                       ? on_hosts(transport.name)
                      : settings_.number("contention_per_GB", 0) > 0                ? beside("contention_per_GB")
                      : !over_transport(transport, settings_).flag("overlap", true) ? beside("overlap: false")
                                                                                    : Message{};
  if (settings_.has("collective_channels") && !why.empty() && sync_every() <= 1)
    diagnostics.warning({.path = context.job.path + ".training.collective_channels"}, why);
}

/// Passes over the parameters of an outer step with Nesterov's momentum, against those of the inner update: it reads
/// the average, the last one and the momentum, and writes the last two and the replica.
constexpr double outer_reads_writes = 6;

/// The operations of the steps, one step after the other.
class AllReduceProgram
{
public:
  AllReduceProgram(const TrainingContext& context, const Transport& transport, const Settings& settings,
                   const std::string& fusion)
      : c_{context}, transport_{transport}, merged_{over_transport(transport, settings)},
        rings_{library_rings(context, transport, settings)}, shape_{ring_shape(context, transport, rings_.get())},
        exchange_{exchange_settings(context, transport, merged_)}, classes_{worker_classes(context)},
        element_{merged_.number("gradient_element_size", context.bytes_per_gradient_element)},
        slow_down_{1 + merged_.number("slow_down_per_neighbour", 0) * (most_per_node(context) - 1)},
        sync_every_{merged_.integer("sync_every", 1)}
  {
    if (sync_every_ > 1) { // all parameters are there at once, after the update, and whole
      exchange_.overlap = false;
      exchange_.rows.clear();
      exchange_.whole_tables = true;
    }
    const std::unique_ptr<Fusion> policy = Registry<Fusion>::instance().create(fusion, merged_);
    in_flight_ = policy->one_at_a_time() ? 1 : merged_.integer("collectives_in_flight", 1);
    if (shape_.ranks > 1) {
      contention_ = sync_every_ > 1 ? 0 : merged_.number("contention_per_GB", 0) / 1e9;
      collectives_ = plan_collectives(c_.dnn, times(slowest_class()), element_, *policy, exchange_, shape_);
      for (const PlannedCollective& planned : collectives_)
        how_.push_back(how(planned));
      if (exchange_.overlap && contention_ <= 0 && c_.gpu != nullptr && c_.gpu->multiprocessors > 0)
        lengthened_ =
            lengthened_by(collectives_, times(slowest_class()),
                          std::min(0.5, 1.0 * collective_channels(c_, transport, merged_, rings_.get(), shape_) /
                                            c_.gpu->multiprocessors));
    }
    if (shape_.ranks > 1)
      waiting_ =
          Seconds{merged_.number("step_overhead", 0)} +
          Seconds{merged_.number("overhead_per_tensor", 0)} * context.dnn.parameter_tensors() +
          wait_for_slowest(straggler_deviation(merged_, context, times(slowest_class()), sync_every_), slowest_ranks());
  }

  StepProgram build(int first_step, int steps)
  {
    program_.job = c_.job.name;
    program_.steps = steps;
    program_.workers = shape_.ranks;
    program_.samples_per_step =
        c_.job.training.settings.number(share_of_batch, 1) * c_.job.batch_per_gpu * shape_.ranks * micro_steps();
    for (const WorkerClass& group : classes_) {
      const VertexId gpu = c_.placement.workers[static_cast<std::size_t>(group.first)];
      compute_.push_back(program_.add(Lane{.name = c_.cluster.vertex(gpu).name + " compute",
                                           .kind = LaneKind::compute,
                                           .members = members(group),
                                           .node = c_.cluster.vertex(gpu).node}));
    }
    stream_ = program_.add(Lane{.name = c_.job.name + " all-reduce",
                                .kind = LaneKind::communication,
                                .slots_by_connection = in_flight_,
                                .members = shape_.ranks});
    copies_ = HostCopies{program_, c_.job.name, exchange_.staging, shape_.ranks};
    for (const WorkerClass& group : classes_)
      inputs_.emplace_back(program_, c_, group.first, most_per_node(c_), shape_.ranks);
    updated_.resize(classes_.size());
    // Forward, backward to each bucket and update of each class; the buckets and the end.
    program_.operations.reserve((classes_.size() + 1) * (collectives_.size() + 2) - 1);
    for (int step = first_step; step < first_step + steps; ++step) {
      add_forward(step);
      if (sync_every_ > 1)
        add_own_step(step);
      else
        update(step, add_backward(step));
      if (step == first_step && sync_every_ == 1) // all are alike
        program_.operations.reserve(program_.operations.size() * static_cast<std::size_t>(steps));
    }
    return std::move(program_);
  }

private:
  using Ids = std::vector<OperationId>;

  /// Of all workers that the placed ones stand for.
  int members(const WorkerClass& group) const
  {
    const auto placed = static_cast<long long>(c_.placement.workers.size());
    return static_cast<int>(static_cast<long long>(group.members) * shape_.ranks / placed);
  }
  int micro_steps() const { return std::max(c_.job.accumulation_steps, 1); }
  int layers() const { return static_cast<int>(c_.dnn.layers.size()); }
  const WorkerTimes& times(std::size_t group) const
  {
    return c_.workers[static_cast<std::size_t>(classes_[group].first)];
  }

  /// Its times decide when gradients are complete everywhere.
  std::size_t slowest_class() const
  {
    std::size_t slowest = 0;
    Seconds longest;
    for (std::size_t group = 0; group < classes_.size(); ++group) {
      Seconds sum;
      for (const Seconds time : times(group).backward)
        sum += time;
      if (sum > longest) {
        longest = sum;
        slowest = group;
      }
    }
    return slowest;
  }

  /// As slow as the slowest: those for which the barrier may wait.
  int slowest_ranks() const
  {
    if (!is_random(c_.job.jitter))
      return members(classes_[slowest_class()]);
    const WorkerTimes& slowest = times(slowest_class());
    const auto as_slow = [&](const WorkerTimes& each) { return equal_times(each, slowest); };
    return members({.members = static_cast<int>(std::ranges::count_if(c_.workers, as_slow))});
  }

  std::string how(const PlannedCollective& planned) const
  {
    if (planned.operation != "all_reduce")
      return {};
    const HowDone done = how_done(exchange_, shape_, collective_channels(c_, transport_, merged_, rings_.get(), shape_),
                                  planned.payload);
    return done.taken.empty()    ? ""
           : done.better.empty() ? " (" + done.taken + ")"
                                 : fmt::format(" ({}; by the library's table {}, {} for {}, which would take {})",
                                               done.taken, time_text(done.counted), time_text(done.better_counted),
                                               done.better, time_text(done.would_take));
  }

  /// Forward, and the micro-steps before the last one.
  void add_forward(int step)
  {
    reached_.assign(classes_.size(), {});
    pace_.assign(classes_.size(), 1);
    for (std::size_t group = 0; group < classes_.size(); ++group) {
      const int worker = classes_[group].first;
      pace_[group] = slow_down_ * jitter_factor(c_.job.jitter, c_.random, worker, step);
      Seconds forward;
      Seconds backward;
      for (int layer = 0; layer < layers(); ++layer) {
        forward += times(group).forward[static_cast<std::size_t>(layer)];
        backward += times(group).backward[static_cast<std::size_t>(layer)];
      }
      Operation operation{
          .name = "forward",
          .role = Role::forward,
          .work = Compute{.duration = (forward * micro_steps() + backward * (micro_steps() - 1)) * pace_[group],
                          .flop = c_.dnn.forward_flop() * c_.job.batch_per_gpu * (3.0 * micro_steps() - 2)},
          .lanes = {compute_[group]},
          .step = step,
          .worker = worker};
      if (updated_[group].index >= 0)
        operation.after = {updated_[group]};
      operation.after = inputs_[group].take(program_, step, std::move(operation.after));
      reached_[group] = program_.add(std::move(operation));
    }
  }

  /// The backward pass of all workers from layer @p done, exclusive, down to a layer.
  void backward_down_to(int layer, int& done, int step)
  {
    if (layer >= done)
      return;
    for (std::size_t group = 0; group < classes_.size(); ++group) {
      Seconds duration;
      double elements = 0;
      Flops flop;
      for (int current = layer; current < done; ++current) {
        const Layer& part = c_.dnn.layers[static_cast<std::size_t>(current)];
        const bool beside = !collectives_.empty() && current < collectives_.front().last_layer;
        duration += times(group).backward[static_cast<std::size_t>(current)] * (beside ? lengthened_ : 1);
        flop += part.forward * (2.0 * c_.job.batch_per_gpu);
        for (const ParameterTensor& tensor : part.parameters)
          elements += tensor.gradient_elements(c_.job.batch_per_gpu);
      }
      duration = duration * pace_[group] + Seconds{elements * element_ * contention_};
      reached_[group] =
          program_.add(Operation{.name = "backward to " + c_.dnn.layers[static_cast<std::size_t>(layer)].name,
                                 .role = Role::backward,
                                 .work = Compute{.duration = duration, .flop = flop},
                                 .lanes = {compute_[group]},
                                 .after = {reached_[group]},
                                 .step = step,
                                 .worker = classes_[group].first});
    }
    done = layer;
  }

  /// Backward and update of each worker for itself; in every sync_every-th step the parameters are averaged then. The
  /// first one is one of these, as in PyTorch's PeriodicModelAverager.
  void add_own_step(int step)
  {
    int done = layers();
    backward_down_to(0, done, step);
    for (std::size_t group = 0; group < classes_.size(); ++group)
      reached_[group] = add_update(group, times(group).update, {reached_[group]}, step);
    updated_ = reached_;
    if (step % sync_every_ == 0 && !collectives_.empty()) {
      Ids averaged = waited(add_collectives(step), step);
      const double outer = merged_.text("outer_optimizer", "none") == "nesterov"
                               ? outer_reads_writes / optimizer_reads_writes(c_.job.optimizer)
                               : 0;
      for (std::size_t group = 0; group < classes_.size(); ++group)
        updated_[group] = add_update(group, times(group).update * outer, averaged, step);
    }
    end_step(step);
  }

  /// All parameters, one collective after the other; returns what must have ended.
  Ids add_collectives(int step)
  {
    Ids exchanged;
    for (std::size_t bucket = 0; bucket < collectives_.size(); ++bucket)
      exchanged.push_back(add_collective(static_cast<int>(bucket), reached_, step));
    return exchanged;
  }

  /// One bucket, with its copies.
  OperationId add_collective(int bucket, Ids after, int step)
  {
    const PlannedCollective& planned = collectives_[static_cast<std::size_t>(bucket)];
    const bool gathers = planned.operation == "all_gather"; // what each has goes out, what all have comes back
    const Bytes own = gathers ? planned.payload / shape_.ranks : planned.payload;
    after = copies_.copied(program_, own, true, std::move(after), step);
    CollectiveCall call =
        library_call(c_, transport_, exchange_, rings_.get(), shape_, merged_.integer("channels", 1), planned);
    const OperationId summed =
        program_.add(Operation{.name = (gathers ? "all-gather " : "all-reduce ") + std::to_string(bucket) +
                                       how_.at(static_cast<std::size_t>(bucket)),
                               .role = Role::exchange,
                               .work = std::move(call),
                               .lanes = {stream_},
                               .after = std::move(after),
                               .priority = bucket,
                               .step = step});
    return copies_.copied(program_, planned.payload, false, {summed}, step).front();
  }

  /// Backward in segments that end where a bucket becomes complete, and the exchange of the buckets. Returns what must
  /// have ended before the update.
  Ids add_backward(int step)
  {
    int done = layers(); // layers from here on have their gradients
    if (!exchange_.overlap)
      backward_down_to(0, done, step);
    Ids exchanged;
    int bucket = 0;
    for (const PlannedCollective& planned : collectives_) {
      backward_down_to(planned.last_layer, done, step);
      Ids after = reached_;
      if (planned.issue_delay > Seconds{})
        after = {program_.add(Operation{.name = "cycle",
                                        .role = Role::other,
                                        .work = HostWork{planned.issue_delay},
                                        .after = std::move(after),
                                        .step = step})};
      exchanged.push_back(add_collective(bucket, std::move(after), step));
      ++bucket;
    }
    backward_down_to(0, done, step);
    if (in_flight_ == 1 && !exchanged.empty()) // they end in their order
      exchanged.erase(exchanged.begin(), exchanged.end() - 1);
    Ids arrived = std::move(exchanged);
    arrived.insert(arrived.end(), reached_.begin(), reached_.end());
    return arrived;
  }

  /// Of one class of workers.
  OperationId add_update(std::size_t group, Seconds time, Ids after, int step)
  {
    return program_.add(Operation{.name = "update",
                                  .role = Role::update,
                                  .work = Compute{.duration = time},
                                  .lanes = {compute_[group]},
                                  .after = std::move(after),
                                  .step = step,
                                  .worker = classes_[group].first});
  }

  /// Once the slowest worker and what a step costs besides are waited for.
  Ids waited(Ids arrived, int step)
  {
    if (!(waiting_ > Seconds{}))
      return arrived;
    return {program_.add(Operation{.name = "wait for the slowest",
                                   .role = Role::other,
                                   .work = HostWork{waiting_},
                                   .after = std::move(arrived),
                                   .step = step})};
  }

  /// Update once everything has arrived everywhere.
  void update(int step, Ids arrived)
  {
    arrived = waited(std::move(arrived), step);
    for (std::size_t group = 0; group < classes_.size(); ++group)
      updated_[group] = add_update(group, times(group).update, arrived, step);
    end_step(step);
  }

  void end_step(int step)
  {
    program_.add(
        Operation{.name = "step end", .role = Role::other, .work = StepEnd{step, -1}, .after = updated_, .step = step});
  }

  const TrainingContext& c_;
  const Transport& transport_;
  Settings merged_;
  std::shared_ptr<const Rings> rings_;
  CollectiveShape shape_;
  ExchangeSettings exchange_;
  std::vector<WorkerClass> classes_;
  double element_;        // bytes of a gradient element
  int in_flight_ = 1;     // collectives side by side
  double slow_down_;      // of computing, by neighbours on the node
  int sync_every_;        // steps
  double contention_ = 0; // s of computing per byte of gradients
  double lengthened_ = 1; // backward pass beside collectives, which hold multiprocessors
  Seconds waiting_;       // of each step, for overhead and the slowest worker
  std::vector<PlannedCollective> collectives_;
  std::vector<std::string> how_; // words for each: " (tree LL128, 8 channels)"
  StepProgram program_;
  LaneId stream_;
  HostCopies copies_;
  std::vector<LaneId> compute_; // by class of workers, as all that follow
  std::vector<InputPipeline> inputs_;
  Ids reached_; // the last operation of the step so far
  Ids updated_; // the update of the last step
  std::vector<double> pace_;
};

StepProgram AllReduce::program(const TrainingContext& context, int first_step, int steps) const
{
  return AllReduceProgram{context, context.transports.at(transport_name()), settings_, fusion()}.build(first_step,
                                                                                                       steps);
}

/// Without jitter only the numbers of the steps differ.
bool AllReduce::begin_elsewhere(const TrainingContext& context, int first_step, StepProgram& program) const
{
  if (is_random(context.job.jitter) || program.operations.empty())
    return false;
  const int later = first_step - program.operations.front().step;
  if (later % sync_every() != 0)
    return false;
  for (Operation& operation : program.operations) {
    operation.step += later;
    if (auto* end = std::get_if<StepEnd>(&operation.work))
      end->step += later;
  }
  return true;
}

TY_REGISTER(TrainingMode, AllReduce, "all_reduce",
            "synchronous data parallelism; gradients summed by all-reduce, overlapped with the backward pass");

} // namespace
} // namespace trainyard
