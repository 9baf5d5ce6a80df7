// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "sim/sources/retraining/environment_report.hpp"

#include <fmt/format.h>

#include <set>

namespace trainyard {
namespace {

/// Names of the models, in order of the run's first needs.
std::vector<std::string> models_in(const WrittenRun& run)
{
  std::vector<std::string> models;
  std::set<std::string> known;
  run.for_each_row("requests.csv", [&](const ResultRow& row) {
    if (std::string model = row.cell("model"); known.insert(model).second)
      models.push_back(std::move(model));
  });
  return models;
}

constexpr Sentence<std::string, std::string, Messages, Message, Message, Figure, Messages> the_request{
    "retraining.request", "{request} under {policy}{at}: needed at {when}, {ended} after {time}{why}"};
constexpr Sentence<Messages, Figure> sum_of_parts{"retraining.sum", "{parts} = {time}"};
constexpr Sentence<Message, Figure> part_of{"retraining.part", "{segment} {time}"};
constexpr Sentence<Message> because_of{"retraining.because", " ({why})"};
constexpr Sentence<Figure> input_bound{"retraining.input_bound",
                                       "the training waited {time} for data: it is input-bound"};
constexpr Sentence<Message, std::string, Message> decision_at{"retraining.decision",
                                                              "decision at {when}: start {request}, {why}"};
constexpr Sentence<std::string> how_to_ask{
    "retraining.how_to_ask",
    "to see the messages and decisions of one retraining: simrun explain job MODEL-NUMBER {folder}"};
constexpr Sentence<std::string, std::string> the_models{"retraining.models",
                                                        "the models: {models}; for example {first}-1"};

Figure time_in(const ResultRow& row, const std::string& column)
{
  return {row.number(column), time_text(Seconds{row.number(column)})};
}

constexpr Sentence<> nothing_trains{"retraining.nothing_trains", "nothing trains"};
constexpr Sentence<std::string> those_train{"retraining.those_train", "{what} train"};
constexpr Sentence<std::int64_t, std::int64_t> gpus_busy{"retraining.gpus_busy", "{busy} of {gpus} GPUs busy"};

/// "the models: faces, pages, …; for example faces-1"
Message models_told(const std::vector<std::string>& models)
{
  constexpr std::size_t most = 12;
  std::string names;
  for (std::size_t i = 0; i < models.size() && i < most; ++i)
    names += (i == 0 ? "" : ", ") + models[i];
  return the_models(names + (models.size() > most ? ", …" : ""), models.front());
}

Telling whole_run(const WrittenRun& run)
{
  Telling told;
  told.heading(plain(MessageKind::part, run.heading()));
  told.gap();
  tell_answers(run, told);
  told.lines(run.words("paired"));
  tell_warnings(run, told);
  told.gap();
  told.say(how_to_ask(run.path.string()));
  if (const std::vector<std::string> models = models_in(run); !models.empty())
    told.say(models_told(models));
  return told;
}

} // namespace

Telling explain_environment(const WrittenRun& run, const std::string& what, const std::string& name)
{
  if (what.empty())
    return whole_run(run);
  if (what != "job")
    throw InputError{
        fmt::format("a task environment has jobs, but no '{}'; write simrun explain job MODEL-NUMBER FOLDER", what)};
  Telling told;
  std::vector<std::string> known;
  run.for_each_row("requests.csv", [&](const ResultRow& request) {
    if (request.number("replica") != 0)
      return;
    if (request.cell("request") != name) {
      if (known.size() < 100'000)
        known.push_back(request.cell("request"));
      return;
    }
    const std::string point = request.cell("point"), policy = request.cell("policy"), reason = request.cell("reason");
    RequestEnd ended = RequestEnd::open;
    while (ended != RequestEnd::impossible && to_text(ended) != request.cell("ended"))
      ended = static_cast<RequestEnd>(static_cast<int>(ended) + 1);
    told.heading(the_request(name, policy, point.empty() ? Messages{} : Messages{at_point(point)},
                             clock(request.time("needed_at_s")), message_of(ended), time_in(request, "total_s"),
                             reason.empty() ? Messages{} : Messages{because_of(run.said(reason))}));
    Messages parts;
    for (std::size_t i = 0; i < segment_names.size(); ++i)
      if (const Figure spent = time_in(request, std::string{segment_names[i]} + "_s"); spent.value != 0) {
        if (!parts.empty())
          parts.push_back(plain(MessageKind::part, " + "));
        parts.push_back(part_of(message_of(static_cast<Segment>(i)), spent));
      }
    told.line(sum_of_parts(parts, time_in(request, "total_s")));
    if (const Figure waited = time_in(request, "input_wait_s"); waited.value > 0)
      told.line(input_bound(waited));
    const auto is_it = [&](const ResultRow& row) {
      return row.cell("request") == name && row.cell("policy") == policy && row.cell("point") == point;
    };
    TableRows events;
    run.for_each_row("events.csv", [&](const ResultRow& row) {
      const std::string from = row.cell("from"), to = row.cell("to");
      if (is_it(row))
        events.push_back(
            {clock(row.time("time_s")), from == to ? from : from + " → " + to, run.said(row.cell("what"))});
    });
    told.table({{"", false}, {"", false}, {"", false}}, std::move(events), 2);
    run.for_each_row("decisions.csv", [&](const ResultRow& row) {
      if (!is_it(row))
        return;
      const std::string state = row.cell("state");
      told.line(decision_at(clock(row.time("time_s")), name, run.said(row.cell("why"))));
      told.line(plain(MessageKind::part, row.cell("queue")), "    queue:    ");
      told.line(plain(MessageKind::part, row.cell("priority")), "    priority: ");
      told.line(state.empty() ? nothing_trains() : those_train(state), "    state:    ");
      told.line(gpus_busy(std::lround(row.number("busy_gpus")), std::lround(row.number("gpus"))), "    load:     ");
    });
    told.gap();
  });
  if (told.empty()) {
    const std::vector<std::string> models = models_in(run);
    throw InputError{fmt::format("there is no retraining '{}' in this run{}; their names are MODEL-NUMBER{}", name,
                                 did_you_mean(name, known), models.empty() ? "" : "; " + models_told(models).text)};
  }
  return told;
}

} // namespace trainyard
