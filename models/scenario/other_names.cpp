// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/other_names.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/gpu_name.hpp"
#include "models/scenario/catalogue_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Small letters and digits alone, and points between digits (2.5GbE is not 25GbE); "+" is "plus".
std::string folded(std::string_view text)
{
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '+')
      made += "plus";
    else if (is_word(text[i]) || (text[i] == '.' && i > 0 && is_digit(i - 1) && is_digit(i + 1)))
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  return made;
}

/// Between blanks and signs but points: "v0.1".
std::vector<std::string> words_in(std::string_view text)
{
  std::vector<std::string> words(1);
  for (const char c : text)
    if (is_word(c) || c == '.' || c == '+')
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty())
    words.pop_back();
  return words;
}

/// Folded spelling → entry, of a file of catalogue/names. Read when somebody first writes a name that is no entry.
std::map<std::string, std::string> read_spellings(const std::string& kind)
{
  std::map<std::string, std::string> made;
  Diagnostics faults;
  read_catalogue_file(data_folder() / "models/hardware/catalogue/names" / (kind + ".yaml"), faults,
                      [&](Fields& keys, const std::string&) {
                        keys.map("names", "spellings of each entry", [&](Fields& entries, const std::string& entry) {
                          for (const std::string& spelling : entries.reader().texts(entry))
                            made.emplace(folded(spelling), entry);
                        });
                      });
  faults.throw_if_errors();
  return made;
}

const std::map<std::string, std::string>& spellings(const std::string& kind)
{
  static const std::map<std::string, std::map<std::string, std::string>> all = {
      {"gpus", read_spellings("gpus")},
      {"links", read_spellings("links")},
      {"machines", read_spellings("machines")},
      {"models", read_spellings("models")}};
  return all.at(kind);
}

/// By capitals and signs alone, or by a spelling that the catalogue lists.
MeantEntry listed(const std::string& kind, const std::string& text, std::span<const std::string> names)
{
  if (std::string same = same_name(text, names); !same.empty())
    return {.name = std::move(same)};
  const auto found = spellings(kind).find(folded(text));
  if (found != spellings(kind).end() && std::ranges::find(names, found->second) != names.end())
    return {.name = found->second, .other = true};
  return {};
}

MeantEntry own_name(const std::string& written, std::span<const std::string> names)
{
  return std::ranges::find(names, written) != names.end() ? MeantEntry{.name = written} : MeantEntry{};
}

constexpr std::array makers{"nvidia",   "amd",    "intel",     "google",   "aws",    "amazon",
                            "huawei",   "habana", "graphcore", "instinct", "radeon", "cloud",
                            "mellanox", "cray",   "hpe",       "fujitsu",  "device", "the"};

/// Without the words in @p left_out.
std::string without(const std::vector<std::string>& words, std::span<const char* const> left_out)
{
  std::string kept;
  for (const std::string& word : words)
    if (std::ranges::find(left_out, word) == left_out.end())
      kept += (kept.empty() ? "" : " ") + word;
  return kept;
}

/// A number of words like "100g", "100gbps" and "200": Gbit/s; else 0.
int gigabits(const std::string& word)
{
  std::size_t digits = 0;
  while (digits < word.size() && std::isdigit(static_cast<unsigned char>(word[digits])) != 0)
    ++digits;
  constexpr std::array units{"", "g", "gb", "gbe", "ge", "gbps", "gbits", "gbit", "gige", "gib"};
  return digits > 0 && digits < 5 && std::ranges::find(units, word.substr(digits)) != units.end()
             ? std::stoi(word.substr(0, digits))
             : 0;
}

/// "InfiniBand HDR 200", "HDR100", "4x FDR": a generation and, where said, a rate that fewer lanes have.
std::string infiniband_name(const std::vector<std::string>& words)
{
  constexpr std::array<std::pair<const char*, int>, 6> generations{
      {{"qdr", 40}, {"fdr", 56}, {"edr", 100}, {"hdr", 200}, {"ndr", 400}, {"xdr", 800}}};
  int rate = 0, of_generation = 0;
  for (const std::string& word : words) {
    for (const auto& [generation, full] : generations)
      if (word.starts_with(generation)) {
        of_generation = full;
        if (const int said = gigabits(word.substr(3)); said > 0)
          rate = said;
      }
    if (const int said = gigabits(word); said > 0)
      rate = said;
  }
  const bool named = std::ranges::any_of(words, [](const auto& word) { return word == "ib" || word == "infiniband"; });
  if (of_generation == 0 && !(named && rate > 0))
    return {};
  const int wanted = rate > 0 ? rate : of_generation;
  for (const auto& [generation, full] : generations)
    if (std::abs(full - wanted) <= 2)
      return "IB-" + folded(generation);
  return {};
}

