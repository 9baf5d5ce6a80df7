// SPDX-License-Identifier: Apache-2.0
// What a policy written in Python sees: thin objects over the running queue, made when somebody looks, because a
// decision is asked for 100,000 times in a run.
#include "python/core/policy_objects.hpp"

#include "models/core/closest.hpp"
#include "sim/cluster/cluster_state.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace py = pybind11;

namespace trainyard::python {
namespace {

/// A job, as its policy sees it.
struct Job {
  std::shared_ptr<Session> session;
  JobId id;

  const TraceJob& asked() const { return session->workload->job(id); }
  const JobState& state() const { return session->now().state(id); }
};

struct QueueWalk {
  std::shared_ptr<Session> session;
  std::size_t at = 0;
};

py::object seconds_or_none(Instant time)
{
  return time < Instant{0} || !is_finite(time) ? py::object{py::none()} : py::object{py::float_{time.value()}};
}

std::string name_of(const Session& session, JobId id)
{
  return session.workload->name(id);
}

[[noreturn]] void policy_fault(const Session& session, const std::string& what)
{
  throw PolicyFault{session.view == nullptr
                        ? fmt::format("{}: {}", session.policy, what)
                        : fmt::format("{} at {} s: {}", session.policy, session.view->now().value(), what)};
}

Decisions& deciding(const Session& session, const char* what)
{
  if (session.decisions == nullptr)
    policy_fault(session, fmt::format("{} works only inside decide()", what));
  return *session.decisions;
}

void check_waits(const Session& session, JobId id, const char* what)
{
  const JobPhase phase = session.now().state(id).phase;
  if (phase != JobPhase::waiting)
    policy_fault(session, fmt::format("job '{}' was to {}, but it {}", name_of(session, id), what,
                                      phase == JobPhase::running    ? "runs already"
                                      : phase == JobPhase::finished ? "has finished"
                                      : phase == JobPhase::pending  ? "has not arrived"
                                                                    : "has left"));
}

void check_runs(const Session& session, JobId id, const char* what)
{
  if (!session.now().is_running(id))
    policy_fault(session, fmt::format("job '{}' was to be {}, but it does not run", name_of(session, id), what));
}

void check_gpus(const Session& session, JobId id, int gpus)
{
  const TraceJob& job = session.workload->job(id);
  if (gpus != 0 && !session.workload->runs_on(job, gpus))
    policy_fault(session, fmt::format("job '{}' cannot run on {} GPUs; it needs {}", name_of(session, id), gpus,
                                      session.workload->sizes_text(job)));
}

int type_number(const Session& session, const std::string& type)
{
  const std::vector<std::string>& types = session.workload->gpu_types;
  const auto found = std::ranges::find(types, type);
  if (found == types.end())
    policy_fault(session, fmt::format("there is no GPU type '{}'{}", type, did_you_mean(type, types)));
  return static_cast<int>(found - types.begin());
}

int machine_number(const Session& session, const py::handle& machine)
{
  const ClusterState& cluster = session.now().cluster();
  if (cluster.counted())
    policy_fault(session, "there are no machines in a pool of GPUs (scheduling: {cluster: pool})");
  const NodePool& nodes = cluster.nodes();
  if (py::isinstance<py::int_>(machine)) {
    const int number = machine.cast<int>();
    if (number >= 0 && number < nodes.size())
      return number;
    policy_fault(session, fmt::format("there is no machine {}; the last is {}", number, nodes.size() - 1));
  }
  const auto name = machine.cast<std::string>();
  std::vector<std::string> names;
  for (int node = 0; node < nodes.size(); ++node) {
    names.push_back(nodes.shape(node).name);
    if (names.back() == name)
      return node;
  }
  policy_fault(session, fmt::format("there is no machine '{}'{}", name, did_you_mean(name, names)));
}

/// [("node-1", [0, 1]), ("node-2", 2)]: GPUs by number, or how many of the free ones.
Allocation chosen_by_policy(const Session& session, JobId id, const py::handle& where)
{
  std::vector<ChosenGpus> chosen;
  for (const py::handle item : where) {
    const auto pair = item.cast<std::pair<py::object, py::object>>();
    ChosenGpus one{.node = machine_number(session, pair.first), .gpus = {}};
    if (py::isinstance<py::int_>(pair.second)) {
      const auto count = pair.second.cast<std::size_t>();
      const auto free = session.now().cluster().nodes().gpu_free(one.node);
      for (std::size_t gpu = 0; gpu < free.size() && one.gpus.size() < count; ++gpu)
        if (free[gpu] == 1000)
          one.gpus.push_back(static_cast<int>(gpu));
    } else {
      one.gpus = pair.second.cast<std::vector<int>>();
    }
    chosen.push_back(std::move(one));
  }
  try {
    if (session.now().cluster().counted())
      machine_number(session, py::int_{0});
    return chosen_place(*session.workload, id, session.now().cluster().nodes(), chosen);
  } catch (const std::invalid_argument& why) {
    policy_fault(session, fmt::format("job '{}' cannot start there: {}", name_of(session, id), why.what()));
  }
}

bool start(const Session& session, JobId id, int gpus, const py::object& where, const py::object& gpu_type)
{
  Decisions& decisions = deciding(session, "start");
  check_waits(session, id, "start");
  check_gpus(session, id, gpus);
  if (!where.is_none()) {
    decisions.start_at(id, chosen_by_policy(session, id, where));
    return true;
  }
  return decisions.start(id, gpus, gpu_type.is_none() ? -1 : type_number(session, gpu_type.cast<std::string>()));
}

void preempt(const Session& session, JobId id)
{
  Decisions& decisions = deciding(session, "preempt");
  check_runs(session, id, "preempted");
  decisions.preempt(id);
}

/// [(machine, [GPU, …]), …] of a job that runs.
std::vector<std::pair<std::string, std::vector<int>>> place_of(const Job& job)
{
  std::vector<std::pair<std::string, std::vector<int>>> place;
  for (const TaskShare& share : job.state().held.shares) {
    std::vector<int> gpus;
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((share.gpu_mask >> gpu & 1U) != 0)
        gpus.push_back(gpu);
    place.emplace_back(job.session->now().cluster().nodes().shape(share.node).name, std::move(gpus));
  }
  return place;
}

void define_job(py::module_& module)
{
  py::class_<Job> job{module, "Job", "A job of the queue. Times are seconds since the start of the workload."};
  const auto asked = [&](const char* name, auto get, const char* meaning) {
    job.def_property_readonly(
        name, [get](const Job& one) { return get(one); }, meaning);
  };
  asked(
      "name", [](const Job& one) { return name_of(*one.session, one.id); }, "name, as in jobs.csv");
  asked(
      "number", [](const Job& one) { return one.id.index; }, "position in order of submission, from 0");
  asked(
      "gpus", [](const Job& one) { return one.asked().gpus; }, "GPUs of the whole gang");
  asked(
      "min_gpus", [](const Job& one) { return one.asked().smallest_gpus(); }, "fewest GPUs it can run on");
  asked(
      "max_gpus", [](const Job& one) { return one.asked().largest_gpus(); }, "most GPUs it can use");
  asked(
      "tasks", [](const Job& one) { return one.asked().tasks; },
      "equal tasks of the gang; 0: split in any way, or a list of tasks that are not equal");
  asked(
      "gpu_share", [](const Job& one) { return one.asked().gpu_milli / 1000.0; }, "of each GPU; 1: whole GPUs");
  asked(
      "submitted", [](const Job& one) { return one.asked().submit.value(); }, "time of submission, s");
  asked(
      "estimate", [](const Job& one) { return one.asked().estimate.value(); }, "run time that its user expects, s");
  asked(
      "duration", [](const Job& one) { return one.asked().duration.value(); },
      "true run time at speed 1, s; a real scheduler does not know it");
  asked(
      "deadline", [](const Job& one) { return seconds_or_none(one.asked().deadline); }, "wanted end, s; None: none");
  asked(
      "priority", [](const Job& one) { return one.asked().priority; }, "higher is more important");
  asked(
      "user", [](const Job& one) { return one.session->workload->users.name(one.asked().user); }, "its user");
  asked(
      "team", [](const Job& one) { return one.session->workload->teams.name(one.asked().team); }, "its team");
  asked(
      "queue", [](const Job& one) { return one.session->workload->queues.name(one.asked().queue); }, "its partition");
  asked(
      "model", [](const Job& one) { return one.session->workload->models.name(one.asked().model); }, "what it trains");
  asked(
      "gpu_type",
      [](const Job& one) -> std::optional<std::string> {
        const int type = one.asked().gpu_type;
        return type < 0 ? std::nullopt
                        : std::optional{one.session->workload->gpu_types[static_cast<std::size_t>(type)]};
      },
      "GPU type that it asks for; None: any");
  asked(
      "waits", [](const Job& one) { return one.state().phase == JobPhase::waiting; }, "whether it waits now");
  asked(
      "runs", [](const Job& one) { return one.state().phase == JobPhase::running; }, "whether it runs now");
  asked(
      "ready", [](const Job& one) { return seconds_or_none(one.state().ready); },
      "since when it can start, s: submitted, and all that it depends on has ended");
  asked(
      "first_start", [](const Job& one) { return seconds_or_none(one.state().first_start); }, "s; None: never yet");
  asked(
      "last_start", [](const Job& one) { return seconds_or_none(one.state().last_start); }, "s; None: never yet");
  asked(
      "progress", [](const Job& one) { return one.session->now().progress(one.id).value(); },
      "work done so far, in seconds at speed 1");
  asked(
      "estimated_remaining", [](const Job& one) { return one.session->now().estimated_remaining(one.id).value(); },
      "what the estimate leaves, in seconds at speed 1");
  asked(
      "attained", [](const Job& one) { return one.session->now().attained(one.id).value(); },
      "GPU-seconds held so far");
  asked(
      "held_gpus", [](const Job& one) { return one.state().held.gpus; }, "GPUs that it holds now");
  asked(
      "place", [](const Job& one) { return place_of(one); }, "where it runs: [(machine, [GPU, …]), …]");
  asked(
      "preemptions", [](const Job& one) { return one.state().preemptions; }, "how often it has been preempted");
  asked(
      "failures", [](const Job& one) { return one.state().failures; }, "how often its machines have failed");
  job.def("__repr__", [](const Job& one) {
    return fmt::format("<Job '{}': {} GPUs, {} s>", name_of(*one.session, one.id), one.asked().gpus,
                       one.asked().estimate.value());
  });
}

void define_queue(py::module_& module)
{
  py::class_<QueueWalk>{module, "_QueueWalk"}
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", [](QueueWalk& walk) {
        Session& session = *walk.session;
        static_cast<void>(session.now());
        while (walk.at < session.order.size() && !session.order[walk.at])
          ++walk.at;
        if (walk.at >= session.order.size())
          throw py::stop_iteration{};
        return session.job(session.order[walk.at++]);
      });
  py::class_<Queue>{module, "Queue",
                    "The jobs that wait, in order of their arrival; a preempted job arrives anew. Jobs may be started "
                    "while it is walked along."}
      .def("__iter__",
           [](const Queue& queue) {
             return QueueWalk{queue.session, queue.session->head};
           })
      .def("__len__", [](const Queue& queue) { return queue.session->waiting; })
      .def("__bool__", [](const Queue& queue) { return queue.session->waiting > 0; })
      .def("__contains__", [](const Queue&, const Job& job) { return job.state().phase == JobPhase::waiting; })
      .def("__getitem__", [](const Queue& queue, py::ssize_t index) {
        Session& session = *queue.session;
        const auto size = static_cast<py::ssize_t>(session.waiting);
        if (index < -size || index >= size)
          throw py::index_error{"the queue is shorter"};
        py::ssize_t left = index < 0 ? index + size : index;
        for (std::size_t at = session.head; at < session.order.size(); ++at)
          if (session.order[at] && left-- == 0)
            return session.job(session.order[at]);
        throw py::index_error{"the queue is shorter"};
      });
}

