// SPDX-License-Identifier: Apache-2.0
// A scheduler outside decides: a process that speaks Batsim's protocol (JSON over ZeroMQ), such as those of pybatsim
// and batsched. The simulation stops while it thinks.
//
// Source: Batsim, docs/protocol.rst and docs/input-events.rst, and what pybatsim 3.2.1 reads. A resource is a GPU, a
// job's `res` its GPUs, its `walltime` the user's estimate. What happens at one instant is one message, ends first, in
// the order of the queue. A job whose machine fails has ended (COMPLETED_FAILED) and is submitted again under a new
// name, `trainyard!7#1`, as pybatsim names attempts.
#include "models/core/interrupt.hpp"
#include "models/core/loaded_part.hpp"
#include "models/core/longest_time.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/units.hpp"
#include "sim/cluster/cluster_state.hpp"
#include "sim/sources/queue/policies/batsim_socket.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// A process that answers messages: the other end of Batsim's protocol. It binds a ZeroMQ socket of type REP; this is
/// the REQ that connects to it.
class BatsimPeer
{
public:
  /// @p endpoint: "tcp://localhost:28000". Throws std::invalid_argument for one that ZeroMQ does not know, and in a
  /// program that was built without ZeroMQ.
  BatsimPeer(std::string endpoint, Seconds timeout);
  ~BatsimPeer();

  /// Sends a message and waits for the answer. Throws std::runtime_error where none comes within the timeout,
  /// Interrupted where the user stops the program.
  std::string ask(const std::string& message) { return ask(message, timeout_); }
  /// The same with a time of its own.
  std::string ask(const std::string& message, Seconds timeout);

private:
  struct Socket;
  std::string endpoint_;
  Seconds timeout_;
  std::unique_ptr<Socket> socket_;
};

#ifdef TRAINYARD_ZMQ

struct BatsimPeer::Socket {
  std::unique_ptr<BatsimSocket> socket;
};

BatsimPeer::BatsimPeer(std::string endpoint, Seconds timeout) : endpoint_{std::move(endpoint)}, timeout_{timeout}
{
  static const auto open = part_function<decltype(trainyard_batsim_socket)>("batsim", "trainyard_batsim_socket");
  try {
    socket_ = std::make_unique<Socket>();
    socket_->socket.reset(open(endpoint_));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument{
        fmt::format("'{}' is no endpoint such as tcp://localhost:28000: {}", endpoint_, error.what())};
  }
}

std::string BatsimPeer::ask(const std::string& message, Seconds timeout)
{
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look{100}; // between looks for an interrupt
  const auto end = Clock::now() + std::chrono::duration<double>{timeout.value()};
  socket_->socket->send(message);
  for (;;) {
    if (std::optional<std::string> answer = socket_->socket->receive(look))
      return *std::move(answer);
    check_interrupt();
    if (Clock::now() >= end)
      throw std::runtime_error{
          fmt::format("no scheduler of Batsim's protocol answers at {} within {}; start it first, for example "
                      "'pybatsim easyBackfill', or give the setting timeout more time",
                      endpoint_, to_text(timeout))};
  }
}

#else

struct BatsimPeer::Socket {
};

BatsimPeer::BatsimPeer(std::string endpoint, Seconds timeout) : endpoint_{std::move(endpoint)}, timeout_{timeout}
{
  throw std::invalid_argument{
      "this program was built without ZeroMQ, so it cannot ask schedulers of Batsim's protocol; "
      "install libzmq3-dev and cppzmq-dev, then build it again"};
}

std::string BatsimPeer::ask(const std::string&, Seconds)
{
  return {};
}

#endif

BatsimPeer::~BatsimPeer() = default;

using BatsimJson = nlohmann::json;

/// Whether brackets are nested deeper than @p most: copies of a value and its text call themselves for each level.
bool nests_deeper(std::string_view json, int most)
{
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted && c == '\\')
      ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > most)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

