// SPDX-License-Identifier: Apache-2.0
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/picture.hpp"
#include "sim/study/replay.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace trainyard {
namespace {

std::string hours(double seconds)
{
  return fmt::format("{:.2f}", seconds / 3600);
}

using Count = std::int64_t;

constexpr Sentence<std::string, Count, Count> the_log{"replay.log",
                                                      "{log}: {jobs} jobs with a recorded wait on {gpus} GPUs"};
constexpr Sentence<> what_it_shows{"replay.shows", "what the log shows"};
constexpr Sentence<Figure> had_room{"replay.had_room", "jobs that waited had room in {share} of their waiting hours: "
                                                       "the more, the less a queue alone explains"};
constexpr Sentence<Figure> replay_has_room{"replay.replay_has_room",
                                           "in the run of scenario.yaml they have it in {share}"};
constexpr Sentence<> first_half_best{"replay.first_half", "what explains the first half best"};
constexpr Sentence<> last_weeks_best{"replay.last_weeks", "what explains the last weeks best"};
constexpr Sentence<std::string, Figure, Figure> the_model{"replay.model",
                                                          "{policy} on {usable} of the machine, {last_week} last week"};
constexpr Sentence<Message, Figure> with_error{"replay.with_error", "{model}: weekly error {error}"};
constexpr Sentence<Count, Count> second_half_is{
    "replay.second_half",
    "the second half, {jobs} jobs in {weeks} weeks, each predicted by what explains the weeks before it"};
constexpr Sentence<> weekly_error_is{
    "replay.weekly_error",
    "weekly error: sum over the weeks of the difference between predicted and recorded waiting, over all that was "
    "recorded; each week is replayed from the record's state at its beginning"};
constexpr Sentence<> mean_waits{"replay.mean_waits", "mean waits in the second half"};
constexpr Sentence<> most_wrong{"replay.most_wrong", "the weeks that go most wrong"};
constexpr Sentence<Figure> intervals_hold{"replay.intervals_hold",
                                          "80 % intervals of weekly means hold {share} of the weeks"};
constexpr Sentence<> bounds_are{"replay.bounds",
                                "bounds that nine jobs of ten should start within, from what had started before"};
constexpr Sentence<> time_after{"replay.time_after", "the time after the log, for work like the last four weeks'"};
constexpr Sentence<Figure, Figure, Figure, Messages> replay_answer{
    "replay.answer", "answer: the prediction's weekly error is {error}, that of last week's mean {other}; its mean "
                     "wait is {times} times the recorded one{but}"};
constexpr Sentence<> too_few_jobs{"replay.too_few_jobs", ". So few jobs are too few to judge by"};
constexpr Sentence<> nobody_waited{"replay.nobody_waited",
                                   ". Nobody waited in the second half: there are no waits to be near to"};
constexpr Sentence<> last_week_is_better{
    "replay.last_week_is_better",
    ". Last week's mean is the better guess here: what makes jobs wait is not in the log"};

constexpr Sentence<std::string, Count> what_if_is{
    "replay.what_if",
    "what if {change}: the second half under scenario.yaml and under the changed one, {weeks} weeks resampled"};
constexpr Sentence<std::string, Figure, Figure, Figure, Figure, Messages> what_if_answer{
    "replay.what_if_answer", "{change}: mean wait {difference} h ({low} to {high} h); the unchanged run's mean is "
                             "{times} times the recorded one{but}"};
constexpr Sentence<Figure> not_shown{
    "replay.not_shown", ". This is less than the replay's own error of {error} h, or may be chance: this log "
                        "cannot show the change"};
constexpr Sentence<Figure> falls_too_far{
    "replay.falls_too_far", ". A wait cannot fall by more than the {recorded} h that was recorded: the unchanged run "
                            "waits too long, and this log cannot show the change"};
constexpr Sentence<Count> never_start{"replay.never_start", "; {jobs|job starts|jobs start} under only one of both"};
constexpr Sentence<> users_stay{"replay.users_stay",
                                "the same jobs come at the same times: users who react to other waits do not"};
constexpr Sentence<std::string, Count> starts_are{
    "replay.starts", "if you submit this job now: {job} in the queue as it stands, behind {jobs|job|jobs}"};
constexpr Sentence<std::string, std::string, std::string> start_answer{
    "replay.start_answer", "it starts after {p50} from now, with 80 % after {low} to {high}"};
constexpr Sentence<std::string> assumed_of_queue{"replay.assumed_of_queue", "assumed: {what}"};

Figure signed_hours(double seconds)
{
  return {seconds / 3600, fmt::format("{:+.2f}", seconds / 3600)};
}

/// Hours, or that it is later than what is simulated.
std::string hours_from_now(double seconds)
{
  return std::isfinite(seconds) ? hours(seconds) + " h" : "more than 8 weeks";
}

Figure two_decimals(double value)
{
  return {value, std::isnan(value) ? "-" : fmt::format("{:.2f}", value)};
}

Figure whole_percent(double share)
{
  return {share, fmt::format("{:.0f} %", 100 * share)};
}

Message model_of(const ReplayModel& model)
{
  return the_model(model.policy + (model.site.user_limits.empty() ? "" : " with the limits of users"),
                   whole_percent(model.usable), whole_percent(model.last_week));
}

/// A row of the table of predictors, in the order of its columns.
std::vector<TableCell> error_row(const std::string& name, const ReplayError& error)
{
  std::vector<TableCell> row = {name};
  for (const double wait : {error.mean, error.real_mean})
    row.emplace_back(hours(wait));
  row.emplace_back(two_decimals(error.bias()).text);
  for (const double wait : {error.median, error.real_median, error.p90, error.real_p90, error.p95, error.real_p95})
    row.emplace_back(hours(wait));
  for (const double value : {error.week, error.cls, error.rank})
    row.emplace_back(two_decimals(value).text);
  return row;
}

void tell_weeks(const Replay& replay, Telling& told)
{
  std::vector<const ReplayWeek*> wrong;
  for (const ReplayWeek& week : replay.weeks)
    if (week.second_half)
      wrong.push_back(&week);
  std::ranges::stable_sort(wrong, std::ranges::greater{},
                           [](const ReplayWeek* week) { return week->jobs * std::abs(week->predicted - week->real); });
  wrong.resize(std::min<std::size_t>(wrong.size(), 5));
  TableRows rows;
  for (const ReplayWeek* week : wrong)
    rows.push_back({fmt::to_string(week->number), fmt::to_string(week->jobs), hours(week->real), hours(week->predicted),
                    hours(week->last_week), week->note});
  told.heading(most_wrong(), "\n");
  told.table({{"week"}, {"jobs"}, {"real h"}, {"predicted h"}, {"last week h"}, {"the log shows", false}},
             std::move(rows));
}

void tell_what_if(const Replay& replay, Telling& told)
{
  for (const WhatIf& one : replay.what_if) {
    TableRows rows;
    for (const WhatIf::Figure& figure : one.figures)
      rows.push_back({figure.name, fmt::to_string(figure.jobs), hours(figure.real), hours(figure.before),
                      hours(figure.after), signed_hours(figure.after - figure.before).text,
                      &figure - one.figures.data() < 2
                          ? fmt::format("{} to {}", signed_hours(figure.low).text, signed_hours(figure.high).text)
                          : ""});
    told.heading(what_if_is(one.change, Count{one.weeks}), "\n");
    told.table({{"wait", false}, {"jobs"}, {"recorded h"}, {"replayed h"}, {"changed h"}, {"difference h"}, {"80 %"}},
               std::move(rows));
  }
}

void answer_what_if(const Replay& replay, Telling& told)
{
  for (const WhatIf& one : replay.what_if) {
    const WhatIf::Figure& mean = one.figures.front();
    Messages but;
    if (one.never > 0)
      but.push_back(never_start(Count{one.never}));
    if (mean.before - mean.after > mean.real)
      but.push_back(falls_too_far({mean.real / 3600, hours(mean.real)}));
    else if (!one.shown)
      but.push_back(not_shown({std::abs(mean.before - mean.real) / 3600, hours(std::abs(mean.before - mean.real))}));
    told.answer(what_if_answer(one.change, signed_hours(mean.after - mean.before), signed_hours(mean.low),
                               signed_hours(mean.high),
                               two_decimals(mean.real > 0 ? mean.before / mean.real : std::nan("")), but),
                "\n");
  }
  if (!replay.what_if.empty())
    told.line(users_stay());
}

void tell_starts(const Replay& replay, Telling& told)
{
  constexpr std::size_t most_listed = 10;
  TableRows rows;
  for (const StartForecast& one : replay.starts)
    if (rows.size() <= most_listed)
      rows.push_back({one.name, fmt::to_string(one.gpus), one.limit > 0 ? hours(one.limit) : "",
                      hours_from_now(one.p50), hours_from_now(one.low), hours_from_now(one.high)});
  const StartForecast& job = replay.starts.front();
  Count before = -1; // jobs, and tasks of arrays
  for (const StartForecast& one : replay.starts)
    before += one.tasks;
  told.heading(
      starts_are(fmt::format("{} GPUs{}", job.gpus, job.limit > 0 ? ", limit " + hours(job.limit) + " h" : ""), before),
      "\n");
  told.table({{"job", false}, {"GPUs"}, {"limit h"}, {"p50"}, {"80 % from"}, {"to"}}, std::move(rows));
  for (const std::string& what : replay.of_queue)
    told.line(assumed_of_queue(what));
  told.answer(start_answer(hours_from_now(job.p50), hours_from_now(job.low), hours_from_now(job.high)), "\n");
}

} // namespace