void define_machines(py::class_<Cluster>& cluster)
{
  cluster
      .def_property_readonly(
          "now", [](const Cluster& one) { return one.view().now().value(); }, "the time, s")
      .def_property_readonly(
          "total_gpus", [](const Cluster& one) { return one.state().total_gpus(); }, "all GPUs")
      .def_property_readonly(
          "free_gpus", [](const Cluster& one) { return one.state().free_gpus(); }, "whole GPUs that nobody uses")
      .def_property_readonly(
          "gpu_types", [](const Cluster& one) { return one.session->workload->gpu_types; }, "names of the GPU types")
      .def(
          "free_gpus_of",
          [](const Cluster& one, const std::string& type) {
            return one.state().free_gpus_of_type(type_number(*one.session, type));
          },
          py::arg("gpu_type"), "Free GPUs of a type.")
      .def_property_readonly(
          "machines",
          [](const Cluster& one) {
            std::vector<std::string> names;
            for (int node = 0; !one.state().counted() && node < one.state().nodes().size(); ++node)
              names.push_back(one.state().nodes().shape(node).name);
            return names;
          },
          "names of the machines; empty for a pool of GPUs")
      .def_property_readonly(
          "free",
          [](const Cluster& one) {
            std::vector<int> free;
            for (int node = 0; !one.state().counted() && node < one.state().nodes().size(); ++node)
              free.push_back(one.state().nodes().state(node).up ? one.state().nodes().state(node).whole_free : 0);
            return free;
          },
          "free whole GPUs of each machine, in order of `machines`; 0 where it is down")
      .def(
          "free_on",
          [](const Cluster& one, const py::object& machine) {
            const int node = machine_number(*one.session, machine);
            std::vector<int> gpus;
            const auto free = one.state().nodes().gpu_free(node);
            for (std::size_t gpu = 0; gpu < free.size() && one.state().nodes().state(node).up; ++gpu)
              if (free[gpu] == 1000)
                gpus.push_back(static_cast<int>(gpu));
            return gpus;
          },
          py::arg("machine"), "Numbers of the free GPUs of a machine, given by name or number.")
      .def_property_readonly(
          "running",
          [](const Cluster& one) {
            std::vector<JobId> ids{one.view().running().begin(), one.view().running().end()};
            std::ranges::sort(ids);
            py::list jobs;
            for (const JobId id : ids)
              jobs.append(one.session->job(id));
            return jobs;
          },
          "jobs that run, in order of submission");
}

