// SPDX-License-Identifier: Apache-2.0
#include "gui/inspector/imgui_panel.hpp"

#include "gui/core/rate_text.hpp"
#include "gui/results/messages.hpp"
#include "gui/timeline/timeline.hpp"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <functional>
#include <imgui.h>
#include <initializer_list>
#include <utility>

namespace trainyard::gui {
namespace {

QString words(const char* text)
{
  return QCoreApplication::translate("Inspector", text);
}

constexpr const char* step_figures =
    QT_TRANSLATE_NOOP("Inspector", "time %1 · %2 instants · rates worked out %3 times, %4 in all, %5 the last time · "
                                   "%6 levels filled · at most %7 flows at once");

/// For ImGui, which wants UTF-8; lives until the end of the full expression.
class Text
{
public:
  explicit Text(const QString& text) : bytes_{text.toUtf8()} {}
  explicit Text(const char* text) : bytes_{words(text).toUtf8()} {}
  operator const char*() const { return bytes_.constData(); }

private:
  QByteArray bytes_;
};

/// @p ending: "/s" for a rate.
QString bytes_text(double bytes, const char* ending = "")
{
  static constexpr const char* units[]{"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  return in_units(QStringLiteral("%1 %2")
                      .arg(bytes, 0, 'f',
                           bytes < 10 && unit > 0    ? 2
                           : bytes < 100 && unit > 0 ? 1
                                                     : 0)
                      .arg(QLatin1String(units[unit]) + QLatin1String(ending)));
}

QString exact_time(double seconds)
{
  if (seconds == 0)
    return in_units(QStringLiteral("0 s"));
  return std::isfinite(seconds) ? time_text(seconds, std::max(std::fabs(seconds), 1e-9) / 1e5) : words("not known yet");
}

bool contains(const QString& text, const char* filter)
{
  return filter[0] == '\0' || text.contains(QString::fromUtf8(filter), Qt::CaseInsensitive);
}

void cell(const QString& text)
{
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(Text{text});
}

bool begin_table(const char* id, std::initializer_list<std::pair<const char*, float>> heads, float height)
{
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable(id, static_cast<int>(heads.size()), flags, ImVec2{0, height}))
    return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const auto& [head, share] : heads)
    ImGui::TableSetupColumn(Text{head}, 0, share);
  ImGui::TableHeadersRow();
  return true;
}

/// @p text_of: the words of a row, which the filter looks at. @p draw: fills its cells.
template <class Row, class TextOf, class Draw>
void draw_table(const char* id, std::initializer_list<std::pair<const char*, float>> heads, float height,
                const char* filter, const QVector<Row>& rows, const TextOf& text_of, const Draw& draw)
{
  if (!begin_table(id, heads, height))
    return;
  for (const Row& row : rows)
    if (contains(std::invoke(text_of, row), filter)) {
      ImGui::TableNextRow();
      draw(row);
    }
  ImGui::EndTable();
}

void draw_events(const InspectorState& state, const char* filter, float height)
{
  draw_table(
      "events",
      {{QT_TRANSLATE_NOOP("Inspector", "Time"), 1.2F},
       {QT_TRANSLATE_NOOP("Inspector", "What"), 2.6F},
       {QT_TRANSLATE_NOOP("Inspector", "Job"), 0.9F},
       {QT_TRANSLATE_NOOP("Inspector", "Kind"), 1.0F}},
      height, filter, state.events,
      [](const InspectorState::Event& event) { return event.what + QLatin1Char(' ') + event.job; },
      [](const InspectorState::Event& event) {
        cell(exact_time(event.time));
        cell(event.what);
        cell(event.job);
        cell(event.kind == QLatin1String("timer") ? words("timer") : words("end of flow"));
      });
}

void bar(double share, const QString& label)
{
  ImGui::TableNextColumn();
  const float full = static_cast<float>(std::clamp(share, 0.0, 1.0));
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram,
                        share >= 0.999 ? ImVec4{0.84F, 0.37F, 0.0F, 1.0F} : ImVec4{0.20F, 0.48F, 0.72F, 1.0F});
  ImGui::ProgressBar(full, ImVec2{-1, ImGui::GetTextLineHeight()}, Text{label});
  ImGui::PopStyleColor();
}