Telling replay_told(const RecordedQueue& log, const Replay& replay, const std::string& name)
{
  Telling told;
  const ReplayError& error = replay.second_half.front().second;
  told.say(the_log(name, std::ssize(log.waits), Count{log.gpus}));
  told.heading(what_it_shows(), "\n");
  told.line(had_room(whole_percent(replay.room_share)));
  if (!replay.scenario.empty())
    told.line(replay_has_room(whole_percent(replay.replay_room_share)));
  for (const LogFinding& finding : replay.findings)
    told.line(plain(MessageKind::part, finding.what + ": " + finding.evidence));
  told.heading(first_half_best(), "\n");
  for (const ReplayModel& model : replay.chosen)
    told.line(with_error(model_of(model), two_decimals(model.error)));
  told.heading(last_weeks_best());
  for (const ReplayModel& model : replay.latest)
    told.line(model_of(model));
  told.heading(second_half_is(Count{error.jobs}, Count{error.weeks}), "\n");
  std::vector<Column> columns = {{"predictor", false}};
  for (const char* title : {"mean h", "real", "ratio", "median h", "real", "p90 h", "real", "p95 h", "real",
                            "weekly error", "class error", "rank"})
    columns.push_back({title});
  TableRows rows;
  for (const auto& [who, one] : replay.second_half)
    rows.push_back(error_row(who, one));
  told.table(std::move(columns), std::exchange(rows, {}));
  told.say(weekly_error_is());
  for (const ReplayGroup& group : replay.groups)
    rows.push_back({group.by, group.name, fmt::to_string(group.jobs), hours(group.real), hours(group.predicted),
                    hours(group.last_week)});
  told.heading(mean_waits(), "\n");
  told.table({{"by", false}, {"", false}, {"jobs"}, {"real h"}, {"predicted h"}, {"last week h"}},
             std::exchange(rows, {}));
  tell_weeks(replay, told);
  if (replay.held >= 0)
    told.line(intervals_hold(whole_percent(replay.held)), "\n");
  for (const WaitBound& one : replay.bounds)
    rows.push_back(
        {one.name, fmt::to_string(one.jobs), whole_percent(one.held).text, hours(one.median), hours(one.mean)});
  if (!rows.empty())
    told.heading(bounds_are(), "\n");
  told.table({{"by", false}, {"jobs"}, {"start within"}, {"median h"}, {"mean h"}}, std::exchange(rows, {}));
  for (const ReplayForecast& one : replay.forecast)
    rows.push_back({one.name, fmt::to_string(one.jobs), hours(one.p50), hours(one.p90), hours(one.last_week_p50)});
  if (!rows.empty())
    told.heading(time_after(), "\n");
  told.table({{"class", false}, {"jobs"}, {"p50 h"}, {"p90 h"}, {"last week p50 h"}}, std::move(rows));
  tell_what_if(replay, told);
  const double other =
      std::ranges::find(replay.second_half, "last week, same class", &std::pair<std::string, ReplayError>::first)
          ->second.week;
  told.answer(replay_answer(two_decimals(error.week), two_decimals(other), two_decimals(error.bias()),
                            std::isnan(error.week) ? Messages{nobody_waited()}
                            : error.jobs < 100     ? Messages{too_few_jobs()}
                            : error.week > other   ? Messages{last_week_is_better()}
                                                   : Messages{}),
              "\n");
  answer_what_if(replay, told);
  if (!replay.starts.empty())
    tell_starts(replay, told);
  return told;
}