void define_decisions(py::class_<Cluster>& cluster)
{
  cluster
      .def(
          "fits",
          [](const Cluster& one, const py::object& job, const py::iterable& without) {
            Session& session = *one.session;
            const JobId id = session.id_of(job);
            check_waits(session, id, "be tried");
            std::vector<JobId> stopped;
            for (const py::handle other : without) {
              stopped.push_back(session.id_of(other));
              check_runs(session, stopped.back(), "left out");
            }
            return deciding(session, "fits").fits_without(id, stopped);
          },
          py::arg("job"), py::arg("without") = py::tuple{},
          "Whether a waiting job would fit now, or if the jobs of `without` were stopped. Changes nothing.")
      .def(
          "start",
          [](const Cluster& one, const py::object& job, int gpus, const py::object& where, const py::object& gpu_type) {
            return start(*one.session, one.session->id_of(job), gpus, where, gpu_type);
          },
          py::arg("job"), py::arg("gpus") = 0, py::arg("where") = py::none(), py::arg("gpu_type") = py::none(),
          "Starts a waiting job at once. False, and nothing changed, where it does not fit.\n\n"
          "gpus: the size of an elastic job. where: [(machine, [GPU, …] or how many), …]; without it the scenario's "
          "placement policy chooses. gpu_type: only GPUs of this type.")
      .def(
          "preempt", [](const Cluster& one, const py::object& job) { preempt(*one.session, one.session->id_of(job)); },
          py::arg("job"), "Stops a running job; it waits again, with its progress.")
      .def(
          "resize",
          [](const Cluster& one, const py::object& job, int gpus) {
            Session& session = *one.session;
            const JobId id = session.id_of(job);
            check_runs(session, id, "resized");
            check_gpus(session, id, gpus);
            return deciding(session, "resize").resize(id, gpus);
          },
          py::arg("job"), py::arg("gpus"),
          "Gives a running elastic job another number of GPUs. False, and nothing changed, where that does not fit.")
      .def(
          "withdraw",
          [](const Cluster& one, const py::object& job) {
            Session& session = *one.session;
            const JobId id = session.id_of(job);
            const JobPhase phase = session.now().state(id).phase;
            if (phase != JobPhase::waiting && phase != JobPhase::running)
              check_waits(session, id, "be withdrawn");
            deciding(session, "withdraw").withdraw(id);
          },
          py::arg("job"), "Takes a job away for good, whether it waits or runs.")
      .def(
          "wake_at",
          [](const Cluster& one, double time) {
            Session& session = *one.session;
            const Instant now = session.now().now(); // whole nanoseconds: less is no later
            // A decision at this instant would ask for the next, for ever.
            if (std::isnan(time) || Instant{Seconds{time}} <= now)
              policy_fault(session,
                           fmt::format("wake_at({:g}): the time must lie after now, {:g} s", time, now.value()));
            deciding(session, "wake_at").wake_at(Seconds{time});
          },
          py::arg("time"),
          "Asks for a decision at this time, s, which lies after `now`, even if nothing else happens then.");
}

} // namespace

