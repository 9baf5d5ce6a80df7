// SPDX-License-Identifier: Apache-2.0
#include "models/core/quantity_text.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/schema.hpp"
#include "models/scenario/schema_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '|' ? std::string{"\\|"} : c == '\n' ? std::string{" "} : std::string{c};
  return out;
}

std::string number_text(double value)
{
  return fmt::format("{:g}", value);
}

std::string range_text(const Json& schema)
{
  std::string text;
  if (schema.contains("minimum"))
    text += fmt::format("≥ {}", number_text(schema["minimum"].get<double>()));
  if (schema.contains("maximum"))
    text += fmt::format("{}≤ {}", text.empty() ? "" : ", ", number_text(schema["maximum"].get<double>()));
  if (schema.contains("x-quantity")) {
    const QuantityKind kind = *kind_of_name(schema["x-quantity"].get<std::string>());
    if (schema.contains("x-minimum"))
      text += fmt::format("≥ {}", to_text(schema["x-minimum"].get<double>(), kind));
    if (schema.contains("x-maximum"))
      text += fmt::format("{}≤ {}", text.empty() ? "" : ", ", to_text(schema["x-maximum"].get<double>(), kind));
  }
  return text;
}

std::string value_text(const Json& schema)
{
  constexpr std::size_t most_names = 12;
  if (schema.contains("anyOf")) {
    std::string text;
    for (const Json& choice : schema["anyOf"])
      if (const std::string one = value_text(choice); text.find(one) == std::string::npos)
        text += (text.empty() ? "" : ", or ") + one;
    return text;
  }
  if (schema.contains("enum")) {
    const auto names = schema["enum"].get<std::vector<std::string>>();
    if (names.size() <= most_names)
      return fmt::format("`{}`", fmt::join(names, "`, `"));
    return fmt::format("a name: `{}`, … ({} in all, see `simrun list`)", names.front(), names.size());
  }
  if (schema.contains("x-quantity"))
    return schema.value("x-quantity", "") +
           (schema.contains("examples") && schema["examples"].front() != ""
                ? fmt::format(", like `{}`", schema["examples"].front().get<std::string>())
                : "");
  if (schema.contains("x-number"))
    return "number";
  if (schema.contains("const"))
    return fmt::format("`{}`", schema["const"].dump());
  const Json type = schema.value("type", Json{"map"});
  if (type == "array")
    return schema.contains("items") ? "list of: " + value_text(schema["items"]) : "list";
  if (type == "object")
    return "map";
  if (type == "integer")
    return "whole number";
  if (type == "boolean")
    return "`true` or `false`";
  if (type == "string")
    return "text";
  return "number or text";
}

class Page
{
public:
  std::string write(const Json& schema)
  {
    out_ = "# Scenario files: every key\n\n"
           "`simrun schema --markdown` writes this page from the JSON Schema. The same schema checks scenario files "
           "and completes them in editors (`simrun schema`). Do not edit this page.\n\n"
           "Quantities are written with their unit (`25 Gbit/s`, `5 ms`, `16 GiB`); a bare number is an error. You "
           "choose the names shown "
           "as `<name>` in the headings; `[]` is an item of a list. `simrun check FILE --explain` lists the defaults "
           "that a file uses.\n\n"
           "| Kind | Units |\n|---|---|\n";
    for (const QuantityKind kind :
         {QuantityKind::duration, QuantityKind::bytes, QuantityKind::bandwidth, QuantityKind::flops,
          QuantityKind::flops_rate, QuantityKind::power, QuantityKind::money_rate})
      out_ += fmt::format("| {} | {} |\n", kind_name(kind), fmt::join(unit_names(kind), ", "));
    section("", schema);
    return out_;
  }

private:
  void section(const std::string& path, const Json& schema)
  {
    if (schema.contains("anyOf")) {
      for (const Json& choice : schema["anyOf"])
        section(path, choice);
      return;
    }
    if (schema.value("type", Json{}) == "array") {
      if (schema.contains("items"))
        section(path + "[]", schema["items"]);
      return;
    }
    if (!schema.contains("properties")) {
      if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
        section(path + ".<name>", schema["additionalProperties"]);
      return;
    }
    const std::vector<std::string> required = schema.value("required", std::vector<std::string>{});
    out_ += fmt::format("\n## {}\n\n", path.empty() ? "The file" : "`" + path + "`");
    if (const std::string meaning = schema.value("description", ""); !meaning.empty())
      out_ += fmt::format("{}{}.\n\n", static_cast<char>(std::toupper(static_cast<unsigned char>(meaning.front()))),
                          escaped(meaning.substr(1)));
    out_ += "| Key | Value | Default | Range | Meaning |\n|---|---|---|---|---|\n";
    for (const auto& [key, property] : schema["properties"].items())
      row(key, property, std::ranges::find(required, key) != required.end());
    for (const auto& [key, property] : schema["properties"].items())
      section(path.empty() ? key : path + "." + key, property);
  }

