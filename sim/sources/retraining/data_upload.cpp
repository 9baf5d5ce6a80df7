// SPDX-License-Identifier: Apache-2.0
// The upload of the data to object storage, and how the service learns that they have arrived.
#include "sim/sources/retraining/environment_run.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::task_environment {

constexpr Sentence<Figure> data{"retraining.data", "{bytes} of data"};
constexpr Sentence<Figure, std::int64_t> data_in_parts{"retraining.data_in_parts", "{bytes} of data in {parts} parts"};
constexpr Sentence<> wrong_checksum{"retraining.wrong_checksum", "wrong checksum: the data are sent again"};
constexpr Sentence<> data_arrived{"retraining.data_arrived", "checksum correct: the data have arrived"};
constexpr Sentence<> first_part_arrived{"retraining.first_part_arrived",
                                        "checksum correct: the first part has arrived"};

void EnvironmentRun::begin_upload(int id)
{
  move_to(id, Segment::upload);
  for (int part = spec(id).parts; part > 0; --part)
    live(id).to_send.push_back(part);
  send_next(id);
}

void EnvironmentRun::send_next(int id)
{
  Live& one = live(id);
  if (one.sending || one.to_send.empty())
    return;
  const int part = one.to_send.back();
  one.to_send.pop_back();
  one.sending_part = part;
  ++request(id).uploads;
  const int parts = spec(id).parts;
  if (parts == 1 || part == 1)
    log(id, service, storage,
        parts == 1 ? data({spec(id).data.value(), to_text(spec(id).data)})
                   : data_in_parts({spec(id).data.value(), to_text(spec(id).data)}, parts));
  one.sending = upload_.start(spec(id).data * (1.0 / parts), section_.upload_per_model, [this, id] { sent(id); });
}

void EnvironmentRun::sent(int id)
{
  Live& one = live(id);
  one.sending.reset();
  const int part = one.sending_part;
  const bool wrong = section_.corruption > 0 && one.checksums.uniform() < section_.corruption;
  if (!one.ready)
    move_to(id, Segment::confirm);
  confirm(id, part, wrong, loop_.now());
  send_next(id);
}

void EnvironmentRun::confirm(int id, int part, bool wrong, Instant from)
{
  const Instant period = section_.confirm.period;
  const Instant attempt =
      section_.confirm.by == "message" ? from : next_tick(from, request(id).need, live(id).confirm_phase, period);
  later(attempt, id, [this, id, part, wrong, period] {
    const Exchange exchange = channel_.exchange(live(id).messages);
    if (exchange.answered)
      return later(loop_.now() + exchange.time, id, [this, id, part, wrong] { confirmed(id, part, wrong); });
    // By polling the next look is at the next tick; a notification is repeated after the same time.
    const Instant again =
        section_.confirm.by == "message" ? std::max(period, exchange.time) : std::max(Instant{1}, exchange.time);
    confirm(id, part, wrong, loop_.now() + again);
  });
}

void EnvironmentRun::confirmed(int id, int part, bool wrong)
{
  Live& one = live(id);
  if (wrong) {
    ++request(id).wrong_checksums;
    log(id, storage, service, wrong_checksum());
    one.to_send.push_back(part);
    if (!one.ready && !one.sending)
      move_to(id, Segment::upload);
    return send_next(id);
  }
  ++one.parts_there;
  for (const int job : one.trainings)
    if (pool_.holds(job) && jobs_[static_cast<std::size_t>(job)].state == Job::State::training)
      pool_.feed(job, available(id));
  if (one.ready)
    return;
  one.ready = true;
  log(id, storage, service, spec(id).parts == 1 ? data_arrived() : first_part_arrived());
  move_to(id, Segment::queue);
  submit_or_wait(id);
}

double EnvironmentRun::available(int id)
{
  const int parts = spec(id).parts, there = live(id).parts_there;
  return there >= parts ? 1 : static_cast<double>(there) / parts / std::max(1.0, spec(id).passes);
}

} // namespace trainyard::task_environment
