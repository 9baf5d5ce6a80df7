// SPDX-License-Identifier: Apache-2.0
// A queue policy that is written in Python.
#include "python/core/python_policy.hpp"

#include <utility>

namespace py = pybind11;

namespace trainyard::python {
namespace {

/// Turns what happens to the queue into calls of the Python object, as far as it listens.
class PythonPolicy final : public QueuePolicy
{
public:
  PythonPolicy(const py::object& policy, std::shared_ptr<const Workload> workload)
      : session_{std::make_shared<Session>()}
  {
    session_->policy = py::str(py::type::of(policy).attr("__name__"));
    const auto jobs = static_cast<std::size_t>(workload->size());
    session_->workload = std::move(workload);
    session_->jobs.resize(jobs);
    session_->place.resize(jobs);
    queue_ = py::cast(Queue{session_});
    cluster_ = py::cast(Cluster{session_});
    const py::object base = py::module_::import("trainyard").attr("Policy");
    decide_ = policy.attr("decide");
    const auto listens = [&](const char* name) -> py::object {
      if (py::type::of(policy).attr(name).is(base.attr(name)))
        return py::none();
      return policy.attr(name);
    };
    begin_ = listens("begin");
    arrived_ = listens("arrived");
    started_ = listens("started");
    stopped_ = listens("stopped");
    withdrawn_ = listens("withdrawn");
  }
  ~PythonPolicy() override
  {
    session_->view = nullptr;
    session_->decisions = nullptr;
    session_->jobs.clear(); // they hold the session
  }
  PythonPolicy(const PythonPolicy&) = delete;
  PythonPolicy& operator=(const PythonPolicy&) = delete;

  void begin(const ClusterView& view) override
  {
    session_->view = &view;
    if (!begin_.is_none())
      begin_(cluster_);
  }
  void arrived(const ClusterView&, JobId id) override
  {
    session_->arrive(id);
    tell(arrived_, id);
  }
  bool resizes() const override { return true; }

  void started(const ClusterView& view, JobId id) override
  {
    static_cast<void>(view);
    session_->leave(id);
    tell(started_, id);
  }
  void stopped(const ClusterView&, JobId id) override { tell(stopped_, id); }
  void withdrawn(const ClusterView&, JobId id) override
  {
    session_->leave(id);
    tell(withdrawn_, id);
  }
  void decide(const ClusterView&, Decisions& decisions) override
  {
    session_->tidy();
    session_->decisions = &decisions;
    const struct Closed {
      Session& session;
      ~Closed() { session.decisions = nullptr; }
    } closed{*session_};
    follow_list(*session_, decide_(queue_, cluster_));
  }

private:
  void tell(const py::object& listener, JobId id)
  {
    if (!listener.is_none())
      listener(session_->job(id), cluster_);
  }

  std::shared_ptr<Session> session_;
  py::object queue_, cluster_, decide_, begin_, arrived_, started_, stopped_, withdrawn_;
};

} // namespace

std::unique_ptr<QueuePolicy> python_policy(const py::object& policy, std::shared_ptr<const Workload> workload)
{
  return std::make_unique<PythonPolicy>(policy, std::move(workload));
}

} // namespace trainyard::python
