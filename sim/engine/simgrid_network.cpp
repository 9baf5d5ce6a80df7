#include "sim/engine/simgrid_network.hpp"

#include "sim/engine/child.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>

namespace trainyard {
namespace {

namespace sg = simgrid::s4u;

/// SimGrid counts whole bytes; bytes and rates are scaled so that rounding stays below 1e-9 of a small message.
constexpr double scale = 1024;
/// Routes per zone: a zone's table of routes is quadratic in its hosts.
constexpr int pairs_per_zone = 16;

class SimGridNetwork final : public Network
{
public:
  explicit SimGridNetwork(const RouteTable& routes)
  {
    xbt_log_control_set("root.thresh:critical");
    int argc = 1;
    char name[] = "trainyard";
    char* argv[] = {name, nullptr};
    engine_ = std::make_unique<sg::Engine>(&argc, argv);
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("network/TCP-gamma:1e12");
    sg::Engine::set_config("network/weight-S:0");
    build(routes);
    sg::Comm::on_completion_cb([this](const sg::Activity& activity) { completed(&activity); });
  }

  double now() const override { return sg::Engine::get_clock(); }

  void timer(double delay, Callback callback) override
  {
    // One timer of SimGrid for all that is due at one instant, in the order of the requests: the ranks of a ring act together.
    ++pending_;
    const double date = now() + std::max(delay, 0.0);
    const auto [entry, fresh] = due_.try_emplace(date);
    entry->second.push_back(std::move(callback));
    if (fresh)
      simgrid::kernel::timer::Timer::set(date, [this, date] {
        finished_.clear();
        const std::vector<Callback> callbacks = std::move(due_.extract(date).mapped());
        for (const Callback& action : callbacks) {
          action();
          happened();
        }
      });
  }

  int flow(const FlowRequest& request, Callback done) override
  {
    const auto& [from, to] = pair_of_.at(request.links);
    sg::CommPtr comm = sg::Comm::sendto_init(from, to);
    comm->set_payload_size(static_cast<std::uint64_t>(std::llround(std::max(request.bytes * scale, 1.0))));
    ++pending_;
    running_.emplace(comm.get(), Running{comm, std::move(done), request.connection, nullptr});
    comm->vetoable_start();
    if (request.connection >= 0)
      join(request.connection, comm.get());
    return 0;
  }

  void run(const Callback& begin) override
  {
    // Keeps the simulation alive between events; everything else happens in callbacks.
    driver_ = sg::Actor::create("driver", first_host_, [] { sg::this_actor::sleep_until(1e15); });
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

  /// The messages of a connection have one share among them: each weighs as much less as there are of them.
  void join(int connection, const sg::Comm* comm)
  {
    simgrid::kernel::resource::Action* action = newest_action();
    running_.at(comm).action = action;
    connections_[connection].push_back(action);
    weigh(connection);
  }

  void leave(int connection, const simgrid::kernel::resource::Action* action)
  {
    std::erase(connections_[connection], action);
    weigh(connection);
  }

  void weigh(int connection)
  {
    const std::vector<simgrid::kernel::resource::Action*>& messages = connections_[connection];
    for (simgrid::kernel::resource::Action* message : messages)
      if (message->get_state() == simgrid::kernel::resource::Action::State::STARTED) // others end at this very instant
        message->set_sharing_penalty(static_cast<double>(messages.size()));
  }

  /// What has just been started on the links: s4u gives no way from a Comm to its action.
  simgrid::kernel::resource::Action* newest_action()
  {
    for (simgrid::kernel::resource::Model* model : engine_->get_all_models())
      if (model->get_name().find("Network") != std::string::npos && !model->get_started_action_set()->empty())
        return &model->get_started_action_set()->back();
    throw std::logic_error{"SimGrid has not started a communication"};
  }

  void build(const RouteTable& routes)
  {
    sg::NetZone* root = sg::create_full_zone("root");
    std::map<int, sg::Link*> links;
    sg::NetZone* zone = nullptr;
    for (int i = 0; i < std::max(routes.routes(), 1); ++i) {
      if (i % pairs_per_zone == 0) {
        if (zone != nullptr)
          zone->seal();
        zone = sg::create_full_zone("zone" + std::to_string(i / pairs_per_zone))->set_parent(root);
      }
      sg::Host* from = zone->create_host("from" + std::to_string(i), 1e9)->seal();
      sg::Host* to = zone->create_host("to" + std::to_string(i), 1e9)->seal();
      if (first_host_ == nullptr)
        first_host_ = from;
      if (i >= routes.routes() || routes.route(i).narrow.empty())
        continue;
      std::vector<sg::LinkInRoute> path;
      for (const int index : routes.route(i).narrow) {
        const auto [entry, added] = links.try_emplace(index, nullptr);
        if (added) {
          entry->second = zone->create_link("link" + std::to_string(index), routes.capacities()[static_cast<std::size_t>(index)] * scale);
          entry->second->set_latency(0)->seal();
        }
        path.emplace_back(entry->second);
      }
      if (std::isfinite(
              routes.route(i).limit)) { // set_rate has no effect on this kind of communication: a pipe that limits each flow by itself
        sg::Link* limit = zone->create_link("limit" + std::to_string(i), routes.route(i).limit * scale);
        limit->set_latency(0)
            ->set_sharing_policy(routes.route(i).connection ? sg::Link::SharingPolicy::SHARED : sg::Link::SharingPolicy::FATPIPE)
            ->seal();
        path.emplace_back(limit);
      }
      zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, path, false);
      pair_of_.emplace(&routes.route(i).narrow, std::pair{from, to});
    }
    zone->seal();
    root->seal();
  }

