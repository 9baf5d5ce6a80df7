// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/task_runs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace trainyard::orchestration {

void TaskRuns::occupy(int number, int node)
{
  Task& task = book_.task(number);
  life_.unqueue(number);
  task.share = machines_.take(node, number, book_.request_of(task), task.service);
  task.holds = true;
  accounts_.hold(task.service, task.share);
  task.placed = agenda_.now();
  if (task.last_node >= 0 && task.last_node != node)
    ++accounts_.of(task.service).moves;
  faults_.moved(task, node);
  task.last_node = node;
  task.instance = records_.instance(number, task.share, agenda_.now());
  records_.log(fmt::format("{} placed on {}", book_.name(number), machines_.name(node)));
  if (const std::optional<int> image = images_.missing(book_.service_of(task), node)) {
    life_.set_phase(number, TaskPhase::pulling);
    images_.pull(number, *image);
  } else {
    start(number);
  }
}

void TaskRuns::start(int number)
{
  Task& task = book_.task(number);
  records_.instance_pulled(task.instance);
  life_.set_phase(number, TaskPhase::starting);
  const ServiceSpec& service = book_.service_of(task);
  const OrchestratorRules& rules = input_.rules;
  Instant start = rules.container_start + service.runtime_start;
  if (service.runtime == "bare" && !service.framework.empty() &&
      machines_.at(task.share.node).framework != service.framework) {
    // Without containers a machine has one framework; another one means to deploy the machine again.
    start += Instant{rules.redeploy};
    accounts_.of(task.service).redeploying += Instant{rules.redeploy};
    machines_.change(task.share.node, [&](Machines::Machine& machine) { machine.framework = service.framework; });
    records_.log(fmt::format("{} is redeployed for {}", machines_.name(task.share.node), service.framework));
  }
  if (start == Instant{})
    run(number);
  else
    agenda_.plan(agenda_.now() + start, EventKind::running, number, task.stamp);
}

void TaskRuns::run(int number)
{
  const Task& task = book_.task(number);
  accounts_.starting(task.service, task.share, task.placed);
  progress_.carry(task.unit);
  life_.set_phase(number, TaskPhase::running);
  records_.instance_runs(task.instance);
  progress_.burden(task, 1);
  faults_.back(number);
  if (const Seconds mtbf = input_.faults.process_mtbf(); mtbf > Seconds{0})
    agenda_.plan(agenda_.now() + Instant{1} + Instant{Seconds{std::min(1e11, process_draw_.exponential(mtbf.value()))}},
                 EventKind::crash, number, task.stamp);
  if (task.update >= 0)
    updates_.updated(number);
  progress_.refresh(task.unit);
  if (!finds_gpu_memory(number))
    recovery_.crash(number, EndReason::out_of_gpu_memory, -1);
}

/// Whether what processes of nobody's hold on its GPUs leaves what it takes.
bool TaskRuns::finds_room_beside_others(int number) const
{
  const Task& task = book_.task(number);
  if (input_.taken.empty() || !input_.takes || task.share.gpu_mask == 0)
    return true;
  const double wanted = input_.takes(task.service).value() / 1048576;
  const auto memory = static_cast<double>(input_.traits[static_cast<std::size_t>(task.share.node)].gpu_memory_mib);
  std::map<std::pair<int, std::string>, double> held; // by GPU and process
  for (const MemoryTaken& one : input_.taken)
    if (one.node == task.share.node && one.from <= agenda_.now() && (task.share.gpu_mask >> one.gpu & 1U) != 0)
      held[{one.gpu, one.process}] = one.MiB;
  std::map<int, double> of_gpu;
  for (const auto& [key, MiB] : held)
    of_gpu[key.first] += MiB;
  for (const auto& [gpu, MiB] : of_gpu)
    if (memory > 0 && wanted + MiB > memory + 1) {
      records_.log(fmt::format("{} takes {:.0f} MiB of GPU {} of {}, of which other processes leave {:.0f}",
                               book_.name(number), wanted, gpu, machines_.name(task.share.node), memory - MiB));
      return false;
    }
  return true;
}