class Batsim final : public QueuePolicy
{
public:
  explicit Batsim(const Settings& settings)
      : endpoint_{settings.text("endpoint", "tcp://localhost:28000")}, timeout_{settings.duration("timeout", 60_s)},
        first_time_{settings.duration("first_time", 0_s)}
  {
  }

  ~Batsim() override
  {
    try { // where jobs wait that it never starts, or the run was stopped: it should not wait for us for ever
      if (begun_ && !ended_)
        end(Seconds{1});
    } catch (...) { // it does not answer any more
    }
  }

  Batsim(const Batsim&) = delete;
  Batsim& operator=(const Batsim&) = delete;

  bool resizes() const override { return true; }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "endpoint",
             .kind = "name",
             .default_value = "tcp://localhost:28000",
             .meaning = "where the scheduler listens, as ZeroMQ names it"},
            {.name = "timeout",
             .kind = "duration",
             .default_value = "60 s",
             .meaning = "how long the scheduler may take for an answer, in real time",
             .minimum = 0.01,
             .maximum = 1e7},
            duration("first_time", "0 s",
                     "what the scheduler's clock shows at the start; some of pybatsim's schedulers refuse a time of 0",
                     0)};
  }

  void begin(const ClusterView& cluster) override
  {
    for (int i = 0; i < cluster.workload().size(); ++i) {
      const TraceJob& job = cluster.job(JobId{i});
      if (job.gpus == 0 || job.gpu_milli < 1000)
        throw std::invalid_argument{fmt::format("job {} asks for {}; a resource of Batsim's protocol is a whole GPU",
                                                cluster.workload().name(JobId{i}),
                                                job.gpus == 0 ? "no GPU" : "a part of a GPU")};
    }
    const ClusterState& state = cluster.cluster();
    resources_.clear();
    if (state.counted())
      for (int type = 0; type < state.gpu_types(); ++type)
        resources_.resize(resources_.size() + static_cast<std::size_t>(state.gpus_of_type(type)), {-1, 0, type});
    else
      for (int node = 0; node < state.nodes().size(); ++node)
        for (int gpu = 0; gpu < state.nodes().shape(node).gpus; ++gpu)
          resources_.push_back({node, gpu, state.nodes().shape(node).gpu_type});
    up_.assign(state.counted() ? 0 : static_cast<std::size_t>(state.nodes().size()), true);
  }

  void arrived(const ClusterView&, JobId id) override
  {
    const int attempt = attempts_[id.index]++;
    Known& job = jobs_[id.index];
    job.name = fmt::format("trainyard!{}{}", id.index, attempt == 0 ? "" : fmt::format("#{}", attempt));
    by_name_[job.name] = id;
    happened_.push_back({.what = What::submitted, .id = id, .name = job.name});
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    Known& job = jobs_[id.index];
    for (const int resource : job.held)
      resources_[static_cast<std::size_t>(resource)].job = {};
    const Instant whole = cluster.job(id).duration;
    happened_.push_back({.what = What::stopped,
                         .id = id,
                         .name = job.name,
                         .held = resource_text(job.held),
                         .progress = whole > Instant{0} ? cluster.progress(id) / whole : 1});
    job.held.clear();
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    now_ = cluster.now() + first_time_;
    if (!begun_) {
      peer_.emplace(endpoint_, timeout_);
      begun_ = true;
      ask({simulation_begins(cluster)}, timeout_);
    }
    follow(cluster, decisions);
    while (now_ >= busy_until_) {
      BatsimJson events = BatsimJson::array();
      tell_machines(cluster, events);
      const bool news = !events.empty() || !happened_.empty(); // else only what the scheduler has asked for
      tell_jobs(cluster, events);
      tell_the_rest(cluster, events);
      if (events.empty())
        break;
      const std::string answer = ask(std::move(events), timeout_);
      if (news)
        bound_.restart(now_);
      else
        count_in_vain(answer, cluster.waiting().size() + cluster.running().size());
      follow(cluster, decisions);
    }
    if (!ended_ && cluster.waiting().empty() && cluster.running().empty() && all_submitted(cluster))
      end(timeout_);
  }
  bool unlike_tasks() const override { return false; }