void draw_flows(const InspectorState& state, const char* filter, float height)
{
  draw_table(
      "flows",
      {{QT_TRANSLATE_NOOP("Inspector", "Rate"), 1.0F},
       {QT_TRANSLATE_NOOP("Inspector", "Flow"), 2.4F},
       {QT_TRANSLATE_NOOP("Inspector", "Done"), 1.5F},
       {QT_TRANSLATE_NOOP("Inspector", "Limited by"), 1.2F}},
      height, filter, state.flows,
      [](const InspectorState::Flow& flow) {
        return flow.what + QLatin1Char(' ') + flow.job + QLatin1Char(' ') + flow.bottleneck;
      },
      [](const InspectorState::Flow& flow) {
        cell(bytes_text(flow.rate, "/s"));
        cell(flow.what + QStringLiteral(" (%1)").arg(flow.job));
        if (ImGui::IsItemHovered())
          ImGui::SetTooltip("%s", static_cast<const char*>(Text{flow.links.join(QLatin1Char('\n'))}));
        const double whole = flow.sent + flow.remaining;
        bar(whole > 0 ? flow.sent / whole : 1, QStringLiteral("%1 % · %2")
                                                   .arg(whole > 0 ? 100 * flow.sent / whole : 100, 0, 'f', 0)
                                                   .arg(bytes_text(whole)));
        cell(!flow.bottleneck.isEmpty() ? flow.bottleneck
             : flow.held                ? words("the flow it follows")
                                        : words("its own limit"));
      });
}

void draw_links(const InspectorState& state, const char* filter, float height)
{
  draw_table("links",
             {{QT_TRANSLATE_NOOP("Inspector", "Used"), 1.0F},
              {QT_TRANSLATE_NOOP("Inspector", "Link"), 2.4F},
              {QT_TRANSLATE_NOOP("Inspector", "Capacity"), 1.1F},
              {QT_TRANSLATE_NOOP("Inspector", "Flows"), 0.7F}},
             height, filter, state.links, &InspectorState::Link::name, [](const InspectorState::Link& link) {
               const double share = link.capacity > 0 ? link.rate / link.capacity : 0;
               bar(share, QStringLiteral("%1 %").arg(100 * share, 0, 'f', 0));
               cell(link.name);
               cell(bytes_text(link.capacity, "/s"));
               cell(QString::number(link.flows));
             });
}

/// Times of a queue by the clock: "3 d 04:05:06".
QString clock_time(double seconds)
{
  if (!std::isfinite(seconds))
    return words("not known yet");
  const auto whole = static_cast<long long>(std::floor(seconds));
  const QString clock = QStringLiteral("%1:%2:%3")
                            .arg(whole / 3600 % 24, 2, 10, QLatin1Char('0'))
                            .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                            .arg(whole % 60, 2, 10, QLatin1Char('0'));
  return whole >= 86400 ? words(QT_TRANSLATE_NOOP("Inspector", "day %1, %2")).arg(whole / 86400 + 1).arg(clock) : clock;
}

/// Terms of the engine in the chosen language; terms without a translation stay as they are.
QString what_happens(const QString& what)
{
  static const std::initializer_list<const char*> known{QT_TRANSLATE_NOOP("Inspector", "arrives"),
                                                        QT_TRANSLATE_NOOP("Inspector", "ends"),
                                                        QT_TRANSLATE_NOOP("Inspector", "start"),
                                                        QT_TRANSLATE_NOOP("Inspector", "preempt"),
                                                        QT_TRANSLATE_NOOP("Inspector", "resize"),
                                                        QT_TRANSLATE_NOOP("Inspector", "fails and waits again"),
                                                        QT_TRANSLATE_NOOP("Inspector", "is given up"),
                                                        QT_TRANSLATE_NOOP("Inspector", "policy decides again"),
                                                        QT_TRANSLATE_NOOP("Inspector", "failure or repair")};
  for (const char* each : known)
    if (what == QLatin1String(each))
      return words(each);
  return what;
}

void draw_queue_events(const InspectorState& state, const char* filter, float height)
{
  draw_table("queue_events",
             {{QT_TRANSLATE_NOOP("Inspector", "Time"), 1.3F},
              {QT_TRANSLATE_NOOP("Inspector", "What"), 1.6F},
              {QT_TRANSLATE_NOOP("Inspector", "Job"), 0.9F}},
             height, filter, state.events, &InspectorState::Event::job, [](const InspectorState::Event& event) {
               cell(clock_time(event.time));
               cell(what_happens(event.what));
               cell(event.job);
             });
}

