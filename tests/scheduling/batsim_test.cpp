// SPDX-License-Identifier: Apache-2.0
// Schedulers of Batsim's protocol: small ones in a thread of their own answer over a real ZeroMQ socket.
#include "sim/sources/queue/policies/batsim_socket.hpp"
#include "tests/support/random_workload.hpp"

#include "sim/sources/queue/scheduling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#ifdef TRAINYARD_ZMQ
#include <zmq.hpp>
#endif

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace trainyard {
namespace {

TEST(ResourceSet, IsReadInEveryFormAndWrittenInOne)
{
  EXPECT_EQ(resource_set("0-3 5", 8), (std::vector<int>{0, 1, 2, 3, 5}));
  EXPECT_EQ(resource_set("5 2-2 7 1-3", 8), (std::vector<int>{1, 2, 3, 5, 7})); // the example of Batsim's page
  EXPECT_EQ(resource_set("", 8), std::vector<int>{});
  EXPECT_EQ(resource_text({0, 1, 2, 3, 5, 7, 8}), "0-3 5 7-8");
  EXPECT_EQ(resource_text({}), "");
}

TEST(ResourceSet, RefusesWhatIsNone)
{
  for (const char* text : {"a", "1-", "-1", "3-1", "1,2", "1.5", "8"})
    EXPECT_THROW(resource_set(text, 8), std::invalid_argument) << text;
}

#ifdef TRAINYARD_ZMQ

using Json = nlohmann::json;

Json event_of(double time, const char* type, Json data)
{
  return {{"timestamp", time}, {"type", type}, {"data", std::move(data)}};
}

/// Answers every message by a function from its events to events of the answer, until the simulation ends.
class SchedulerThread
{
public:
  using Answer = std::function<Json(double now, const Json& events)>;

  explicit SchedulerThread(Answer answer) : answer_{std::move(answer)}
  {
    socket_.set(zmq::sockopt::rcvtimeo, 50);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.bind("tcp://127.0.0.1:*");
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~SchedulerThread()
  {
    stop_ = true;
    thread_.join();
  }
  SchedulerThread(const SchedulerThread&) = delete;
  SchedulerThread& operator=(const SchedulerThread&) = delete;

  std::unique_ptr<QueuePolicy> policy(double first_time) const
  {
    Settings settings;
    settings.set("first_time", first_time);
    settings.set("endpoint", endpoint_);
    return Registry<QueuePolicy>::instance().create("batsim", settings);
  }
  /// All events but SIMULATION_BEGINS, as "time TYPE job": to be read when the run is over.
  const std::vector<std::string>& heard() const { return heard_; }
  bool ended() const { return ended_; }

private:
  void serve()
  {
    while (!stop_) {
      zmq::message_t message;
      if (!socket_.recv(message))
        continue;
      const Json request = Json::parse(message.to_string());
      const double now = request.at("now");
      for (const Json& one : request.at("events")) {
        const std::string type = one.at("type");
        ended_ = ended_ || type == "SIMULATION_ENDS";
        if (type == "SIMULATION_BEGINS")
          continue;
        const Json& data = one.at("data");
        std::string text = std::to_string(std::lround(double{one.at("timestamp")})) + " " + type;
        for (const char* key : {"job_id", "job_state", "job_ids", "alloc", "type", "resources"})
          if (data.contains(key))
            text += " " + (data[key].is_string() ? data[key].get<std::string>() : data[key].dump());
        heard_.push_back(text);
      }
      const Json events = answer_(now, request.at("events"));
      const std::string answer = events.is_string() ? events.get<std::string>() // all of it
                                                    : Json{{"now", now}, {"events", events}}.dump();
      socket_.send(zmq::buffer(answer), zmq::send_flags::none);
    }
  }

  Answer answer_;
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::rep};
  std::string endpoint_;
  std::vector<std::string> heard_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

/// First in, first out, on the lowest free resources.
class OutsideFifo
{
public:
  Json operator()(double now, const Json& events)
  {
    for (const Json& one : events) {
      const std::string type = one.at("type");
      const Json& data = one.at("data");
      if (type == "SIMULATION_BEGINS")
        for (int i = 0; i < data.at("nb_compute_resources"); ++i)
          free_.insert(i);
      if (type == "JOB_SUBMITTED")
        queue_.emplace_back(data.at("job_id"), data.at("job").at("res"));
      if (type == "JOB_COMPLETED") {
        const auto ended = held_.extract(data.at("job_id").get<std::string>());
        for (const int resource : ended.mapped())
          if (!down_.contains(resource))
            free_.insert(resource);
      }
      if (type == "NOTIFY" && data.at("type") != "no_more_static_job_to_submit") {
        const bool up = data.at("type") == "event_machine_available";
        for (const int resource : resource_set(data.at("resources").get<std::string>(), 1000)) {
          (up ? free_ : down_).insert(resource);
          (up ? down_ : free_).erase(resource);
        }
      }
    }
    Json answer = Json::array();
    while (!queue_.empty() && queue_.front().second <= static_cast<int>(free_.size())) {
      const auto [id, count] = queue_.front();
      queue_.pop_front();
      const auto last = std::next(free_.begin(), count);
      held_[id] = {free_.begin(), last};
      free_.erase(free_.begin(), last);
      answer.push_back(event_of(now, "EXECUTE_JOB", {{"job_id", id}, {"alloc", resource_text(held_[id])}}));
    }
    return answer;
  }

private:
  std::set<int> free_, down_;
  std::deque<std::pair<std::string, int>> queue_;
  std::map<std::string, std::vector<int>> held_;
};

TraceJob gang(double submit, double duration, int gpus)
{
  TraceJob job;
  job.submit = Seconds{submit};
  job.duration = job.estimate = Seconds{duration};
  job.gpus = gpus;
  return job;
}

SchedulingResult run_outside(const SchedulerThread& scheduler, const Workload& workload, const ClusterShape& shape,
                             const SchedulingOptions& options = {}, double first_time = 0)
{
  const auto policy = scheduler.policy(first_time);
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  return simulate_queue(workload, shape, *policy, shape.counted() ? nullptr : placement.get(), options);
}

TEST(Batsim, FifoOutsideIsOurFifo)
{
  for (const bool machines : {false, true}) { // and another clock
    const Workload workload = tests::random_workload(3, {.jobs = 300, .mean_gap = 60});
    const ClusterShape shape = machines ? ClusterShape::machines(4, 4) : ClusterShape::pool(16);
    const SchedulerThread scheduler{OutsideFifo{}};
    const SchedulingResult outside = run_outside(scheduler, workload, shape, {}, machines ? 0.7 : 0);
    EXPECT_TRUE(scheduler.ended());
    const auto fifo = Registry<QueuePolicy>::instance().create("fifo");
    const SchedulingResult own = simulate_queue(workload, ClusterShape::pool(16), *fifo);
    ASSERT_EQ(outside.finished, 300);
    EXPECT_GT(own.mean_wait, Seconds{60}); // they do wait
    for (std::size_t i = 0; i < own.jobs.size(); ++i)
      ASSERT_EQ(outside.jobs[i].first_start, own.jobs[i].first_start) << i;
  }
}

/// Takes machine 0 away at 10 s and gives it back at 20 s.
class OneOutage final : public ClusterEvents
{
public:
  std::optional<Instant> next() const override
  {
    return done_ < 2 ? std::optional<Instant>{Seconds{10.0 * (done_ + 1)}} : std::nullopt;
  }
  void fire(ClusterControl& control) override { control.set_node(0, ++done_ == 2); }

private:
  int done_ = 0;
};

TEST(Batsim, AMachineThatFailsIsToldAndItsJobComesBack)
{
  // Two machines of 4 GPUs. The job runs on the first, which fails at 10 s; its work is lost, it starts again on the
  // second at once and needs 100 s.
  const SchedulerThread scheduler{OutsideFifo{}};
  OneOutage outage;
  const SchedulingResult result =
      run_outside(scheduler, {.jobs = {gang(0, 100, 4)}}, ClusterShape::machines(2, 4), {.events = &outage});
  EXPECT_EQ(result.jobs[0].end, Seconds{110});
  EXPECT_EQ(result.jobs[0].failures, 1);
  EXPECT_THAT(scheduler.heard(),
              testing::ElementsAre(
                  "0 JOB_SUBMITTED trainyard!0", "0 NOTIFY no_more_static_job_to_submit",
                  "10 NOTIFY event_machine_unavailable 0-3", "10 JOB_COMPLETED trainyard!0 COMPLETED_FAILED 0-3",
                  "10 JOB_SUBMITTED trainyard!0#1", "20 NOTIFY event_machine_available 0-3",
                  "110 JOB_COMPLETED trainyard!0#1 COMPLETED_SUCCESSFULLY 4-7", "110 SIMULATION_ENDS"));
}

TEST(Batsim, JobsAreRejectedAndKilledAndCallsComeAtTheirTime)
{
  // Of 4 GPUs, job 0 (100 s) starts at once, is killed at the call at 30 s, and job 2 starts in its place; job 1 is
  // rejected. Job 2 runs 30-80.
  const SchedulerThread scheduler{[](double now, const Json& events) {
    Json answer = Json::array();
    for (const Json& one : events) {
      const std::string type = one.at("type");
      if (type == "JOB_SUBMITTED" && one.at("data").at("job_id") == "trainyard!0") {
        answer.push_back(event_of(now, "EXECUTE_JOB", {{"job_id", "trainyard!0"}, {"alloc", "0-3"}}));
        answer.push_back(event_of(now, "CALL_ME_LATER", {{"timestamp", 30}}));
      }
      if (type == "JOB_SUBMITTED" && one.at("data").at("job_id") == "trainyard!1")
        answer.push_back(event_of(now, "REJECT_JOB", {{"job_id", "trainyard!1"}}));
      if (type == "REQUESTED_CALL")
        answer.push_back(event_of(now, "KILL_JOB", {{"job_ids", {"trainyard!0"}}}));
      if (type == "JOB_KILLED") {
        EXPECT_DOUBLE_EQ(one.at("data").at("job_progress").at("trainyard!0").at("progress"), 0.3);
        answer.push_back(event_of(now, "EXECUTE_JOB", {{"job_id", "trainyard!2"}, {"alloc", "0-3"}}));
      }
    }
    return answer;
  }};
  const SchedulingResult result =
      run_outside(scheduler, {.jobs = {gang(0, 100, 4), gang(1, 100, 4), gang(2, 50, 4)}}, ClusterShape::pool(4));
  EXPECT_EQ(result.jobs[0].phase, JobPhase::withdrawn);
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{120}); // 4 GPUs for 30 s
  EXPECT_EQ(result.jobs[1].phase, JobPhase::withdrawn);
  EXPECT_EQ(result.jobs[2].first_start, Seconds{30});
  EXPECT_EQ(result.jobs[2].end, Seconds{80});
  EXPECT_THAT(scheduler.heard(),
              testing::IsSupersetOf({"30 REQUESTED_CALL", "30 JOB_COMPLETED trainyard!0 COMPLETED_KILLED 0-3",
                                     "30 JOB_KILLED [\"trainyard!0\"]", "80 SIMULATION_ENDS"}));
}

TEST(Batsim, AJobOverItsWalltimeIsToldAsSuch)
{
  Workload workload{.jobs = {gang(0, 100, 4)}};
  workload.jobs[0].estimate = Seconds{40};
  const SchedulerThread scheduler{OutsideFifo{}};
  run_outside(scheduler, workload, ClusterShape::pool(4), {.kill_at_estimate = true});
  EXPECT_THAT(scheduler.heard(), testing::Contains("40 JOB_COMPLETED trainyard!0 COMPLETED_WALLTIME_REACHED 0-3"));
}

/// What the user reads when a scheduler answers the submission of job 0 (4 of 8 GPUs, in machines of 4) like this.
std::string fault_of(const Json& event)
{
  const SchedulerThread scheduler{[&](double, const Json& events) {
    return events.front().at("type") == "JOB_SUBMITTED" ? Json::array({event, event}) : Json::array();
  }};
  try {
    run_outside(scheduler, {.jobs = {gang(0, 100, 4)}}, ClusterShape::machines(2, 4));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Batsim, ADecisionThatBreaksTheRulesIsToldWithItsReason)
{
  using testing::HasSubstr;
  EXPECT_THAT(fault_of(event_of(0, "EXECUTE_JOB", {{"job_id", "x"}, {"alloc", "0-3"}})),
              HasSubstr("broke the rules of Batsim's protocol at 0 s: there is no job 'x': {"));
  EXPECT_THAT(fault_of(event_of(0, "EXECUTE_JOB", {{"job_id", "trainyard!0"}, {"alloc", "0-2"}})),
              HasSubstr("it was given 3 GPUs, but needs 4"));
  EXPECT_THAT(fault_of(event_of(0, "EXECUTE_JOB", {{"job_id", "trainyard!0"}, {"alloc", "5-8"}})),
              HasSubstr("there is no resource 8; the last is 7"));
  EXPECT_THAT(fault_of(event_of(0, "EXECUTE_JOB", {{"job_id", "trainyard!0"}, {"alloc", "0-3"}})),
              HasSubstr("the job does not wait")); // the second time
  EXPECT_THAT(fault_of(event_of(0, "REGISTER_JOB", Json::object())), HasSubstr("this event is not understood"));
  EXPECT_THAT(fault_of(event_of(5, "CALL_ME_LATER", {{"timestamp", 9}})),
              HasSubstr("an event of its answer is later than the answer"));
}

/// What the user reads when a scheduler answers everything like this.
std::string fault_of_answers(const SchedulerThread::Answer& answer)
{
  const SchedulerThread scheduler{answer};
  try {
    run_outside(scheduler, {.jobs = {gang(0, 100, 4)}}, ClusterShape::machines(2, 4));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Batsim, ASchedulerThatAsksToBeCalledNowForEverIsGivenUp)
{
  std::atomic<int> calls = 0;
  const std::string fault = fault_of_answers([&](double now, const Json&) {
    ++calls;
    return Json::array({event_of(now, "CALL_ME_LATER", {{"timestamp", now}})});
  });
  EXPECT_THAT(fault, testing::HasSubstr("broke the rules of Batsim's protocol at 0 s: no progress: it asked for 10011 "
                                        "decisions in a row that changed nothing, from 0"));
  EXPECT_LT(calls, 10'100);
}

TEST(Batsim, ACallBeyondTheClockIsToldAsSuch)
{
  const auto fault = [](double time) {
    return fault_of_answers([=](double now, const Json&) {
      return Json::array({event_of(now, "CALL_ME_LATER", {{"timestamp", time}})});
    });
  };
  EXPECT_THAT(fault(1e300), testing::HasSubstr("times beyond 73 years are not simulated"));
  EXPECT_THAT(fault(-5), testing::HasSubstr("the time of the call has passed"));
}

TEST(Batsim, AnswersThatAreNoneAreToldAndNeverCrash)
{
  using testing::HasSubstr;
  const auto fault = [](const std::string& text) {
    return fault_of_answers([=](double, const Json&) { return text; });
  };
  EXPECT_THAT(fault(std::string(100'000, '[')), HasSubstr("its answer is nested deeper than 64 levels"));
  const std::string nested = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(fault(R"({"now": 0, "events": [{"timestamp": 0, "type": "NOTIFY", "data": )" + nested + "}]}"),
              HasSubstr("its answer is nested deeper than 64 levels"));
  EXPECT_THAT(fault("\xff\xfe garbage"), HasSubstr("its answer is no JSON object with 'now' and 'events'"));
  EXPECT_THAT(fault(R"({"now": -5, "events": []})"), HasSubstr("its time goes back"));
  EXPECT_THAT(fault(R"({"now": 1e300, "events": []})"), HasSubstr("times beyond 73 years are not simulated"));
  EXPECT_THAT(fault(std::string(70'000'000, ' ')), HasSubstr("its answer has 70 MB, at most 64 MB are read"));
}

TEST(Batsim, GpusInUseAreNotGivenTwice)
{
  const SchedulerThread scheduler{[](double now, const Json& events) {
    Json answer = Json::array();
    for (const Json& one : events)
      if (one.at("type") == "JOB_SUBMITTED")
        answer.push_back(event_of(now, "EXECUTE_JOB", {{"job_id", one.at("data").at("job_id")}, {"alloc", "0-3"}}));
    return answer;
  }};
  try {
    run_outside(scheduler, {.jobs = {gang(0, 100, 4), gang(1, 100, 4)}}, ClusterShape::machines(2, 4));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("at 1 s: resource 0 is in use by trainyard!0"));
  }
}

TEST(Batsim, ASchedulerThatIsNotThereIsToldAfterTheTimeout)
{
  Settings settings;
  settings.set("endpoint", std::string{"ipc:///nonexistent/trainyard"});
  settings.set("timeout", 0.05);
  const auto policy = Registry<QueuePolicy>::instance().create("batsim", settings);
  try {
    simulate_queue({.jobs = {gang(0, 1, 1)}}, ClusterShape::pool(4), *policy);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no scheduler of Batsim's protocol answers at ipc:///nonexistent/"
                                                 "trainyard within 50 ms; start it first"));
  }
}

#else

TEST(Batsim, FifoOutsideIsOurFifo)
{
  GTEST_SKIP() << "part batsim: libzmq3-dev or cppzmq-dev was not found";
}

#endif

} // namespace
} // namespace trainyard