private:
  /// A GPU, or one of a pool of a type.
  struct Resource {
    int node = -1;
    int gpu = 0;
    int type = 0;
    JobId job = {};
  };
  struct Known {
    std::string name; // of its latest attempt
    std::vector<int> held;
  };
  enum class What { submitted, stopped };
  struct Happened {
    What what = What::submitted;
    JobId id;
    std::string name;
    std::string held = {};
    double progress = 0;
  };
  struct Later {
    Instant time;
    BatsimJson event;
  };

  BatsimJson event(const char* type, BatsimJson data = BatsimJson::object()) const
  {
    return {{"timestamp", now_.value()}, {"type", type}, {"data", std::move(data)}};
  }

  // To the scheduler

  BatsimJson simulation_begins(const ClusterView& cluster) const
  {
    BatsimJson list = BatsimJson::array();
    const std::vector<std::string>& types = cluster.workload().gpu_types;
    for (const Resource& resource : resources_) {
      const auto type = static_cast<std::size_t>(resource.type);
      BatsimJson properties = BatsimJson::object();
      if (type < types.size())
        properties["gpu_type"] = types[type];
      if (resource.node >= 0)
        properties["machine"] = cluster.cluster().nodes().shape(resource.node).name;
      const std::string name =
          resource.node >= 0 ? fmt::format("{}:{}", cluster.cluster().nodes().shape(resource.node).name, resource.gpu)
                             : fmt::format("gpu-{}", list.size());
      list.push_back({{"id", list.size()}, {"name", name}, {"state", "idle"}, {"properties", std::move(properties)}});
    }
    // Keys of Batsim 1 to 4, so that schedulers of their time find theirs.
    const BatsimJson config = {
        {"redis-enabled", false},
        {"redis", {{"enabled", false}}},
        {"profiles-forwarded-on-submission", false},
        {"dynamic-jobs-enabled", false},
        {"dynamic-jobs-acknowledged", false},
        {"profile-reuse-enabled", false},
        {"forward-unknown-events", false},
        {"job_submission",
         {{"forward_profiles", false}, {"from_scheduler", {{"enabled", false}, {"acknowledge", false}}}}}};
    return event("SIMULATION_BEGINS", {{"nb_resources", list.size()},
                                       {"nb_compute_resources", list.size()},
                                       {"nb_storage_resources", 0},
                                       {"allow_time_sharing", false},
                                       {"allow_compute_sharing", false},
                                       {"allow_storage_sharing", false},
                                       {"allow_time_sharing_on_compute", false},
                                       {"allow_time_sharing_on_storage", false},
                                       {"config", config},
                                       {"resources_data", list},
                                       {"compute_resources", list},
                                       {"storage_resources", BatsimJson::array()},
                                       {"workloads", {{"trainyard", cluster.workload().source}}},
                                       {"profiles", {{"trainyard", BatsimJson::object()}}}});
  }

  void tell_machines(const ClusterView& cluster, BatsimJson& events)
  {
    std::map<bool, std::vector<int>> changed;
    for (std::size_t i = 0; i < resources_.size() && !up_.empty(); ++i) {
      const int node = resources_[i].node;
      if (cluster.cluster().nodes().state(node).up != up_[static_cast<std::size_t>(node)])
        changed[!up_[static_cast<std::size_t>(node)]].push_back(static_cast<int>(i));
    }
    for (const auto& [up, which] : changed) {
      for (const int resource : which)
        up_[static_cast<std::size_t>(resources_[static_cast<std::size_t>(resource)].node)] = up;
      events.push_back(event("NOTIFY", {{"type", up ? "event_machine_available" : "event_machine_unavailable"},
                                        {"resources", resource_text(which)}}));
    }
  }

  void tell_jobs(const ClusterView& cluster, BatsimJson& events)
  {
    for (const Happened& one : std::exchange(happened_, {})) {
      if (one.what == What::submitted) {
        events.push_back(submitted(cluster, one));
        continue;
      }
      const JobState& job = cluster.state(one.id);
      const bool killed = job.phase == JobPhase::withdrawn;
      const bool failed = job.phase != JobPhase::finished && !killed;
      events.push_back(event("JOB_COMPLETED", {{"job_id", one.name},
                                               {"job_state", killed       ? "COMPLETED_KILLED"
                                                             : failed     ? "COMPLETED_FAILED"
                                                             : job.killed ? "COMPLETED_WALLTIME_REACHED"
                                                                          : "COMPLETED_SUCCESSFULLY"},
                                               {"return_code", failed || killed || job.killed ? 1 : 0},
                                               {"kill_reason", job.killed ? "Walltime reached" : ""},
                                               {"alloc", one.held}}));
      if (killed)
        progress_[one.name] = one.progress;
    }
    for (const std::vector<std::string>& names : std::exchange(kills_, {})) {
      BatsimJson progress = BatsimJson::object();
      for (const std::string& name : names)
        progress[name] = {{"profile", "delay"}, {"progress", progress_.contains(name) ? progress_[name] : 1}};
      events.push_back(event("JOB_KILLED", {{"job_ids", names}, {"job_progress", std::move(progress)}}));
    }
  }

  BatsimJson submitted(const ClusterView& cluster, const Happened& one) const
  {
    const Workload& workload = cluster.workload();
    const TraceJob& job = cluster.job(one.id);
    BatsimJson all = {{"id", one.name},
                      {"res", job.gpus},
                      {"walltime", job.estimate.value()},
                      {"subtime", now_.value()},
                      {"profile", "delay"},
                      {"name", workload.name(one.id)},
                      {"user", workload.users.name(job.user)},
                      {"team", workload.teams.name(job.team)},
                      {"priority", job.priority},
                      {"tasks", job.tasks}};
    if (job.gpu_type >= 0)
      all["gpu_type"] = workload.gpu_types[static_cast<std::size_t>(job.gpu_type)];
    return event("JOB_SUBMITTED", {{"job_id", one.name}, {"job", std::move(all)}});
  }

  void tell_the_rest(const ClusterView& cluster, BatsimJson& events)
  {
    if (!told_last_ && all_submitted(cluster)) {
      told_last_ = true;
      events.push_back(event("NOTIFY", {{"type", "no_more_static_job_to_submit"}}));
    }
    for (; !calls_.empty() && calls_.top() <= now_; calls_.pop())
      events.push_back(event("REQUESTED_CALL"));
  }

  bool all_submitted(const ClusterView& cluster)
  {
    while (first_pending_ < cluster.workload().size() &&
           cluster.state(JobId{first_pending_}).phase != JobPhase::pending)
      ++first_pending_;
    return first_pending_ == cluster.workload().size();
  }

  void end(Seconds timeout)
  {
    ended_ = true;
    ask({event("SIMULATION_ENDS")}, timeout);
  }

  void count_in_vain(const std::string& answer, std::size_t jobs)
  {
    try {
      bound_.in_vain(now_, jobs);
    } catch (const std::invalid_argument& why) {
      fault(why.what(), answer);
    }
  }

  /// Sends events, and keeps the decisions of the answer until their time. Returns the answer.
  std::string ask(BatsimJson events, Seconds timeout)
  {
    if (!peer_)
      throw std::logic_error{"the scheduler is asked before the run has begun"};
    const BatsimJson message = {{"now", now_.value()}, {"events", std::move(events)}};
    std::string text = peer_->ask(message.dump(-1, ' ', false, BatsimJson::error_handler_t::replace), timeout);
    if (text.size() > largest_answer)
      fault(fmt::format("its answer has {} MB, at most {} MB are read", text.size() / 1'000'000,
                        largest_answer / 1'000'000),
            text);
    if (nests_deeper(text, deepest_answer))
      fault(fmt::format("its answer is nested deeper than {} levels", deepest_answer), text);
    const BatsimJson answer = BatsimJson::parse(text, nullptr, false);
    if (!answer.is_object() || !answer.contains("now") || !answer["now"].is_number() || !answer.contains("events") ||
        !answer["events"].is_array())
      fault("its answer is no JSON object with 'now' and 'events'", text);
    busy_until_ = std::max(now_, time_of(answer, "now"));
    for (const BatsimJson& one : answer["events"]) {
      if (!one.is_object() || !one.contains("timestamp") || !one["timestamp"].is_number() || !one.contains("type") ||
          !one["type"].is_string())
        fault("an event of its answer has no 'timestamp' or no 'type'", one.dump());
      const Instant time = time_of(one, "timestamp");
      if (time > busy_until_)
        fault("an event of its answer is later than the answer", one.dump());
      if (!later_.empty() && time < later_.back().time)
        fault("the events of its answer are not in order of time", one.dump());
      later_.push_back({time, one});
    }
    return text;
  }

  /// A time of an answer; clocks that count in floating point may be a little late.
  Instant time_of(const BatsimJson& from, const char* key) const
  {
    const Instant time = Seconds{from[key].get<double>()};
    if (time < now_ - 1_ms)
      fault("its time goes back", from.dump());
    if (time - first_time_ > longest_time)
      fault(std::string{beyond_longest_time}, from.dump());
    return time;
  }

  // From the scheduler

  /// Does what is due; asks to be called for the rest.
  void follow(const ClusterView& cluster, Decisions& decisions)
  {
    std::size_t done = 0;
    for (; done < later_.size() && later_[done].time <= now_; ++done) {
      const BatsimJson one = later_[done].event;
      try {
        follow(cluster, decisions, one.at("type").get<std::string>(), one.value("data", BatsimJson::object()));
      } catch (const std::invalid_argument& why) {
        fault(why.what(), one.dump());
      } catch (const BatsimJson::exception& why) {
        fault(why.what(), one.dump());
      }
    }
    later_.erase(later_.begin(), later_.begin() + static_cast<std::ptrdiff_t>(done));
    if (!later_.empty())
      decisions.wake_at(later_.front().time - first_time_);
    if (busy_until_ > now_)
      decisions.wake_at(busy_until_ - first_time_);
  }

  void follow(const ClusterView& cluster, Decisions& decisions, const std::string& type, const BatsimJson& data)
  {
    if (type == "EXECUTE_JOB") {
      execute(cluster, decisions, data);
    } else if (type == "REJECT_JOB") {
      const JobId id = known(data.at("job_id").get<std::string>());
      if (cluster.state(id).phase != JobPhase::waiting)
        throw std::invalid_argument{"the job does not wait"};
      decisions.withdraw(id);
    } else if (type == "KILL_JOB") {
      kills_.push_back(data.at("job_ids").get<std::vector<std::string>>());
      for (const std::string& name : kills_.back()) {
        const JobId id = known(name);
        if (cluster.is_running(id) && jobs_[id.index].name == name)
          decisions.withdraw(id);
      }
    } else if (type == "CALL_ME_LATER") {
      const Instant time = Seconds{data.at("timestamp").get<double>()};
      if (time < now_)
        throw std::invalid_argument{"the time of the call has passed"};
      if (time - first_time_ > longest_time)
        throw std::invalid_argument{std::string{beyond_longest_time}};
      calls_.push(time);
      decisions.wake_at(time - first_time_);
    } else if (type != "NOTIFY" && type != "SET_JOB_METADATA") { // no jobs come from the scheduler; nobody reads notes
      throw std::invalid_argument{
          "this event is not understood; EXECUTE_JOB, REJECT_JOB, KILL_JOB, CALL_ME_LATER, NOTIFY and "
          "SET_JOB_METADATA are: jobs of the scheduler, power states and energy are not simulated"};
    }
  }

  void execute(const ClusterView& cluster, Decisions& decisions, const BatsimJson& data)
  {
    const auto name = data.at("job_id").get<std::string>();
    const JobId id = known(name);
    if (cluster.state(id).phase != JobPhase::waiting || jobs_[id.index].name != name)
      throw std::invalid_argument{"the job does not wait"};
    if (data.contains("additional_io_job"))
      throw std::invalid_argument{"additional_io_job is not simulated"};
    std::vector<int> numbers = resource_set(data.at("alloc").get<std::string>(), static_cast<int>(resources_.size()));
    for (const int number : numbers)
      if (const JobId other = resources_[static_cast<std::size_t>(number)].job; other)
        throw std::invalid_argument{fmt::format("resource {} is in use by {}", number, jobs_[other.index].name)};
    decisions.start_at(id, place_of(cluster, id, numbers));
    for (const int number : numbers)
      resources_[static_cast<std::size_t>(number)].job = id;
    jobs_[id.index].held = std::move(numbers);
  }

  Allocation place_of(const ClusterView& cluster, JobId id, const std::vector<int>& numbers) const
  {
    const TraceJob& job = cluster.job(id);
    if (!cluster.cluster().counted()) {
      std::vector<ChosenGpus> chosen;
      for (const int number : numbers) { // in order of machines
        const Resource& resource = resources_[static_cast<std::size_t>(number)];
        if (chosen.empty() || chosen.back().node != resource.node)
          chosen.push_back({.node = resource.node, .gpus = {}});
        chosen.back().gpus.push_back(resource.gpu);
      }
      return chosen_place(cluster.workload(), id, cluster.cluster().nodes(), chosen);
    }
    const auto count = static_cast<int>(numbers.size());
    if (count < std::max(1, job.smallest_gpus()) || count > job.largest_gpus())
      throw std::invalid_argument{fmt::format("it was given {} GPUs, but needs {}", count, job.gpus)};
    const int type = resources_[static_cast<std::size_t>(numbers.front())].type;
    for (const int number : numbers)
      if (resources_[static_cast<std::size_t>(number)].type != type)
        throw std::invalid_argument{"its GPUs are of several types"};
    if ((job.gpu_type >= 0 && job.gpu_type != type) || cluster.workload().speed_on(job, type) <= 0)
      throw std::invalid_argument{"it cannot run on GPUs of this type"};
    return {.gpus = count, .gpu_type = type, .shares = {}};
  }

  JobId known(const std::string& name) const
  {
    const auto found = by_name_.find(name);
    if (found == by_name_.end())
      throw std::invalid_argument{fmt::format("there is no job '{}'", name)};
    return found->second;
  }

  [[noreturn]] void fault(const std::string& why, const std::string& what) const
  {
    constexpr std::size_t most = 400;
    throw std::runtime_error{fmt::format("the scheduler at {} broke the rules of Batsim's protocol at {} s: {}: {}",
                                         endpoint_, (now_ - first_time_).value(), why,
                                         what.size() > most ? what.substr(0, most) + "…" : what)};
  }

  /// More than all jobs of any log at once, and deeper than any event.
  static constexpr std::size_t largest_answer = 64'000'000;
  static constexpr int deepest_answer = 64;

  std::string endpoint_;
  Seconds timeout_;
  Instant first_time_;
  std::optional<BatsimPeer> peer_;
  Instant now_;        // of the scheduler's clock, as are all times below
  Instant busy_until_; // the scheduler thinks until then
  DecisionBound bound_;
  bool begun_ = false;
  bool ended_ = false;
  bool told_last_ = false;
  int first_pending_ = 0;
  std::vector<Resource> resources_;
  std::vector<bool> up_; // by machine, as the scheduler knows it
  std::unordered_map<int, Known> jobs_;
  std::unordered_map<int, int> attempts_;
  std::unordered_map<std::string, JobId> by_name_;
  std::vector<Happened> happened_; // not told yet
  std::vector<std::vector<std::string>> kills_;
  std::unordered_map<std::string, double> progress_; // of killed jobs
  std::vector<Later> later_;
  std::priority_queue<Instant, std::vector<Instant>, std::greater<>> calls_;
};

TY_REGISTER(QueuePolicy, Batsim, "batsim", "a scheduler outside decides, over Batsim's protocol (ZeroMQ)");

} // namespace
} // namespace trainyard