void draw_deeds(const InspectedQueue& queue, const char* filter, float height)
{
  draw_table("deeds",
             {{QT_TRANSLATE_NOOP("Inspector", "Job"), 0.8F},
              {QT_TRANSLATE_NOOP("Inspector", "What"), 1.3F},
              {QT_TRANSLATE_NOOP("Inspector", "Where, or why not"), 2.2F}},
             height, filter, queue.deeds, &InspectedQueue::Deed::job, [](const InspectedQueue::Deed& deed) {
               cell(deed.job);
               cell(deed.done ? what_happens(deed.what)
                              : words(QT_TRANSLATE_NOOP("Inspector", "%1: not possible")).arg(what_happens(deed.what)));
               cell(deed.words);
             });
}

void draw_running(const InspectedQueue& queue, const char* filter, float height)
{
  draw_table(
      "running",
      {{QT_TRANSLATE_NOOP("Inspector", "Job"), 0.8F},
       {QT_TRANSLATE_NOOP("Inspector", "GPUs"), 0.6F},
       {QT_TRANSLATE_NOOP("Inspector", "Progress"), 1.2F},
       {QT_TRANSLATE_NOOP("Inspector", "Ends"), 1.3F},
       {QT_TRANSLATE_NOOP("Inspector", "On"), 1.6F}},
      height, filter, queue.running,
      [](const InspectedQueue::Running& job) { return job.job + QLatin1Char(' ') + job.where; },
      [](const InspectedQueue::Running& job) {
        cell(job.job);
        cell(QString::number(job.gpus));
        bar(std::min(job.done, 0.998), QStringLiteral("%1 %").arg(100 * job.done, 0, 'f', 0));
        cell(clock_time(job.end));
        cell(job.where);
        if (ImGui::IsItemHovered())
          ImGui::SetTooltip("%s", static_cast<const char*>(Text{job.where}));
      });
}

void draw_waiting(const InspectedQueue& queue, double now, const char* filter, float height)
{
  draw_table(
      "waiting",
      {{QT_TRANSLATE_NOOP("Inspector", "Job"), 0.8F},
       {QT_TRANSLATE_NOOP("Inspector", "GPUs"), 0.6F},
       {QT_TRANSLATE_NOOP("Inspector", "Waits for"), 1.0F},
       {QT_TRANSLATE_NOOP("Inspector", "Why"), 2.4F}},
      height, filter, queue.waiting,
      [](const InspectedQueue::Waiting& job) { return job.job + QLatin1Char(' ') + job.why; },
      [now](const InspectedQueue::Waiting& job) {
        cell(job.job);
        cell(QString::number(job.gpus));
        cell(time_text(now - job.since, std::max(1.0, (now - job.since) / 100)));
        QString why = job.why;
        if (!job.blocker.isEmpty())
          why += QStringLiteral(" (%1)").arg(job.blocker);
        if (job.planned >= 0)
          why += QStringLiteral(" → ") + clock_time(job.planned);
        cell(why);
        if (ImGui::IsItemHovered())
          ImGui::SetTooltip("%s", static_cast<const char*>(Text{why}));
      });
}

void draw_queue(const InspectorState& state, const InspectorInput& input)
{
  if (!state.queue)
    return;
  const InspectedQueue& queue = *state.queue;
  ImGui::TextWrapped(
      "%s", static_cast<const char*>(Text{
                words(QT_TRANSLATE_NOOP("Inspector", "%1 · %2 · %3 of %4 GPUs free · the policy has decided %5 times"))
                    .arg(clock_time(state.time), queue.policy)
                    .arg(queue.free_gpus)
                    .arg(queue.gpus)
                    .arg(queue.decisions)}));
  if (state.ended)
    ImGui::TextWrapped(
        "%s", static_cast<const char*>(Text{words(QT_TRANSLATE_NOOP("Inspector", "%1 jobs finished, %2 never ran"))
                                                .arg(queue.finished)
                                                .arg(queue.never_ran)}));
  ImGui::Separator();
  const float whole = std::max(8 * ImGui::GetFontSize(), ImGui::GetContentRegionAvail().y);
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float half = std::max(3 * ImGui::GetFontSize(), whole / 2 - line - 4);
  if (!ImGui::BeginTable("queue", 2, ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp))
    return;
  ImGui::TableSetupColumn("a", 0, 1.0F);
  ImGui::TableSetupColumn("b", 0, 1.4F);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(Text{words(QT_TRANSLATE_NOOP("Inspector", "Event queue (%1)")).arg(state.event_count)});
  draw_queue_events(state, input.filter, half);
  ImGui::TextUnformatted(
      Text{words(QT_TRANSLATE_NOOP("Inspector", "Events at this time, and decisions of the policy (%1)"))
               .arg(queue.deeds.size())});
  draw_deeds(queue, input.filter, half);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(Text{words(QT_TRANSLATE_NOOP("Inspector", "Running jobs (%1)")).arg(queue.running_count)});
  draw_running(queue, input.filter, half);
  ImGui::TextUnformatted(Text{words(QT_TRANSLATE_NOOP("Inspector", "Waiting jobs (%1)")).arg(queue.waiting_count)});
  draw_waiting(queue, state.time, input.filter, half);
  ImGui::EndTable();
}

