// SPDX-License-Identifier: Apache-2.0
// The content of the folders of studies, for readers who decide.
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/json_values.hpp"
#include "sim/report/report_document.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = 256U << 20U;
constexpr std::string_view layouts_kind = "trainyard layout plan", replay_kind = "trainyard replay";
constexpr std::array kinds{std::string_view{"trainyard plan"}, std::string_view{"trainyard comparison"},
                           std::string_view{"trainyard sensitivity"}, layouts_kind, replay_kind};

/// The manifest of a study; null where the folder has none.
Json manifest_of(const fs::path& folder)
{
  std::error_code error;
  if (!fs::is_regular_file(folder / "manifest.json", error))
    return {};
  Json manifest = Json::parse(read_text_file(folder / "manifest.json", largest_file), nullptr, false);
  return manifest.is_object() && std::ranges::find(kinds, text_of(manifest, "kind")) != kinds.end() ? manifest : Json{};
}

} // namespace

bool is_study_folder(const fs::path& folder)
{
  return !manifest_of(folder).is_null();
}

ReportDocument study_report(const fs::path& folder)
{
  const Json manifest = manifest_of(folder);
  const auto told = manifest.find("told");
  if (told == manifest.end())
    throw InputError{fmt::format("'{}' was written by another version of simrun; run the study again",
                                 (folder / "manifest.json").string())};
  ReportDocument document;
  for (const std::string& title :
       {text_of(manifest, "title"), text_of(manifest, "scenario"), folder.filename().string()})
    if (document.title.empty())
      document.title = title;
  document.question = text_of(manifest, "question");
  document.heading("The answer");
  Telling telling = Telling::read(*told);
  const auto is = [](Told::Form form) { return [form](const Told& piece) { return piece.form == form; }; };
  const auto head = std::ranges::find_if(telling.pieces, is(Told::Form::heading));
  std::stable_partition(telling.pieces.begin(), head, is(Told::Form::answer)); // a page begins with its answer
  document.add(telling);
  document.heading("Basis of the results");
  const std::string kind = text_of(manifest, "kind");
  document.badge(kind == layouts_kind ? "estimated" : "simulated",
                 fmt::format("{}; the project's results/scoreboard.md lists the errors against published measurements",
                             kind == layouts_kind ? "all figures come from a closed form"
                             : kind == replay_kind
                                 ? "predicted figures come from simulated runs, recorded ones from the log"
                                 : "all figures come from simulated runs"));
  add_pictures(document, folder);
  document.heading("Appendix");
  document.paragraph(fmt::format("Written by Trainyard {}.", text_of(manifest, "trainyard_version")));
  std::error_code error;
  for (const auto& [file, title] : {std::pair{"answer.yaml", "The design as a scenario"},
                                    std::pair{"scenario.yaml", "The explained past as a scenario"}})
    if (fs::exists(folder / file, error)) {
      document.heading(title, 3);
      document.code(read_text_file(folder / file, largest_file));
    }
  for (const char* file : {"designs.csv", "compare.csv", "sensitivity.csv", "weeks.csv"})
    if (fs::exists(folder / file, error))
      add_csv(document, folder / file);
  return document;
}

} // namespace trainyard
