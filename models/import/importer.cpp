// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"

#include "models/core/child.hpp"
#include "models/core/closest.hpp"
#include "models/core/packed.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/other_names.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <system_error>
#include <tuple>

namespace trainyard {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImportPlace, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImportEntry, what, why, places)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImportedFile, file, format, description)

namespace {

std::string all_formats()
{
  return fmt::format("{}", fmt::join(Registry<Importer>::instance().names(), ", "));
}

struct Recognised {
  const InputFile* file;
  std::string name;
  std::shared_ptr<Importer> importer; // one for all files of a format, so that they can refer to each other
};

void add(std::vector<Recognised>& list, const InputFile& file, const std::string& name, std::unique_ptr<Importer> fresh)
{
  const auto same = std::ranges::find(list, name, &Recognised::name);
  std::shared_ptr<Importer> importer =
      same == list.end() ? std::shared_ptr<Importer>{std::move(fresh)} : same->importer;
  list.push_back({&file, name, std::move(importer)});
}

std::unique_ptr<Importer> chosen_importer(const std::string& name)
{
  const auto& registry = Registry<Importer>::instance();
  if (registry.find(name) == nullptr)
    throw InputError{fmt::format("unknown format '{}'{}; simrun list formats shows all: {}", name,
                                 did_you_mean(name, registry.names()), all_formats())};
  return registry.create(name);
}

/// Options that name things of the catalogue.
/// The options with names of the catalogue for what people write.
ImportOptions checked_options(ImportOptions options, const Catalogue& catalogue)
{
  const auto take = [](std::string& name, const MeantEntry& meant) {
    if (!name.empty() && !meant.name.empty())
      name = meant.name;
  };
  take(options.gpu, gpu_meant(options.gpu, catalogue));
  take(options.link, link_meant(options.link, catalogue));
  if (!is_dnn_file(options.model))
    take(options.model, model_meant(options.model));
  const auto check = [](const std::string& name, const std::vector<std::string>& known, const char* option,
                        const char* topic) {
    if (!name.empty() && std::ranges::find(known, name) == known.end())
      throw InputError{fmt::format("{}: '{}' is unknown{}; simrun list {} shows all", option, name,
                                   did_you_mean(name, known), topic)};
  };
  check(options.gpu, catalogue.gpu_names(), "--gpu", "gpus");
  check(options.link, catalogue.link_names(), "--link", "links");
  if (!is_dnn_file(options.model))
    check(options.model, Registry<DnnSource>::instance().names(), "--model", "models");
  return options;
}

/// No machine and no work was understood: what would be written is made up.
bool says_nothing(const Draft& draft)
{
  return draft.machines.empty() && draft.jobs.empty() && draft.queue_jobs.empty() && draft.services.empty() &&
         draft.trace_file.empty() && draft.network.switches.empty() && draft.network.topology.empty();
}

ImportResult import_all(std::vector<Recognised> recognised, ImportReport report, const ImportOptions& options,
                        const Catalogue& catalogue)
{
  ImportResult result;
  result.report = std::move(report);
  result.draft.name = options.name;
  ImportContext context{result.draft, result.report, catalogue, options};
  std::ranges::stable_sort(recognised, {}, [](const Recognised& one) { return one.importer->rank(); });
  std::set<std::string> finished;
  for (const Recognised& one : recognised) {
    result.report.files.push_back({one.file->name(), one.name, one.importer->description()});
    one.importer->read(*one.file, context);
  }
  for (const Recognised& one : recognised)
    if (finished.insert(one.name).second)
      one.importer->finish(context);
  if (says_nothing(result.draft)) {
    if (!result.report.faults.has_errors())
      result.report.error(
          {recognised.front().file->name(), 0},
          "describes no machine, job or service, so there is nothing to simulate; give the files that do "
          "together with it");
    return result;
  }
  complete(context);
  result.yaml = scenario_yaml(result.draft, result.report);
  return result;
}

} // namespace

std::string ImportContext::unknown_gpu(const ImportPlace& place, const std::string& why, const std::string& usual) const
{
  const bool given = !options.gpu.empty();
  const std::string name = given ? options.gpu : usual.empty() ? "V100-SXM2-16GB" : usual;
  report.assumed("GPUs are " + name, given ? "given by --gpu; " + why : why + "; --gpu NAME chooses another", place);
  return name;
}

bool is_own_scenario(std::string_view head)
{
  for (const std::string_view key : {"trainyard:", "cluster:"})
    if (head.starts_with(key) || head.find("\n" + std::string{key}) != std::string_view::npos)
      return true;
  return false;
}

std::string name_for_scenario(const InputFile& file, const ImportOptions& options)
{
  std::error_code error;
  if (options.folder.empty() || !std::filesystem::exists(file.path(), error))
    return file.name();
  const auto relative = std::filesystem::proximate(file.path(), options.folder, error);
  if (!error && !relative.empty() && !relative.native().starts_with(".."))
    return relative.string();
  return std::filesystem::absolute(file.path(), error).lexically_normal().string();
}