bool button(const char* text, bool on)
{
  ImGui::BeginDisabled(!on);
  const bool pressed = ImGui::Button(Text{text});
  ImGui::EndDisabled();
  ImGui::SameLine();
  return pressed;
}

/// A list of @p items, if there is a choice; as wide as @p letters. The number of what was chosen now, else -1.
int choice(const char* id, const QStringList& items, int current, float letters)
{
  if (items.size() < 2)
    return -1;
  int chosen = -1;
  ImGui::SetNextItemWidth(letters * ImGui::GetFontSize());
  if (ImGui::BeginCombo(id, Text{items.value(current)}, ImGuiComboFlags_HeightLarge)) {
    ImGuiListClipper clipper; // a sweep may have thousands of points
    clipper.Begin(static_cast<int>(items.size()));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        ImGui::PushID(i);
        if (ImGui::Selectable(Text{items[i]}, i == current))
          chosen = i;
        ImGui::PopID();
      }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  return chosen;
}

} // namespace

QString inspector_texts()
{
  QString all;
  for (const char* text : {"Time",
                           "What",
                           "Job",
                           "Kind",
                           "Rate",
                           "Flow",
                           "Done",
                           "Limited by",
                           "Used",
                           "Link",
                           "Capacity",
                           "Flows",
                           "timer",
                           "end of flow",
                           "not known yet",
                           "the flow it follows",
                           "its own limit",
                           "Start over",
                           "Start",
                           "Step",
                           "10 steps",
                           "100 steps",
                           "Run until",
                           "To the end",
                           "Pause",
                           "filter",
                           "running…",
                           "The simulation has ended",
                           "Press Start to step through the current scenario",
                           "Event queue (%1)",
                           "Active flows (%1)",
                           "Links in use",
                           "day %1, %2",
                           "arrives",
                           "ends",
                           "start",
                           "preempt",
                           "resize",
                           "fails and waits again",
                           "is given up",
                           "policy decides again",
                           "failure or repair",
                           "Where, or why not",
                           "%1: not possible",
                           "GPUs",
                           "Progress",
                           "Ends",
                           "On",
                           "Waits for",
                           "Why",
                           "%1 · %2 · %3 of %4 GPUs free · the policy has decided %5 times",
                           "%1 jobs finished, %2 never ran",
                           "Events at this time, and decisions of the policy (%1)",
                           "Running jobs (%1)",
                           "Waiting jobs (%1)",
                           "a time such as 0.5 s, 20 min, 2 h or 1 d",
                           step_figures})
    all += words(text);
  for (const QString& text : unit_texts() + reason_texts())
    all += text;
  return all + QStringLiteral("×→");
}

double seconds_of(const QString& words)
{
  static const QRegularExpression form{QStringLiteral("^\\s*([0-9.]+(?:e[-+]?[0-9]+)?)\\s*(ms|s|min|h|d)?\\s*$")};
  const auto match = form.match(words);
  if (!match.hasMatch())
    return -1;
  const QString unit = match.captured(2);
  const double size = unit == QLatin1String("ms")    ? 1e-3
                      : unit == QLatin1String("min") ? 60
                      : unit == QLatin1String("h")   ? 3600
                      : unit == QLatin1String("d")   ? 86400
                                                     : 1;
  bool good = false;
  const double value = match.captured(1).toDouble(&good);
  return good ? value * size : -1;
}