/// Whether the GPU memory of its node is enough for the task beside the others.
bool TaskRuns::finds_gpu_memory(int number) const
{
  const Task& task = book_.task(number);
  if (!finds_room_beside_others(number))
    return false;
  const int node = task.share.node;
  const std::int64_t memory = input_.traits[static_cast<std::size_t>(node)].gpu_memory_mib;
  const std::int64_t wanted = book_.group_of(task).gpu_memory_mib, used = machines_.at(node).gpu_memory_mib;
  if (wanted <= 0 || memory <= 0 || used <= memory)
    return true;
  records_.log(fmt::format("{} finds {} MiB of {}'s GPU in use and too little free memory for itself",
                           book_.name(number), used - wanted, machines_.name(node)));
  return false;
}

void TaskRuns::work_done(int number)
{
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
  ServiceOutcome& outcome = accounts_.of(unit.service);
  progress_.carry(number);
  unit.progress.finish();
  if (!service.clients.empty())
    return client_done(number);
  const bool again = recovery_.restart_rule(service) == "always";
  records_.log(fmt::format("{} is done{}",
                           service.coupling == Coupling::independent && unit.tasks.size() == 1
                               ? book_.name(unit.tasks.front())
                               : service.name,
                           again ? "; its restart policy starts it again" : ""));
  if (!again) {
    unit.over = true;
    progress_.leave_links(unit);
  }
  for (const int task : std::vector<int>{unit.tasks})
    end_of_work(task, again);
  if (again) {
    unit.progress.start_over(service.work);
    if (outcome.finished < Instant{})
      outcome.finished = agenda_.now();
    progress_.refresh(number);
    // Restarted without end: the run needs another end than that of this service.
    if (service.ends() && outcome.restarts <= static_cast<int>(unit.tasks.size()))
      accounts_.goes_on();
    return;
  }
  progress_.refresh(number);
  if (book_.service_over(unit.service)) {
    outcome.finished = agenda_.now();
    accounts_.want_none(unit.service);
    accounts_.work_over();
  }
}

/// A task of a unit that has done its work ends, or starts @p again.
void TaskRuns::end_of_work(int number, bool again)
{
  const Task& task = book_.task(number);
  if (task.phase == TaskPhase::waiting)
    life_.unqueue(number);
  if (again && task.runs() && input_.rules.restarts_locally)
    return recovery_.restart_in_place(number, EndReason::finished);
  const bool held = task.holds;
  life_.end_instance(number, EndReason::finished);
  if (again && held) {
    ++accounts_.of(task.service).restarts;
    life_.enqueue(number);
  } else {
    life_.set_phase(number, TaskPhase::finished);
    faults_.back(number);
  }
}

/// The unit has done one client's work and takes the next.
void TaskRuns::client_done(int number)
{
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
  ServiceOutcome& outcome = accounts_.of(unit.service);
  outcome.clients[unit.client].second = agenda_.now();
  records_.log(fmt::format("client {} of {} is done", unit.client, service.name));
  unit.has_client = false;
  ++unit.client;
  if (unit.client == service.clients.size()) {
    outcome.finished = agenda_.now();
    accounts_.work_over();
  }
  progress_.next_client(number);
  progress_.refresh(number);
}

int RollingUpdates::begin(int service, const UpdateSpec& spec)
{
  Update update;
  update.service = service;
  update.spec = spec;
  update.began = agenda_.now();
  for (const int task : book_.tasks_of(service))
    if (book_.task(task).wanted && !book_.unit_of(task).over)
      update.tasks.push_back(task);
  records_.log(fmt::format("{} is updated: {} tasks", book_.service(service).name, update.tasks.size()));
  updates_.push_back(std::move(update));
  return static_cast<int>(updates_.size()) - 1;
}