  void row(const std::string& key, const Json& property, bool required)
  {
    std::string meaning = property.value("description", "");
    const std::string fallback = required                       ? "**required**"
                                 : property.contains("default") ? "`" + schema::default_text(property) + "`"
                                                                : schema::default_text(property);
    if (property.contains("x-of"))
      meaning += fmt::format(" — of {}", fmt::join(property["x-of"].get<std::vector<std::string>>(), ", "));
    if (property.contains("x-source"))
      meaning += fmt::format(" [{}]", property["x-source"].get<std::string>());
    out_ += fmt::format("| `{}` | {} | {} | {} | {} |\n", key, escaped(value_text(property)), escaped(fallback),
                        range_text(property), escaped(meaning));
  }

  std::string out_;
};

} // namespace

std::string scenario_reference(const nlohmann::ordered_json& schema)
{
  return Page{}.write(schema);
}

std::string reference_of(const std::string& page, const std::string& section)
{
  std::string found;
  for (std::size_t at = page.find("\n## `"); at != std::string::npos;) {
    const std::size_t next = page.find("\n## `", at + 1), name = at + 5;
    const bool is_it = page.compare(name, section.size(), section) == 0 &&
                       std::string_view{"`.["}.find(page[name + section.size()]) != std::string_view::npos;
    if (is_it)
      found += page.substr(at + 1, next == std::string::npos ? next : next - at);
    at = next;
  }
  return found;
}

namespace {

std::string cell(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

} // namespace

std::string assumed_page(const nlohmann::ordered_json& schema, const Catalogue& catalogue)
{
  std::string out =
      "# What is assumed when you say little\n\n"
      "Written by `simrun schema --assumed` from what the reader of scenario files uses; do not edit.\n\n"
      "A result ends with a line `assumed: …`, which names those of the following that it rests on. `simrun check FILE "
      "--explain` lists every default of a file with its source, and `simrun schema --markdown` all keys.\n\n"
      "## Keys whose defaults change answers\n\n"
      "| Left out | Taken | It changes |\n|---|---|---|\n";
  for (const Assumption& assumption : assumptions())
    if (std::optional<std::string> taken = taken_value(assumption, schema); taken) {
      if (const std::string_view here = ", see docs/assumed.md"; taken->ends_with(here))
        taken->replace(taken->size() - here.size(), here.size(), " (tables below)");
      out += fmt::format("| `{}` | {} | {} |\n", assumption.path, cell(*taken), assumption.effect);
    }
  out += "\n## Frameworks\n\n"
         "`framework: {name: pytorch, version: \"2.3\"}` chooses one; `cuda_graphs: true` there makes the host's time "
         "per operator 0, `channels_last` how images lie in memory: with their channels first, matrix units need them "
         "turned around for each convolution (a PyTorch step of VGG-16 on an H100 takes 50 % longer). The precision "
         "counts where all GPUs of the cluster have matrix units for 16-bit numbers, else it is fp32. It is fp32 for "
         "the modes `one_collective` and `generic`, and for jobs on CPUs.\n\n"
         "| Framework | From version | `host_per_operator` | `precision` | `channels_last` | Provenance | Source "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const auto& [name, framework] : catalogue.frameworks)
    out += fmt::format("| {} | {} {} | {} | {} | {} | {} | {} |\n", framework.description, framework.product,
                       framework.from, to_text(framework.host_per_operator), framework.precision,
                       framework.kernels.channels_last,
                       framework.provenance == Provenance::measured ? "measured" : "assumed", cell(framework.source));
  out += "\n## Eras\n\n| `era` | Framework |\n|---|---|\n";
  for (const auto& [name, era] : catalogue.eras)
    out += fmt::format("| {} | {} |\n", name, catalogue.frameworks.at(era.framework).description);
  out += "\n## By GPU, where neither `framework` nor `era` is given\n\n"
         "A GPU with bf16 has been sold since 2020 and is taken to run what the newest era runs; the others the "
         "oldest. With GPUs of both kinds in a cluster, the newer ones decide.\n\n"
         "| GPU | Framework | `host_per_operator` | `precision` |\n|---|---|---|---|\n";
  for (const auto& [name, gpu] : catalogue.gpus) {
    const AssumedFramework assumed = assume_framework(catalogue, {}, {name});
    out += fmt::format("| {} | {} | {} | {} |\n", name, assumed.framework.description,
                       to_text(assumed.framework.host_per_operator), default_precision(assumed, catalogue, {name}));
  }
  out +=
      "\n## Machines, by GPU\n\n"
      "What a machine has that does not say. A machine with fewer GPUs has its part of the network cards, cores and "
      "memory; with one GPU only it is a PCIe tree. Empty: 1 network card on the network's link, 16 cores, 64 GB.\n\n"
      "| GPU | Wiring | NVLink | PCIe | Between sockets | GPUs | Network cards | Cores | Memory | Source "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  const auto number = [](int value) { return value > 0 ? std::to_string(value) : std::string{}; };
  for (const auto& [name, gpu] : catalogue.gpus) {
    const Board& board = gpu.board;
    const std::string nvlink =
        board.nvlinks > 0 ? fmt::format("{} of generation {}", board.nvlinks, board.nvlink_generation) : std::string{};
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, board.intra, nvlink, board.pcie,
                       board.peers.value() > 0 ? to_text(board.peers) : std::string{}, number(board.gpus),
                       board.nics > 0 ? fmt::format("{} x {}", board.nics, board.nic) : std::string{},
                       number(board.cpu_cores), board.memory.value() > 0 ? to_text(board.memory) : std::string{},
                       cell(board.source));
  }
  return out;
}

} // namespace trainyard