InspectorRequest draw_inspector(const InspectorView& view, InspectorInput& input)
{
  InspectorRequest request;
  const InspectorState& state = view.state;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::Begin("inspector", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  const bool ready = view.alive && !view.busy && !state.ended;
  if (button(view.alive ? QT_TRANSLATE_NOOP("Inspector", "Start over") : QT_TRANSLATE_NOOP("Inspector", "Start"),
             true)) {
    request.kind = InspectorRequest::Kind::start;
    request.policy = state.queue ? state.queue->policy : QString{};
    request.point = view.point;
  }
  const int policy = state.queue ? static_cast<int>(view.policies.indexOf(state.queue->policy)) : 0;
  if (const int chosen = choice("##policy", view.policies, policy, 9); chosen >= 0)
    request = {InspectorRequest::Kind::start, 0, 0, view.policies[chosen], view.point};
  // Another point may compare other policies.
  if (const int chosen = choice("##point", view.points, view.point, 16); chosen >= 0)
    request = {InspectorRequest::Kind::start, 0, 0, {}, chosen};
  for (const auto& [text, count] :
       {std::pair{QT_TRANSLATE_NOOP("Inspector", "Step"), 1}, std::pair{QT_TRANSLATE_NOOP("Inspector", "10 steps"), 10},
        std::pair{QT_TRANSLATE_NOOP("Inspector", "100 steps"), 100}})
    if (button(text, ready))
      request = {InspectorRequest::Kind::step, count, 0, {}, -1};
  if (state.queue.has_value() != input.hours) { // a queue goes by hours, a step by milliseconds
    input.hours = state.queue.has_value();
    qstrncpy(input.until, input.hours ? "1 h" : "0.1 s", sizeof input.until);
  }
  const double until = seconds_of(QString::fromUtf8(input.until));
  if (button(QT_TRANSLATE_NOOP("Inspector", "Run until"), ready && until >= 0))
    request = {InspectorRequest::Kind::run_until, 0, until, {}, -1};
  ImGui::SetNextItemWidth(5 * ImGui::GetFontSize());
  ImGui::InputText("##until", input.until, sizeof input.until);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", static_cast<const char*>(
                                Text{QT_TRANSLATE_NOOP("Inspector", "a time such as 0.5 s, 20 min, 2 h or 1 d")}));
  ImGui::SameLine();
  if (button(QT_TRANSLATE_NOOP("Inspector", "To the end"), ready))
    request.kind = InspectorRequest::Kind::run;
  if (button(QT_TRANSLATE_NOOP("Inspector", "Pause"), view.alive && view.busy))
    request.kind = InspectorRequest::Kind::pause;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", Text{QT_TRANSLATE_NOOP("Inspector", "filter")}, input.filter,
                           sizeof input.filter);

  ImGui::TextWrapped(
      "%s", static_cast<const char*>(
                Text{view.busy ? words(QT_TRANSLATE_NOOP("Inspector", "running…")) + QLatin1Char(' ') + view.message
                     : state.ended ? words(QT_TRANSLATE_NOOP("Inspector", "The simulation has ended")) +
                                         QStringLiteral(" · ") + view.message
                     : !view.alive && view.message.isEmpty()
                         ? words(QT_TRANSLATE_NOOP("Inspector", "Press Start to step through the current scenario"))
                         : view.message}));
  if (state.queue) {
    draw_queue(state, input);
    ImGui::End();
    return request;
  }
  ImGui::TextWrapped("%s", static_cast<const char*>(Text{words(step_figures)
                                                             .arg(exact_time(state.time))
                                                             .arg(state.instants)
                                                             .arg(state.solves)
                                                             .arg(state.rates)
                                                             .arg(state.last_rates)
                                                             .arg(state.levels)
                                                             .arg(state.most_flows)}));
  ImGui::Separator();
  const float height =
      std::max(4 * ImGui::GetFontSize(), ImGui::GetContentRegionAvail().y - ImGui::GetTextLineHeightWithSpacing());
  if (ImGui::BeginTable("columns", 3, ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("a", 0, 1.0F);
    ImGui::TableSetupColumn("b", 0, 1.3F);
    ImGui::TableSetupColumn("c", 0, 0.9F);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(Text{words(QT_TRANSLATE_NOOP("Inspector", "Event queue (%1)")).arg(state.event_count)});
    draw_events(state, input.filter, height);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(Text{words(QT_TRANSLATE_NOOP("Inspector", "Active flows (%1)")).arg(state.flow_count)});
    draw_flows(state, input.filter, height);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(Text{QT_TRANSLATE_NOOP("Inspector", "Links in use")});
    draw_links(state, input.filter, height);
    ImGui::EndTable();
  }
  ImGui::End();
  return request;
}

} // namespace trainyard::gui
