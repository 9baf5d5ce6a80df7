// SPDX-License-Identifier: Apache-2.0
#include "models/import/training_command.hpp"

#include "models/dnn/builder.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/scenario/other_names.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr std::string_view batch_flags[]{"batch_size", "batch-size", "train_batch_size", "per_device_train_batch_size"};
constexpr std::string_view step_flags[]{"train_steps", "max_steps", "num_batches", "steps"};
constexpr std::string_view model_flags[]{"model", "model_name", "model-name", "model_name_or_path", "arch"};

constexpr std::string_view place_flags[]{"cluster_spec", "worker_hosts", "ps_hosts",   "job_name", "job-name",
                                         "role",         "task_type",    "task-type",  "job",      "type",
                                         "task_id",      "task_index",   "task-index", "index",    "sync_replicas",
                                         "issync",       "sync"};
constexpr std::span<const std::string_view> read_flags[]{batch_flags, step_flags, model_flags, place_flags};

} // namespace

std::vector<CommandFlag> flags_of(std::span<const std::string> command)
{
  std::vector<CommandFlag> flags;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::size_t begin = command[i].find_first_not_of('-');
    if (!command[i].starts_with("-") || begin == std::string::npos)
      continue;
    const std::size_t equals = std::min(command[i].find('='), command[i].size());
    CommandFlag flag{
        .written = command[i].substr(0, equals), .name = command[i].substr(begin, equals - begin), .value = {}};
    if (equals < command[i].size())
      flag.value = command[i].substr(equals + 1);
    else if (i + 1 < command.size() && !command[i + 1].starts_with("-"))
      flag.value = command[i + 1];
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::string flag_value(std::span<const CommandFlag> flags, std::span<const std::string_view> names)
{
  for (const CommandFlag& flag : flags)
    if (!flag.value.empty() && std::ranges::find(names, flag.name) != names.end())
      return flag.value;
  return {};
}

std::vector<std::string> words_of_name(const std::string& name)
{
  std::vector<std::string> list(1);
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      list.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!list.back().empty())
      list.emplace_back();
  if (list.size() > 1 && list.back().empty())
    list.pop_back();
  return list;
}

std::string role_named(const std::string& name)
{
  for (const std::string& word : words_of_name(name)) {
    if (word.starts_with("worker") || word == "chief" || word == "master")
      return "worker";
    if (word == "ps" || word == "pserver" || word.starts_with("parameter") || word == "server")
      return "ps";
  }
  return {};
}

void note_framework(const std::string& image, const ImportPlace& place, ImportContext& context)
{
  const std::size_t slash = image.rfind('/'), begin = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t colon = std::min(image.find(':', begin), image.size());
  const std::string name = image.substr(begin, colon - begin), framework = name.substr(0, name.find('-'));
  const std::string kind = name.substr(framework.size());
  const bool whole = kind.empty() || kind == "-gpu" || kind == "-cpu" || kind == "-devel" || kind == "-notebook";
  if ((framework != "tensorflow" && framework != "pytorch") || !whole)
    return;
  std::string version;
  for (std::size_t i = colon + 1; i < image.size() && (std::isdigit(static_cast<unsigned char>(image[i])) != 0 ||
                                                       (image[i] == '.' && version.find('.') == std::string::npos));
       ++i)
    version += image[i]; // major and minor
  if (version.find('.') == std::string::npos || version.back() == '.' || image.starts_with("nvcr.io/"))
    version.clear(); // NVIDIA's tags are months
  set_framework(framework, version, version.empty() ? "name of the image" : "tag of the image", place, context);
}

void set_framework(const std::string& name, const std::string& version, const std::string& by, const ImportPlace& place,
                   ImportContext& context)
{
  const std::string flow =
      version.empty() ? fmt::format("{{name: {}}}", name) : fmt::format("{{name: {}, version: \"{}\"}}", name, version);
  const std::string words = version.empty() ? name : name + " " + version;
  std::string& known = context.draft.framework;
  if (known.empty() || known == fmt::format("{{name: {}}}", name)) // a version says more
    known = flow;
  if (known == flow)
    context.report.understood(place, "{}, by the {}", words, by);
  else if (!version.empty() || !known.starts_with("{name: " + name))
    context.report.ignored({"{} of the {}", words, by}, "the jobs of a scenario have one framework", place);
}

std::string model_named_in(const std::string& text)
{
  std::string lower;
  for (const char c : text)
    lower += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string best;
  for (const std::string& name : Registry<DnnSource>::instance().names()) {
    std::string flat;
    for (const char c : name)
      if (c != '_')
        flat += c;
    if ((lower.find(name) != std::string::npos || (flat.size() > 4 && lower.find(flat) != std::string::npos)) &&
        name.size() > best.size() && name.size() > 3)
      best = name;
  }
  for (std::size_t begin = 0; best.empty() && begin < text.size();) { // "meta-llama/Meta-Llama-3-8B"
    const std::size_t end = std::min(text.find_first_of(" \t\n/=:,\"'", begin), text.size());
    if (end - begin > 3)
      best = model_meant(text.substr(begin, end - begin)).name;
    begin = end + 1;
  }
  return best;
}

void read_training_command(std::span<const CommandFlag> flags, const std::string& text, const ImportPlace& place,
                           ImportContext& context, DraftJob& job)
{
  ImportReport& report = context.report;
  if (const std::string model = model_named_in(text); !context.options.model.empty()) {
    // it counts
  } else if (!model.empty()) {
    job.model = model;
    report.assumed({"job {} trains {}", job.name, model}, "the image or command line names it", place);
  } else if (const std::string other = flag_value(flags, model_flags); !other.empty()) {
    report.ignored({"network '{}' of job {}", other, job.name}, "the catalogue has none of this name", place);
  }
  if (const double batch = number_of(flag_value(flags, batch_flags), 0); batch >= 1 && batch <= 1e6) {
    job.batch_per_gpu = static_cast<int>(batch);
    report.assumed({"job {} has a batch of {} per {}", job.name, job.batch_per_gpu, job.on_cpu ? "worker" : "GPU"},
                   "the command line names it", place);
  }
  if (const double steps = number_of(flag_value(flags, step_flags), 0); steps >= 1 && steps <= 1e12)
    job.steps = steps;
}

void report_flags(std::span<const CommandFlag> flags, const ImportPlace& place, ImportReport& report)
{
  const auto is_read = [](const CommandFlag& flag) {
    return std::ranges::any_of(read_flags, [&](std::span<const std::string_view> names) {
      return std::ranges::find(names, flag.name) != names.end();
    });
  };
  const auto is_of_training = [](const CommandFlag& flag) { // "-np 2" and "ps -De" are of shells and launchers
    return flag.written.starts_with("--") || flag.name.size() > 3;
  };
  for (const CommandFlag& flag : flags)
    if (is_of_training(flag) && !is_read(flag) && role_named(flag.name).empty())
      report.ignored("flag " + flag.written, "of commands only roles, network, batch, steps and updates are read",
                     place);
}

} // namespace trainyard