namespace {

std::optional<double> within_reach(double time)
{
  return std::isfinite(time) ? std::optional{time} : std::nullopt;
}

const std::vector<ResultColumn<StartForecast>>& start_columns()
{
  static const std::vector<ResultColumn<StartForecast>> columns = {
      {"job", &StartForecast::name, "", "the submitted one first"},
      {"gpus", +[](const StartForecast& r) { return long{r.gpus}; }, "", "GPUs that it asks for"},
      {"limit_s", &StartForecast::limit, "s", "time that it asks for"},
      {"p50_s", +[](const StartForecast& r) { return within_reach(r.p50); }, "s", "from now to its start"},
      {"low_s", +[](const StartForecast& r) { return within_reach(r.low); }, "s", "lower end of its 80 % interval"},
      {"high_s", +[](const StartForecast& r) { return within_reach(r.high); }, "s", "upper end"},
  };
  return columns;
}

} // namespace

nlohmann::ordered_json replay_json(const Replay& replay)
{
  using Row = std::pair<std::string, ReplayError>;
  static const std::vector<ResultColumn<Row>> columns = {
      {"jobs", +[](const Row& r) { return long{r.second.jobs}; }, "", "predicted"},
      {"mean_s", +[](const Row& r) { return r.second.mean; }, "s", "mean wait that is predicted"},
      {"recorded_mean_s", +[](const Row& r) { return r.second.real_mean; }, "s", "that of the log"},
      {"weekly_error", +[](const Row& r) { return r.second.week; }, "", "of the sums of weeks, as a share"},
      {"class_error", +[](const Row& r) { return r.second.cls; }, "", "of the sums of classes, as a share"},
      {"rank", +[](const Row& r) { return r.second.rank; }, "", "Spearman's correlation over jobs"},
  };
  nlohmann::ordered_json json = document_head("trainyard replay");
  json["question"] = "How near do predicted waits come to those of the log?";
  for (const auto& [half, errors] :
       {std::pair{"first_half", &replay.first_half}, std::pair{"second_half", &replay.second_half}})
    for (const Row& row : *errors)
      json[half][row.first] = row_json(columns, row);
  json.update({{"room_share", replay.room_share},
               {"replay_room_share", replay.replay_room_share},
               {"weeks_in_interval", to_json(replay.held >= 0 ? Value{replay.held} : Value{})},
               {"judged_weeks", replay.judged}});
  for (const WaitBound& one : replay.bounds)
    json["bounds"][one.name].update(
        {{"jobs", one.jobs}, {"start_within", one.held}, {"median_s", one.median}, {"mean_s", one.mean}});
  for (const WhatIf& one : replay.what_if) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const WhatIf::Figure& figure : one.figures) {
      figures.push_back({{"of", figure.name}, {"jobs", figure.jobs}});
      figures.back().update({{"recorded_s", figure.real}, {"replayed_s", figure.before}, {"changed_s", figure.after}});
      if (figures.size() <= 2) // mean and p90
        figures.back()["difference_80_percent_s"] = {figure.low, figure.high};
    }
    json["what_if"].push_back({{"change", one.change},
                               {"weeks", one.weeks},
                               {"never_start_under_one", one.never},
                               {"shown_by_this_log", one.shown},
                               {"figures", std::move(figures)}});
  }
  for (const StartForecast& one : replay.starts)
    json["starts"].push_back(row_json(start_columns(), one));
  return json;
}