std::vector<int> RollingUpdates::next_batch(int number)
{
  Update& update = updates_[static_cast<std::size_t>(number)];
  const int at_once = update.spec.parallelism.value_or(rules_.update_parallelism);
  std::vector<int> batch;
  while (update.next < update.tasks.size() && static_cast<int>(batch.size()) < at_once) {
    const int task = update.tasks[update.next++];
    if (book_.task(task).wanted && !book_.unit_of(task).over && book_.task(task).phase != TaskPhase::gone)
      batch.push_back(task);
  }
  update.under_way = static_cast<int>(batch.size());
  if (batch.empty())
    log_done(update);
  return batch;
}

bool RollingUpdates::start_first(int number) const
{
  const std::string& order = updates_[static_cast<std::size_t>(number)].spec.order;
  return (order.empty() ? rules_.update_order : order) == "start_first";
}

void RollingUpdates::updated(int task)
{
  const int number = std::exchange(book_.task(task).update, -1);
  Update& update = updates_[static_cast<std::size_t>(number)];
  if (--update.under_way > 0)
    return;
  if (update.next >= update.tasks.size())
    return log_done(update);
  agenda_.plan(agenda_.now() + Instant{update.spec.delay.value_or(rules_.update_delay)}, EventKind::update_batch,
               number);
}

void RollingUpdates::log_done(const Update& update)
{
  records_.log(fmt::format("update of {} is done after {:.6g} s", book_.service(update.service).name,
                           (agenda_.now() - update.began).value()));
}

namespace {

/// A rate in bytes/s; 0 means no limit.
double limit_of(BytesPerSecond rate)
{
  return rate.value() > 0 ? rate.value() : std::numeric_limits<double>::infinity();
}

} // namespace

int ImagePulls::number(const std::string& image)
{
  return numbers_.try_emplace(image, static_cast<int>(numbers_.size())).first->second;
}

void ImagePulls::put(int node, int image)
{
  machines_.change(node, [&](Machines::Machine& machine) {
    machine.images.push_back(image);
    std::ranges::sort(machine.images);
  });
}

std::optional<int> ImagePulls::missing(const ServiceSpec& service, int node)
{
  if (service.image.name.empty() || service.image.size <= Bytes{0})
    return std::nullopt;
  const int image = number(service.image.name);
  return std::ranges::binary_search(machines_.at(node).images, image) ? std::nullopt : std::optional{image};
}

void ImagePulls::pull(int number, int image)
{
  const Task& task = book_.task(number);
  carry();
  for (Pull& known : pulls_)
    if (known.node == task.share.node && known.image == image) {
      known.tasks.emplace_back(number, task.stamp);
      return;
    }
  Pull fresh;
  fresh.node = task.share.node;
  fresh.image = image;
  fresh.left = book_.service_of(task).image.size.value();
  fresh.tasks.emplace_back(number, task.stamp);
  pulls_.push_back(std::move(fresh));
  plan();
}

Instant ImagePulls::pull_alone(const ServiceSpec& service, int node)
{
  const std::optional<int> image = missing(service, node);
  if (!image)
    return agenda_.now();
  put(node, *image);
  const double rate = std::min(limit_of(input_.registry), limit_of(input_.node_pull));
  return agenda_.now() + Instant{Seconds{std::isfinite(rate) ? service.image.size.value() / rate : 0}};
}

/// What has come since the last change.
void ImagePulls::carry()
{
  const double seconds = (agenda_.now() - since_).value();
  since_ = agenda_.now();
  for (Pull& one : pulls_)
    if (std::isfinite(one.rate))
      one.left = std::max(0.0, one.left - one.rate * seconds);
}

/// New rates, and when the first pull is done.
void ImagePulls::plan()
{
  ++stamp_;
  if (pulls_.empty())
    return;
  std::map<int, int> on_node;
  for (const Pull& one : pulls_)
    ++on_node[one.node];
  std::vector<std::pair<double, Pull*>> caps;
  for (Pull& one : pulls_)
    caps.emplace_back(limit_of(input_.node_pull) / on_node[one.node], &one);
  std::ranges::stable_sort(caps, {}, &std::pair<double, Pull*>::first);
  double left = limit_of(input_.registry);
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < caps.size(); ++i) {
    Pull& one = *caps[i].second;
    one.rate = std::min(caps[i].first, left / static_cast<double>(caps.size() - i));
    left -= std::isfinite(left) ? one.rate : 0;
    first = std::min(first, std::isfinite(one.rate) ? one.left / one.rate : 0.0);
  }
  agenda_.plan(agenda_.now() + Seconds{first}, EventKind::pulled, 0, stamp_);
}