const Registry<Importer>::Entry* importer_of(const InputFile& file)
{
  if (is_own_scenario(file.head()))
    return nullptr;
  for (const auto& [name, entry] : Registry<Importer>::instance().entries())
    if (entry.create({})->recognises(file))
      return &entry;
  return nullptr;
}

namespace {

InputError unknown_format(const InputFile& file, const std::string& name)
{
  if (file.has("\"model_type\""))
    return InputError{
        fmt::format("'{}' describes a model (config.json of Hugging Face), not a training: name it where a "
                    "model stands: simrun layouts {} --gpus N, model: {} in a scenario, or --model {} "
                    "beside the files of a training",
                    name, name, name, name)};
  return InputError{
      fmt::format("the format of '{}' is not known; simrun import reads: {}. Use --format to name the format", name,
                  all_formats())};
}

} // namespace

ImportResult import_files(const std::vector<InputFile>& files, const ImportOptions& given, const Catalogue& catalogue)
{
  const ImportOptions options = checked_options(given, catalogue);
  std::vector<Recognised> recognised;
  for (const InputFile& file : files) {
    if (options.format != "auto") {
      add(recognised, file, options.format, chosen_importer(options.format));
      continue;
    }
    const Registry<Importer>::Entry* entry = importer_of(file);
    if (entry == nullptr)
      throw unknown_format(file, file.name());
    add(recognised, file, entry->name, entry->create({}));
  }
  return import_all(std::move(recognised), {}, options, catalogue);
}

ImportResult import_files(std::span<const std::filesystem::path> paths, const ImportOptions& given,
                          const Catalogue& catalogue)
{
  const ImportOptions options = checked_options(given, catalogue);
  std::vector<std::unique_ptr<InputFile>> files;
  std::vector<Recognised> recognised;
  ImportReport report;
  const auto take = [&](const std::filesystem::path& path, bool from_folder) {
    std::unique_ptr<InputFile> file;
    try {
      file = std::make_unique<InputFile>(path);
    } catch (const InputError& error) {
      if (!from_folder)
        throw;
      report.ignored(path.filename().string(), error.diagnostics().front().message, {path.string(), 0});
      return;
    }
    if (options.format != "auto" && !from_folder) {
      add(recognised, *file, options.format, chosen_importer(options.format));
    } else if (const Registry<Importer>::Entry* entry = importer_of(*file); entry != nullptr) {
      add(recognised, *file, entry->name, entry->create({}));
    } else if (from_folder) {
      report.ignored(path.filename().string(), "its format is not known", {path.string(), 0});
      return;
    } else {
      throw unknown_format(*file, path.string());
    }
    files.push_back(std::move(file));
  };
  for (const std::filesystem::path& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      take(path, false);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (std::filesystem::directory_iterator entry{path, error}, end; !error && entry != end; entry.increment(error))
      if (entry->is_regular_file(error))
        inside.push_back(entry->path());
    std::ranges::sort(inside);
    for (const std::filesystem::path& file : inside)
      take(file, true);
  }
  if (recognised.empty())
    throw InputError{fmt::format("found no file of a known format; simrun import reads: {}", all_formats())};
  return import_all(std::move(recognised), std::move(report), options, catalogue);
}

ImportResult import_in_child(const std::vector<std::filesystem::path>& files,
                             const std::function<ImportResult()>& import)
{
  using Entries = std::vector<ImportEntry>;
  using Packed = std::tuple<std::string, std::vector<ImportedFile>, Entries, Entries, Entries, std::vector<Diagnostic>>;
  const auto all = unpacked<Packed>(read_in_child(files, [&] {
    const ImportResult made = import();
    const ImportReport& report = made.report;
    return packed(Packed{made.yaml, report.files, report.understood(), report.assumed(), report.ignored(),
                         report.faults.sorted()});
  }));
  ImportResult result;
  ImportReport& report = result.report;
  result.yaml = std::get<0>(all);
  report.files = std::get<1>(all);
  const auto each = [](const Entries& entries, const auto& add) {
    for (const ImportEntry& entry : entries)
      for (const ImportPlace& place : entry.places)
        add(entry, place);
  };
  each(std::get<2>(all), [&](const auto& entry, const auto& place) { report.understood(entry.what, place); });
  each(std::get<3>(all), [&](const auto& entry, const auto& place) { report.assumed(entry.what, entry.why, place); });
  each(std::get<4>(all), [&](const auto& entry, const auto& place) { report.ignored(entry.what, entry.why, place); });
  for (const Diagnostic& fault : std::get<5>(all))
    report.faults.add(fault);
  return result;
}

} // namespace trainyard