std::string replay_jobs_csv(const RecordedQueue& log, const Replay& replay)
{
  struct Row {
    const RecordedQueue* log;
    const Replay* replay;
    std::size_t i;
    const TraceJob& job() const { return log->workload.jobs[i]; }
    static std::optional<double> known(double wait) { return wait < 0 ? std::nullopt : std::optional{wait}; }
  };
  const std::vector<ResultColumn<Row>> columns = {
      {"job", +[](const Row& r) { return r.log->workload.name(JobId{static_cast<int>(r.i)}); }, "", "its name"},
      {"user", +[](const Row& r) { return r.log->workload.users.name(r.job().user); }, "", "who submitted it"},
      {"queue", +[](const Row& r) { return r.log->workload.queues.name(r.job().queue); }, "", "queue of the log"},
      {"gpus", +[](const Row& r) { return long{r.job().gpus}; }, "", "GPUs that it asks for"},
      {"limit_s", +[](const Row& r) { return r.log->limits ? std::optional{r.job().estimate.value()} : std::nullopt; },
       "s", "time that its user asked for"},
      {"submit_s", +[](const Row& r) { return r.job().submit.value(); }, "s", "submission, since the first"},
      {"recorded_wait_s", +[](const Row& r) { return r.log->waits[r.i]; }, "s", "wait of the log"},
      {"predicted_wait_s", +[](const Row& r) { return Row::known(r.replay->predicted[r.i]); }, "s", "the prediction"},
      {"first_half_choice_s", +[](const Row& r) { return Row::known(r.replay->fixed[r.i]); }, "s",
       "that of the models that the first half alone chooses"},
      {"replay_wait_s", +[](const Row& r) { return Row::known(r.replay->replay[r.i]); }, "s",
       "its replays, without last week's means"},
      {"scenario_wait_s",
       +[](const Row& r) { return r.replay->scenario.empty() ? std::nullopt : Row::known(r.replay->scenario[r.i]); },
       "s", "that of scenario.yaml, one run"},
      {"last_week_s", +[](const Row& r) { return Row::known(r.replay->last_week[r.i]); }, "s",
       "mean of the same class, last week"},
      {"bound_s", +[](const Row& r) { return Row::known(r.replay->bound[r.i]); }, "s",
       "nine jobs of ten should start within it"},
      {"qbets_bound_s", +[](const Row& r) { return Row::known(r.replay->qbets[r.i]); }, "s", "the same by QBETS"},
      {"half",
       +[](const Row& r) -> std::string {
         return r.job().submit.value() < r.log->workload.jobs.back().submit.value() / 2 ? "first" : "second";
       },
       "", "of the log, that it was submitted in"},
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    rows.push_back({&log, &replay, i});
  const NumberText whole = [](double value) { return fmt::format("{:.0f}", value); };
  return csv_of(columns, rows, {whole, whole});
}

std::string replay_weeks_csv(const Replay& replay)
{
  using Row = ReplayWeek;
  const std::vector<ResultColumn<Row>> columns = {
      {"week", +[](const Row& r) { return long{r.number}; }, "", "since the first submission"},
      {"jobs", +[](const Row& r) { return long{r.jobs}; }, "", "submitted in it"},
      {"half", +[](const Row& r) -> std::string { return r.second_half ? "second" : "first"; }, "", "of the log"},
      {"recorded_mean_s", &Row::real, "s", "mean wait of the log"},
      {"predicted_mean_s", &Row::predicted, "s", "mean of the prediction"},
      {"low_s", +[](const Row& r) { return r.high > 0 ? std::optional{r.low} : std::nullopt; }, "s",
       "lower end of its 80 % interval"},
      {"high_s", +[](const Row& r) { return r.high > 0 ? std::optional{r.high} : std::nullopt; }, "s", "upper end"},
      {"last_week_mean_s", &Row::last_week, "s", "mean of last week's means of the same class"},
      {"replay_mean_s", &Row::replay, "s", "mean of the replays alone"},
      {"most_busy_gpus", +[](const Row& r) { return long{r.most_busy}; }, "", "GPUs held at once, at most"},
      {"note", &Row::note, "", "what the log shows"},
  };
  const NumberText tenths = [](double value) { return fmt::format("{:.1f}", value); };
  return csv_of(columns, replay.weeks, {tenths, tenths});
}

std::string standstills_csv(const Replay& replay)
{
  const std::vector<ResultColumn<Standstill>> columns = {
      {"from_s", &Standstill::from, "s", "no job starts from then on"},
      {"until_s", &Standstill::until, "s", "until then"},
      {"gpus_of_a_job_that_would_fit", &Standstill::gpus, "", "what the smallest of those that wait asks for"},
  };
  const NumberText whole = [](double value) { return fmt::format("{:.0f}", value); };
  return csv_of(columns, replay.standstills, {whole, whole});
}

std::string starts_csv(const Replay& replay)
{
  const NumberText whole = [](double value) { return fmt::format("{:.0f}", value); };
  return csv_of(start_columns(), replay.starts, {whole, whole});
}

bool plot_replay_jobs(const RecordedQueue& log, const Replay& replay, const std::string& name, const std::string& path)
{
  constexpr std::size_t most_points = 3000;
  constexpr double minute = 60;
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (replay.predicted[i] >= 0 && log.submit(i) >= log.submit(log.waits.size() - 1) / 2)
      points.emplace_back((log.waits[i] + minute) / 3600, (replay.predicted[i] + minute) / 3600);
  const std::size_t step = points.size() / most_points + 1;
  PicturePanel panel{.title = name + ": wait of each job of the second half, h, a minute added",
                     .kind = PicturePanel::Kind::number,
                     .height = 420,
                     .counts = false,
                     .x_title = "recorded, h"};
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); i += step) {
    values.insert(values.end(), {points[i].first, points[i].second});
    panel.marks.push_back(marker(points[i].first, points[i].second, okabe_ito[0], 1.6, 0.35));
  }
  if (values.empty())
    return false;
  panel.x = panel.y = plot_axis(values);
  panel.marks.push_back(line(panel.x.low, panel.x.high, panel.y.low, panel.y.high, quiet_ink, 1.2, true));
  Picture picture{.width = 560,
                  .footer = fmt::format("upwards: predicted, h · dashed: as recorded{}",
                                        step > 1 ? fmt::format(" · one job of {}", step) : "")};
  picture.panels.push_back(std::move(panel));
  return draw(picture, path);
}

