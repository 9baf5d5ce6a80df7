// SPDX-License-Identifier: Apache-2.0
// The part "simgrid" (models/core/loaded_part.hpp): only this file and what it includes are in it, and only it knows
// SimGrid.
#include "sim/step/engine/simgrid_network.hpp"

#include "sim/step/engine/simgrid_versions.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace trainyard {
namespace {

namespace sg = simgrid::s4u;

/// SimGrid counts whole bytes; bytes and rates are scaled so that rounding stays below 1e-9 of a small message.
constexpr double scale = 1024;
/// With more routes SimGrid is not to look from link to link for what an event changes: a call takes some 200 bytes of
/// stack, and a route has up to ten links on which flows meet.
constexpr int most_recursive = 20'000;

class SimGridNetwork final : public Network
{
public:
  SimGridNetwork(const RouteTable& routes, WindowShares& shares)
      : engine_{exact_simgrid_engine(routes.routes() > most_recursive)}, shares_{shares}
  {
    build(routes);
    sg::Comm::on_completion_cb([this](const sg::Activity& activity) { completed(&activity); });
  }

  double now() const override { return sg::Engine::get_clock(); }

  void timer(double delay, Callback callback) override
  {
    // One timer of SimGrid for all that is due at one instant, in the order of the requests: the ranks of a ring act
    // together.
    ++pending_;
    const double date = now() + std::max(delay, 0.0);
    if (newest_due_ == nullptr || newest_due_->date != date) {
      auto [entry, fresh] = due_.try_emplace(date, nullptr);
      if (fresh) {
        entry->second = new_due(date);
        simgrid::kernel::timer::Timer::set(date, [this, due = entry->second] { fire(*due); });
      }
      newest_due_ = entry->second;
    }
    newest_due_->callbacks.push_back(std::move(callback));
  }

  int flow(const FlowRequest& request, Callback done) override
  {
    const auto& [from, to] = pair_of_.at(request.links);
    sg::CommPtr comm = sg::Comm::sendto_init(from, to);
    comm->set_payload_size(static_cast<std::uint64_t>(std::llround(std::max(request.bytes * scale, 1.0))));
    ++pending_;
    if (free_.empty()) {
      running_.emplace_back();
      free_.push_back(&running_.back());
    }
    Running* running = free_.back();
    free_.pop_back();
    *running = {std::move(comm), std::move(done), request.connection, nullptr};
    running->comm->set_data(running);
    start(*running->comm);
    if (request.connection >= 0)
      join(*running, *request.links);
    return 0;
  }

  void run(const Callback& begin) override
  {
    // Keeps the simulation alive between events; everything else happens in callbacks.
    driver_ = add_actor(*engine_, host_, [] { sg::this_actor::sleep_until(1e15); });
    ++pending_;
    simgrid::kernel::timer::Timer::set(0.0, [this, &begin] {
      begin();
      happened();
    });
    engine_->run();
  }

private:
  struct Running {
    sg::CommPtr comm;
    Callback done;
    int connection;
    simgrid::kernel::resource::Action* action; // of a connection's message
  };

  /// Everything that is due at one time.
  struct Due {
    double date = 0;
    std::vector<Callback> callbacks;
  };

  Due* new_due(double date)
  {
    if (idle_due_.empty()) {
      all_due_.emplace_back();
      idle_due_.push_back(&all_due_.back());
    }
    Due* due = idle_due_.back();
    idle_due_.pop_back();
    due->date = date;
    return due;
  }

  void fire(Due& due)
  {
    finished_.clear();
    due_.erase(due.date);
    if (newest_due_ == &due)
      newest_due_ = nullptr; // what is asked for now for this date comes after all of this
    for (const Callback& action : due.callbacks) {
      action();
      happened();
    }
    due.callbacks.clear();
    idle_due_.push_back(&due);
  }

  /// The messages of a connection have one share among them: each weighs as much less as there are of them.
  void join(Running& running, const std::vector<int>& links)
  {
    running.action = newest_action();
    std::vector<simgrid::kernel::resource::Action*>& messages = connections_[running.connection];
    const bool begins = messages.empty();
    messages.push_back(running.action);
    if (begins) {
      shares_.begin(running.connection, links, now());
      weigh_changed();
    }
    weigh(running.connection);
  }

  void weigh_changed()
  {
    for (const int connection : shares_.changed())
      weigh(connection);
    if (const double next = shares_.next(); next < change_at_) {
      change_at_ = next;
      simgrid::kernel::timer::Timer::set(next, [this] { change(); }); // this keeps no simulation alive
    }
  }

  /// Windows change while connections are at work, or would have if none had begun or ended.
  void change()
  {
    change_at_ = std::numeric_limits<double>::infinity();
    shares_.change(now());
    weigh_changed();
  }