void ImagePulls::pulled(std::uint32_t stamp, const std::function<void(int task)>& there)
{
  if (stamp != stamp_)
    return;
  carry();
  std::vector<Pull> done;
  for (auto one = pulls_.begin(); one != pulls_.end();)
    if (!std::isfinite(one->rate) || one->left <= one->rate * 2e-9) {
      done.push_back(*one);
      one = pulls_.erase(one);
    } else {
      ++one;
    }
  plan();
  for (const Pull& one : done) {
    put(one.node, one.image);
    for (const auto& [task, task_stamp] : one.tasks)
      if (book_.task(task).stamp == task_stamp)
        there(task);
  }
}

void ImagePulls::drop(int node)
{
  carry();
  if (std::erase_if(pulls_, [&](const Pull& one) { return one.node == node; }) > 0)
    plan();
}

bool Surges::start(int number)
{
  const Task& task = book_.task(number);
  const ServiceSpec& service = book_.service_of(task);
  const NodeRequest& request = book_.request_of(task);
  const int node = machines_.find(request);
  if (node < 0) {
    records_.log(fmt::format("no node has space for a second {}: the old one stops first", book_.name(number)));
    return false;
  }
  Surge surge;
  surge.task = number;
  surge.placed = agenda_.now();
  surge.share = machines_.take(node, number, request, task.service);
  accounts_.hold(task.service, surge.share);
  const Instant pulled = images_.pull_alone(service, node);
  surge.instance = records_.instance(number, surge.share, pulled);
  records_.log(fmt::format("{} placed on {}; the old one still runs", book_.name(number), machines_.name(node)));
  surges_.push_back(surge);
  agenda_.plan(pulled + Instant{rules_.container_start + service.runtime_start}, EventKind::update_swap,
               static_cast<int>(surges_.size()) - 1);
  return true;
}

void Surges::swap(int index)
{
  Surge& surge = surges_[static_cast<std::size_t>(index)];
  if (surge.over)
    return;
  const int number = surge.task;
  Task& task = book_.task(number);
  if (!task.wanted || book_.unit(task.unit).over)
    return cancel(surge);
  surge.over = true;
  accounts_.starting(task.service, surge.share, surge.placed);
  if (task.phase == TaskPhase::waiting)
    life_.unqueue(number);
  if (task.holds)
    life_.end_and_lose(number, EndReason::updated);
  else
    machines_.change(std::max(0, task.last_node),
                     [&](Machines::Machine& machine) { std::erase(machine.dead, number); });
  task.share = surge.share;
  task.holds = true;
  task.instance = surge.instance;
  task.last_node = surge.share.node;
  task.placed = agenda_.now();
  // The accounts have the share already; the task was placed now, so its run adds no time of starting.
  runs_.run(number);
}

void Surges::cancel_on(int node)
{
  for (Surge& surge : surges_)
    if (!surge.over && surge.share.node == node)
      cancel(surge);
}

void Surges::cancel_on_gpu(int node, int gpu)
{
  for (Surge& surge : surges_)
    if (!surge.over && surge.share.node == node && (surge.share.gpu_mask >> gpu & 1u) != 0)
      cancel(surge);
}

void Surges::cancel(Surge& surge)
{
  surge.over = true;
  const Task& task = book_.task(surge.task);
  accounts_.starting(task.service, surge.share, surge.placed);
  life_.give_back(surge.share, surge.task, surge.instance, EndReason::node_lost);
  if (task.update >= 0 && task.wanted)
    updates_.updated(surge.task); // the old instance stays; the update goes on with the next tasks
}

void Surges::finish()
{
  for (const Surge& surge : surges_)
    if (!surge.over)
      accounts_.starting(book_.task(surge.task).service, surge.share, surge.placed);
}

} // namespace trainyard::orchestration