void follow_list(Session& session, const py::object& list)
{
  if (list.is_none())
    return;
  if (!py::isinstance<py::iterable>(list))
    policy_fault(session, fmt::format("decide() must return None or a list of decisions, not {}",
                                      std::string{py::str(py::type::of(list))}));
  for (const py::handle item : list) {
    py::object where = py::none();
    py::object named = py::reinterpret_borrow<py::object>(item);
    if (!py::isinstance<Job>(item) && py::hasattr(item, "preempted")) { // trainyard.Preempt
      preempt(session, session.id_of(item.attr("preempted")));
      continue;
    }
    if (py::isinstance<py::tuple>(item)) {
      const auto pair = py::reinterpret_borrow<py::tuple>(item);
      if (pair.size() != 2)
        policy_fault(session, "a tuple in the list of decide() is (job, [(machine, GPUs), …])");
      named = pair[0];
      where = pair[1];
    }
    const JobId id = session.id_of(named);
    if (!start(session, id, 0, where, py::none())) {
      const ClusterState& cluster = session.now().cluster();
      const ResourceRequest request = request_of(session.workload->job(id));
      policy_fault(session,
                   fmt::format("job '{}' needs {} GPUs and cannot start: {} are free ({})", name_of(session, id),
                               request.gpus(), cluster.free_gpus(), to_text(cluster.reason(request))));
    }
  }
}