  void leave(int connection, const simgrid::kernel::resource::Action* action)
  {
    std::vector<simgrid::kernel::resource::Action*>& messages = connections_[connection];
    std::erase(messages, action);
    if (messages.empty()) {
      shares_.end(connection, now());
      weigh_changed();
    }
    weigh(connection);
  }

  void weigh(int connection)
  {
    const std::vector<simgrid::kernel::resource::Action*>& messages = connections_[connection];
    for (simgrid::kernel::resource::Action* message : messages)
      if (message->get_state() == simgrid::kernel::resource::Action::State::STARTED) // others end at this very instant
        message->set_sharing_penalty(static_cast<double>(messages.size()) / shares_.of(connection));
  }

  /// What has just been started on the links: s4u gives no way from a Comm to its action.
  simgrid::kernel::resource::Action* newest_action()
  {
    for (simgrid::kernel::resource::Model* model : engine_->get_all_models())
      if (model->get_name().find("Network") != std::string::npos && !model->get_started_action_set()->empty())
        return &model->get_started_action_set()->back();
    throw std::logic_error{"SimGrid has not started a communication"};
  }

  /// Each route is an ordered pair of hosts of its own. A few hosts make many pairs: n of them n (n - 1); what costs
  /// memory and time in SimGrid are hosts and links.
  void build(const RouteTable& routes)
  {
    sg::NetZone* zone = full_zone(*engine_);
    std::vector<sg::Host*> hosts;
    const auto host = [&](std::size_t index) {
      while (hosts.size() <= index)
        hosts.push_back(add_host(zone, "host" + std::to_string(hosts.size()))->seal());
      return hosts[index];
    };
    host_ = host(0);
    std::vector<sg::Link*> links(routes.capacities().size(), nullptr);
    std::size_t from = 0, to = 1;
    for (int i = 0; i < routes.routes(); ++i) {
      const Route& route = routes.route(i);
      if (route.narrow.empty())
        continue;
      std::vector<sg::LinkInRoute> path;
      for (const int index : route.narrow) {
        sg::Link*& link = links[static_cast<std::size_t>(index)];
        if (link == nullptr) {
          link = add_link(zone, "link" + std::to_string(index),
                          routes.capacities()[static_cast<std::size_t>(index)] * scale);
          link->set_latency(0)->seal();
        }
        path.emplace_back(link);
      }
      if (std::isfinite(route.limit)) { // set_rate has no effect on this kind of communication: a pipe that limits each
                                        // flow by itself
        sg::Link* limit = add_link(zone, "limit" + std::to_string(i), route.limit * scale);
        limit->set_latency(0)
            ->set_sharing_policy(route.connection ? sg::Link::SharingPolicy::SHARED : sg::Link::SharingPolicy::FATPIPE)
            ->seal();
        path.emplace_back(limit);
      }
      // 0 > 1, 1 > 0, 0 > 2, 2 > 0, 1 > 2, 2 > 1, 0 > 3, …
      add_route(zone, host(from), host(to), path);
      pair_of_.emplace(&route.narrow, std::pair{host(from), host(to)});
      std::swap(from, to);
      if (from < to && ++from == to) {
        from = 0;
        ++to;
      }
    }
    zone->seal();
  }

  void completed(const sg::Activity* activity)
  {
    auto* running = activity->get_data<Running>();
    if (running == nullptr)
      return;
    Running ended = std::move(*running);
    free_.push_back(running);
    if (ended.connection >= 0)
      leave(ended.connection, ended.action);
    finished_.push_back(std::move(ended.comm)); // destroyed after the callback, not inside it
    ended.done();
    happened();
  }

  void happened()
  {
    if (--pending_ == 0)
      driver_->kill();
  }

  std::unique_ptr<sg::Engine> engine_;
  sg::Host* host_ = nullptr;
  sg::ActorPtr driver_;
  std::unordered_map<const std::vector<int>*, std::pair<sg::Host*, sg::Host*>> pair_of_;
  std::deque<Running> running_; // their addresses stay
  std::vector<Running*> free_;
  std::unordered_map<double, Due*> due_; // by date
  std::deque<Due> all_due_;              // their addresses stay
  std::vector<Due*> idle_due_;
  Due* newest_due_ = nullptr; // asked for last
  std::unordered_map<int, std::vector<simgrid::kernel::resource::Action*>> connections_;
  WindowShares& shares_;
  double change_at_ = std::numeric_limits<double>::infinity(); // a timer asks then whether shares change
  std::vector<sg::CommPtr> finished_;
  long pending_ = 0;
};

} // namespace
} // namespace trainyard

trainyard::Network* trainyard_simgrid_network(const trainyard::RouteTable& routes, trainyard::WindowShares& shares)
{
  return new trainyard::SimGridNetwork{routes, shares}; // its caller owns it
}