  void completed(const sg::Activity* activity)
  {
    const auto found = running_.find(activity);
    if (found == running_.end())
      return;
    const Running ended = std::move(found->second);
    running_.erase(found);
    if (ended.connection >= 0)
      leave(ended.connection, ended.action);
    finished_.push_back(ended.comm); // destroyed after the callback, not inside it
    ended.done();
    happened();
  }

  void happened()
  {
    if (--pending_ == 0)
      driver_->kill();
  }

  std::unique_ptr<sg::Engine> engine_;
  sg::Host* first_host_ = nullptr;
  sg::ActorPtr driver_;
  std::unordered_map<const std::vector<int>*, std::pair<sg::Host*, sg::Host*>> pair_of_;
  std::unordered_map<const sg::Activity*, Running> running_;
  std::unordered_map<double, std::vector<Callback>> due_; // by date
  std::unordered_map<int, std::vector<simgrid::kernel::resource::Action*>> connections_;
  std::vector<sg::CommPtr> finished_;
  long pending_ = 0;
};

void put(std::string& text, double value)
{
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  text.append(bytes, sizeof value);
}

class Cursor
{
public:
  explicit Cursor(const std::string& text) : text_{text} {}
  double next()
  {
    double value = 0;
    if (position_ + sizeof value > text_.size())
      throw std::runtime_error{"the network simulation's answer is cut off"};
    std::memcpy(&value, text_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  std::size_t count() { return static_cast<std::size_t>(next()); }

private:
  const std::string& text_;
  std::size_t position_ = 0;
};

std::string packed(const std::vector<StepTrace>& traces)
{
  std::string text;
  for (const StepTrace& trace : traces) {
    put(text, trace.begin.value());
    put(text, trace.end.value());
    put(text, static_cast<double>(trace.spans.size()));
    for (const Span& span : trace.spans) {
      put(text, span.begin.value());
      put(text, span.end.value());
    }
    put(text, static_cast<double>(trace.links.size()));
    for (const LinkUse& use : trace.links)
      for (const double value : {static_cast<double>(use.link.index), use.bytes.value(), use.busy.value()})
        put(text, value);
    put(text, static_cast<double>(trace.resources.size()));
    for (const ResourceUse& use : trace.resources)
      for (const double value : {static_cast<double>(use.resource.index), use.bytes.value(), use.busy.value()})
        put(text, value);
  }
  return text;
}

std::vector<StepTrace> unpacked(const std::string& text, std::size_t programs)
{
  Cursor cursor{text};
  std::vector<StepTrace> traces(programs);
  for (StepTrace& trace : traces) {
    trace.begin = Seconds{cursor.next()};
    trace.end = Seconds{cursor.next()};
    trace.spans.resize(cursor.count());
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
      const double begin = cursor.next();
      trace.spans[i] = {OperationId{static_cast<int>(i)}, Seconds{begin}, Seconds{cursor.next()}};
    }
    trace.links.resize(cursor.count());
    for (LinkUse& use : trace.links) {
      use.link = LinkId{static_cast<int>(cursor.next())};
      use.bytes = Bytes{cursor.next()};
      use.busy = Seconds{cursor.next()};
    }
    trace.resources.resize(cursor.count());
    for (ResourceUse& use : trace.resources) {
      use.resource = ResourceId{static_cast<int>(cursor.next())};
      use.bytes = Bytes{cursor.next()};
      use.busy = Seconds{cursor.next()};
    }
  }
  return traces;
}

} // namespace

std::unique_ptr<Network> make_simgrid_network(const RouteTable& routes)
{
  return std::make_unique<SimGridNetwork>(routes);
}

std::vector<StepTrace> run_on_simgrid(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style)
{
  const std::string answer = in_child([&] {
    ProgramRunner runner{cluster, programs, style};
    const std::unique_ptr<Network> network = make_simgrid_network(runner.routes());
    return packed(runner.run(*network));
  });
  return unpacked(answer, programs.size());
}

} // namespace trainyard