bool plot_replay(const Replay& replay, const std::string& name, const std::string& path)
{
  PicturePanel panel{.title = name + ": mean wait of the jobs of each week, h",
                     .kind = PicturePanel::Kind::number,
                     .height = 260,
                     .counts = false,
                     .x_title = "week of submission"};
  std::vector<double> xs, ys = {0};
  std::vector<std::pair<double, double>> real, predicted, last;
  for (const ReplayWeek& week : replay.weeks) {
    const double x = week.number;
    xs.push_back(x);
    real.emplace_back(x, week.real / 3600);
    predicted.emplace_back(x, week.predicted / 3600);
    last.emplace_back(x, week.last_week / 3600);
    for (const double y : {week.real, week.predicted, week.last_week})
      ys.push_back(y / 3600);
    if (week.high > 0 && week.second_half) {
      panel.marks.push_back(line(x, x, week.low / 3600, week.high / 3600, okabe_ito[0], 5, false));
      ys.push_back(week.high / 3600);
    }
  }
  for (Mark& mark : panel.marks)
    mark.opacity = 0.25;
  const double top = *std::ranges::max_element(ys);
  panel.x = {xs.front() - 0.5, xs.back() + 0.5};
  panel.y = {0, top > 0 ? 1.05 * top : 1};
  add_line(panel.marks, last, line(0, 0, 0, 0, quiet_ink, 1.2, true));
  add_line(panel.marks, predicted, line(0, 0, 0, 0, okabe_ito[0], 1.8));
  add_line(panel.marks, real, line(0, 0, 0, 0, okabe_ito[1], 1.8));
  Picture picture{.footer = "orange: recorded · blue: predicted, with its 80 % interval in the second half · dashed: "
                            "last week, same class"};
  picture.panels.push_back(std::move(panel));
  return draw(picture, path);
}

} // namespace trainyard