std::string ethernet_name(const std::vector<std::string>& words)
{
  int rate = 0;
  bool ethernet = false;
  for (const std::string& word : words) {
    if (const int said = gigabits(word); said > 0) {
      rate = said;
      ethernet = ethernet || word.ends_with("ge") || word.ends_with("gbe") || word.ends_with("gige");
    }
    ethernet = ethernet || word.starts_with("eth") || word.starts_with("roce") || word == "tcp" || word == "gige";
  }
  return ethernet && rate > 0 ? fmt::format("{}GbE", rate) : std::string{};
}

/// What stands around the name of a network: owners before it, endings behind it.
constexpr std::array around_models{"meta",      "tf",         "timm",     "torchvision", "nvidia", "google", "facebook",
                                   "microsoft", "hf",         "instruct", "chat",        "it",     "pt",     "base",
                                   "uncased",   "cased",      "wwm",      "v0.1",        "v0.2",   "v0.3",   "v1.0",
                                   "4k",        "8k",         "32k",      "128k",        "bf16",   "fp16",   "fp8",
                                   "pretrain",  "pretrained", "large",    "imagenet",    "model",  "dense",  "mlperf",
                                   "preview",   "thinking",   "1k",       "fpn",         "2407",   "hg"};

/// Those that share most pairs of neighbouring signs with @p name; of equal ones the most similar.
std::string nearest_names(const std::string& name, const std::vector<std::string>& names)
{
  const std::string wanted = folded(name).substr(0, 60);
  std::vector<std::tuple<int, int, std::string>> near;
  near.reserve(names.size());
  for (const std::string& one : names) {
    const std::string candidate = folded(one);
    int shared = 0;
    for (std::size_t i = 0; i + 1 < wanted.size(); ++i)
      shared += candidate.find(wanted.substr(i, 2)) != std::string::npos ? 1 : 0;
    near.emplace_back(-shared, edit_distance(wanted, candidate), one);
  }
  const std::size_t shown = std::min<std::size_t>(3, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(shown));
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < shown; ++i)
    nearest.push_back(std::get<2>(near[i]));
  return fmt::format("{}", fmt::join(nearest, ", "));
}

/// As the name of a file.
std::string file_name(const std::string& name)
{
  std::string made;
  for (const char c : name.substr(0, 60))
    made += is_word(c) || c == '.' || c == '-' || c == '_' ? c : '-';
  return made;
}

} // namespace

std::string machine_meant(const std::string& written)
{
  const auto found = spellings("machines").find(folded(written));
  return found == spellings("machines").end() ? std::string{} : found->second;
}

std::string same_name(const std::string& written, std::span<const std::string> names)
{
  const std::string wanted = folded(written);
  std::string same;
  for (const std::string& name : names)
    if (!wanted.empty() && folded(name) == wanted) {
      if (!same.empty())
        return {};
      same = name;
    }
  return same;
}

MeantEntry gpu_meant(const std::string& written, const Catalogue& catalogue)
{
  const std::vector<std::string> names = catalogue.gpu_names();
  if (MeantEntry own = own_name(written, names); !own.name.empty())
    return own;
  for (const std::string& text : {written, without(words_in(written), makers)})
    if (MeantEntry found = listed("gpus", text, names); !found.name.empty())
      return found;
  const GpuName wanted = gpu_name(written);
  std::vector<std::string> cards;
  for (const auto& [name, gpu] : catalogue.gpus) {
    const GpuName card = gpu_name(name);
    const double size = wanted.gigabytes, have = gpu.memory.value() / 1e9;
    if (!wanted.words.empty() && card.words == wanted.words && wanted.may_have_form(card.form) &&
        (card.form != "nvl" || wanted.form == "nvl") &&
        (size == 0 || std::min(std::abs(have / size - 1), std::abs(have / (1.0737 * size) - 1)) < 0.08))
      cards.push_back(name);
  }
  if (cards.empty())
    return {};
  const auto board =
      std::ranges::find_if(cards, [](const auto& name) { return name.find("SXM") != std::string::npos; });
  return {.name = board == cards.end() ? cards.front() : *board, .other = true, .chosen = cards.size() > 1};
}

