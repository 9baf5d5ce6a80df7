// SPDX-License-Identifier: Apache-2.0
// Trainings as jobs of the cluster's queue: its policy decides when and where they run, and whether they are stopped.
#include "sim/sources/retraining/environment_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::task_environment {

constexpr Sentence<> never_runs{"retraining.never_runs", "the queue can never run it"};
constexpr Sentence<> hit_and_waits{"retraining.hit_and_waits", "the training is hit by a failure: it waits again"};
constexpr Sentence<> preempted_and_waits{"retraining.preempted_and_waits", "the training is preempted: it waits again"};

void EnvironmentRun::send(int job)
{
  const int id = jobs_[static_cast<std::size_t>(job)].request;
  const int model = request(id).model, trainings = request(id).trainings;
  const double usual = rates_.packed_duration(model);
  SentJob sent{.name = trainings > 1 ? fmt::format("{}/{}", name(id), trainings) : name(id),
               .model = rates_.job_name(model),
               .user = "retraining",
               .team = spec(id).team,
               .gpus = rates_.gpus(model),
               .priority = spec(id).priority,
               .work = Seconds{usual * stretch(id)},
               .estimate = Seconds{usual},
               .withheld = {},
               .checkpoint_interval = {}};
  if (is_finite(spec(id).checkpoint_interval))
    sent.checkpoint_interval = spec(id).checkpoint_interval;
  pool_.send(job, model, std::move(sent), live(id).checkpointed, available(id));
}

/// What the queue has done with trainings.
void EnvironmentRun::read_news()
{
  for (const TrainingPool::News& news : pool_.news()) {
    const int job = news.training;
    const Job& one = jobs_[static_cast<std::size_t>(job)];
    if (one.state == Job::State::over)
      continue; // it was taken back meanwhile
    switch (news.what.what) {
    case JobNews::What::started:
      pool_.began(job, news.what.held);
      began(job);
      break;
    case JobNews::What::preempted:
    case JobNews::What::failed:
      if (news.what.what == JobNews::What::failed)
        request(one.request).redone_gpu_seconds += news.what.undone.value() * pool_.work(job).held.gpus;
      stopped(job, news.what.what == JobNews::What::failed);
      break;
    case JobNews::What::worked:
      if (request(one.request).segment == Segment::train)
        request(one.request).input_wait += news.what.stalled;
      trained(job);
      break;
    case JobNews::What::refused:
      finish(one.request, RequestEnd::impossible, never_runs());
      break;
    }
  }
}

/// It has lost its GPUs and waits in the queue again, whatever it did there.
void EnvironmentRun::stopped(int job, bool by_failure)
{
  Job& one = jobs_[static_cast<std::size_t>(job)];
  const int id = one.request;
  if (one.failure)
    loop_.cancel(*one.failure);
  one.failure.reset();
  if (one.saving)
    save_.stop(*one.saving);
  one.saving.reset();
  end_stay(job);
  pool_.lost(job);
  one.state = Job::State::waiting;
  waiting_.push_back(job);
  sample();
  log(id, cluster, queue_actor, by_failure ? hit_and_waits() : preempted_and_waits());
  const bool another = std::ranges::any_of(live(id).trainings, [&](int other) { return pool_.holds(other); });
  if (!another && (request(id).segment == Segment::train || request(id).segment == Segment::save))
    move_to(id, Segment::queue);
}

} // namespace trainyard::task_environment