const ClusterView& Session::now() const
{
  if (view == nullptr)
    throw PolicyFault{policy + ": the run is over; what a job or the cluster was like then can no longer be asked"};
  return *view;
}

py::object Session::job(JobId id)
{
  const auto number = static_cast<std::size_t>(id.index);
  py::object& made = jobs.at(number);
  if (!made)
    made = py::cast(Job{shared_from_this(), id});
  return made;
}

JobId Session::id_of(const py::handle& job)
{
  if (py::isinstance<Job>(job))
    return job.cast<const Job&>().id;
  if (!py::isinstance<py::str>(job))
    policy_fault(*this, fmt::format("{} is no job; give a Job of the queue, or its name", std::string{py::repr(job)}));
  if (numbers.empty())
    for (int i = 0; i < workload->size(); ++i)
      numbers.emplace(workload->name(JobId{i}), i);
  const auto name = job.cast<std::string>();
  const auto found = numbers.find(name);
  if (found == numbers.end()) {
    std::vector<std::string> waiting_names;
    for (const JobId id : order)
      if (id && waiting_names.size() < 1000)
        waiting_names.push_back(workload->name(id));
    policy_fault(*this, fmt::format("there is no job '{}'{}", name, did_you_mean(name, waiting_names)));
  }
  return JobId{found->second};
}

void Session::arrive(JobId id)
{
  place.at(static_cast<std::size_t>(id.index)) = order.size();
  order.push_back(id);
  ++waiting;
}

void Session::leave(JobId id)
{
  const std::size_t at = place.at(static_cast<std::size_t>(id.index));
  if (at >= order.size() || order[at] != id)
    return; // it ran already: a resize
  order[at] = JobId{};
  --waiting;
  while (head < order.size() && !order[head])
    ++head;
}

void Session::tidy()
{
  if (order.size() < 64 || order.size() < 2 * waiting)
    return;
  std::size_t to = 0;
  for (std::size_t from = head; from < order.size(); ++from)
    if (order[from]) {
      place[static_cast<std::size_t>(order[from].index)] = to;
      order[to++] = order[from];
    }
  order.resize(to);
  head = 0;
}

void define_policy_classes(py::module_& module)
{
  py::register_exception<PolicyFault>(module, "PolicyError", PyExc_RuntimeError);
  define_job(module);
  define_queue(module);
  py::class_<Cluster> cluster{module, "Cluster",
                              "The machines and their free GPUs, and what a policy may do with jobs."};
  define_machines(cluster);
  define_decisions(cluster);
}

} // namespace trainyard::python