MeantEntry link_meant(const std::string& written, const Catalogue& catalogue)
{
  const std::vector<std::string> names = catalogue.link_names();
  if (MeantEntry own = own_name(written, names); !own.name.empty())
    return own;
  std::vector<std::string> words = words_in(written);
  const std::string plain = without(words, makers);
  for (const std::string& text : {written, plain})
    if (MeantEntry found = listed("links", text, names); !found.name.empty())
      return found;
  std::erase(words, "gen"); // "PCIe Gen4 x16", "PCIe 4.0 x16", "NVLink 4.0"
  std::string generation;
  for (std::string& word : words) {
    if (word.starts_with("gen"))
      word.erase(0, 3);
    if (word.ends_with(".0"))
      word.resize(word.size() - 2);
    generation += word;
  }
  for (const std::string& text : {generation, generation + "x16", infiniband_name(words), ethernet_name(words)})
    if (MeantEntry found = listed("links", text, names); !found.name.empty())
      return {.name = found.name, .other = true};
  return {};
}

MeantEntry model_meant(const std::string& written)
{
  const std::vector<std::string> names = Registry<DnnSource>::instance().names();
  if (MeantEntry own = own_name(written, names); !own.name.empty())
    return own;
  if (MeantEntry found = listed("models", written, names); !found.name.empty())
    return found;
  std::vector<std::string> words =
      words_in(written.substr(written.find('/') == std::string::npos ? 0 : written.rfind('/') + 1));
  const auto around = [](const std::string& word) {
    return std::ranges::find(around_models, word) != around_models.end();
  };
  while (!words.empty()) {
    if (MeantEntry found = listed("models", fmt::format("{}", fmt::join(words, " ")), names); !found.name.empty())
      return {.name = found.name, .other = true};
    if (around(words.front()))
      words.erase(words.begin());
    else if (around(words.back()))
      words.pop_back();
    else
      break;
  }
  return {};
}

std::string meant_text(const std::string& written, const MeantEntry& meant)
{
  return meant.other ? fmt::format("{}'{}' is {}", meant.chosen ? "assumed: " : "", written, meant.name) : "";
}

std::string gpu_description_lines(const std::string& name, const Catalogue& catalogue)
{
  const auto pattern = catalogue.gpus.find("H100-SXM5");
  if (pattern == catalogue.gpus.end())
    return {};
  const Gpu& like = pattern->second;
  const std::string file = file_name(name);
  return fmt::format(
      "the nearest are {}; to describe it, write these lines with its own figures into mine/gpus/{}.yaml and add "
      "--catalogue mine:\n"
      "  name: {}\n"
      "  description: {}\n"
      "  peak: {{fp32: {:g} TFLOP/s, bf16: {:g} TFLOP/s}} # of its data sheet, without sparsity\n"
      "  memory: {:g} GB\n"
      "  memory_bandwidth: {:g} GB/s\n"
      "  compute_efficiency: 0.6 # share of the peak that kernels reach: assumed\n"
      "  kernel_launch: 5 us\n"
      "  power: {:g} W\n"
      "  source: \"its data sheet\"\n"
      "  board: {{intra: nvswitch, gpus: 8, nics: 8, nic: IB-NDR, pcie: PCIe5-x16, nvlink_generation: 4, "
      "source: \"its data sheet\"}}",
      nearest_names(name, catalogue.gpu_names()), file, file, file, like.peak.at("fp32").value() / 1e12,
      like.peak.at("bf16").value() / 1e12, std::round(like.memory.value() / 1e9), like.memory_bandwidth.value() / 1e9,
      like.power.value());
}

std::string link_description_lines(const std::string& name, const Catalogue& catalogue)
{
  const std::string file = file_name(name);
  return fmt::format("the nearest are {}; say its rate, as bandwidth: 100 Gbit/s beside the link of its kind, or write "
                     "these lines into mine/links/{}.yaml and add --catalogue mine:\n"
                     "  name: {}\n"
                     "  kind: ethernet # or infiniband, pcie, nvlink, xgmi\n"
                     "  bandwidth: 12.5 GB/s # of one direction\n"
                     "  latency: 1 us # of one hop\n"
                     "  source: \"its data sheet\"",
                     nearest_names(name, catalogue.link_names()), file, file);
}

std::string model_description_lines(const std::string& name)
{
  return fmt::format(
      "the nearest are {}; a config.json of Hugging Face, an ONNX file or a CSV file of layers does, too (model: "
      "config.json). To describe it, write for a transformer\n"
      "  model: {{name: transformer, layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocabulary: "
      "128256,\n"
      "          sequence_length: 8192, gated: true, biases: false, tied: false, learnt_positions: false}}\n"
      "and for any other network, layer by layer, elements of each tensor and operations of a sample\n"
      "  model:\n"
      "    name: {}\n"
      "    layers:\n"
      "      - {{name: first, parameters: [1728, 64], flop: 87e6, activations: 802816}}\n"
      "      - {{name: last, parameters: [2048000, 1000], flop: 4.1e6, activations: 1000}}",
      nearest_names(name, Registry<DnnSource>::instance().names()), file_name(name));
}

} // namespace trainyard
