// SPDX-License-Identifier: Apache-2.0
// From what drivers, labels and schedulers call a GPU to its name in the catalogue: "NVIDIA A100 80GB PCIe",
// "nvidia_a100_80gb_pcie" and "a100-80gb" all begin with the model, which must be there as a whole; the form of the
// board and the size of the memory then choose among the cards of that model.
#include "models/core/text.hpp"
#include "models/import/importer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace trainyard {
namespace {

/// The parts of a name.
struct GpuName {
  std::vector<std::string> words; // the model first: a100; titan, x; 6000, ada
  std::string form;               // sxm4, pcie, oam; empty: not said
  double gigabytes = 0;           // 0: not said

  /// Whether the model of @p card begins this name.
  bool begins_with(const GpuName& card) const
  {
    return card.words.size() <= words.size() && std::equal(card.words.begin(), card.words.end(), words.begin());
  }
  std::string model() const { return fmt::format("{}", fmt::join(words, "")); }
};

bool all_digits(std::string_view text)
{
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "80gb", "144g": 80, 144; else 0.
double gigabytes_of(std::string_view word)
{
  const std::size_t unit = word.ends_with("gb") ? 2 : word.ends_with('g') && word.size() > 2 ? 1 : 0;
  const std::string_view digits = word.substr(0, word.size() - unit);
  return unit > 0 && all_digits(digits) && digits.size() < 5 ? std::stod(std::string{digits}) : 0;
}

/// Cuts words that are written together: rtx3090, 2080ti, a100sxm4, v100m16.
void add_word(std::string word, std::vector<std::string>& words)
{
  if (word == "v100m16" || word == "v100m32") { // of Alibaba's trace openb: the mezzanine board
    words.insert(words.end(), {"v100", "sxm2", word.substr(5) + "gb"});
    return;
  }
  for (const std::string_view vendor : {"nvidia", "tesla"}) // LSF writes NVIDIAA100_PCIE_40GB
    if (word.starts_with(vendor) && word.size() > vendor.size())
      word.erase(0, vendor.size());
  for (const char* brand : {"rtx", "gtx"})
    if (word.starts_with(brand) && word.size() > 3 && word.find_first_of("0123456789") != std::string::npos)
      word.erase(0, 3);
  for (const char* form : {"sxm", "pcie", "nvl"})
    if (const std::size_t at = word.find(form); at != std::string::npos) {
      std::size_t end = at + std::string_view{form}.size();
      if (end < word.size() && *form == 's')
        ++end; // sxm4
      if (at > 0)
        words.push_back(word.substr(0, at));
      words.push_back(word.substr(at, end - at));
      if (end < word.size())
        words.push_back(word.substr(end));
      return;
    }
  if (word.size() > 2 && word.ends_with("ti") && all_digits(word.substr(0, word.size() - 2))) {
    words.push_back(word.substr(0, word.size() - 2));
    word = "ti";
  }
  words.push_back(std::move(word));
}

GpuName parts_of(const std::string& text)
{
  std::vector<std::string> all;
  std::string word;
  for (const char c : lower_case(text) + " ")
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else if (!word.empty())
      add_word(std::exchange(word, {}), all);
  static const std::set<std::string_view> no_model = {
      "nvidia", "tesla", "geforce",    "amd",     "instinct", "quadro", "rtx",   "gtx",   "graphics", "device", "gpu",
      "gb",     "board", "generation", "edition", "server",   "module", "hbm2e", "hbm3e", "mega",     "ac"};
  GpuName name;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& one = all[i];
    const bool slice = one.size() == 2 && one[0] >= '1' && one[0] <= '7' && one[1] == 'g';
    if (one == "mig" || (slice && i > 0)) // what follows is the profile of a slice
      break;
    if (const double size = i + 1 < all.size() && all[i + 1] == "gb" && all_digits(one) ? std::stod(one.substr(0, 4))
                                                                                        : gigabytes_of(one);
        size > 0)
      name.gigabytes = size;
    else if (one.starts_with("sxm") || one == "pcie" || one == "oam" || one == "nvl")
      name.form = one;
    else if (one == "hbm3" && name.words == std::vector<std::string>{"h100"})
      name.form = "sxm5"; // drivers call the board "NVIDIA H100 80GB HBM3", and the card "NVIDIA H100 PCIe"
    else if (!no_model.contains(one))
      name.words.push_back(one);
  }
  if (name.gigabytes == 480 && name.words == std::vector<std::string>{"gh200"})
    name.gigabytes = 96; // "NVIDIA GH200 480GB": the memory of the CPU; that GPU has 96 GB
  return name;
}

/// How far a GPU's memory is from a size in bytes, or from one in GB that may mean GiB, relative to it.
double memory_gap(const Gpu& gpu, double bytes, double gigabytes)
{
  const double have = gpu.memory.value();
  if (bytes > 0)
    return std::abs(have / bytes - 1);
  return std::min(std::abs(have / (gigabytes * 1e9) - 1), std::abs(have / (gigabytes * 1073741824.0) - 1));
}

/// Keeps the cards whose gap is the smallest of all; returns it.
double keep_nearest(std::vector<std::string>& cards, const Catalogue& catalogue, double bytes, double gigabytes)
{
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& card : cards)
    least = std::min(least, memory_gap(catalogue.gpus.at(card), bytes, gigabytes));
  std::erase_if(cards, [&](const std::string& card) {
    return memory_gap(catalogue.gpus.at(card), bytes, gigabytes) > least + 1e-9;
  });
  return least;
}

/// The cards of the longest model that begins the name.
std::vector<std::string> cards_of(const GpuName& wanted, const Catalogue& catalogue)
{
  std::vector<std::string> cards;
  std::size_t longest = 1;
  for (const auto& [name, gpu] : catalogue.gpus) {
    const GpuName card = parts_of(name);
    if (card.words.empty() || !wanted.begins_with(card) || card.words.size() < longest)
      continue;
    if (card.words.size() > longest)
      cards.clear();
    longest = card.words.size();
    cards.push_back(name);
  }
  return cards;
}

/// The cards whose model begins with the name: MI250X for MI250.
std::vector<std::string> near_cards_of(const GpuName& wanted, const Catalogue& catalogue)
{
  std::vector<std::string> cards;
  const std::string model = wanted.model();
  if (model.find_first_of("0123456789") == std::string::npos)
    return cards;
  for (const auto& [name, gpu] : catalogue.gpus)
    if (const std::string card = parts_of(name).model();
        card.starts_with(model) && std::isdigit(static_cast<unsigned char>(card[model.size()])) == 0)
      cards.push_back(name);
  return cards;
}

/// What the name says beyond the card, so that the card is only near: "ti", "64 GB"; empty: nothing.
std::string rest_of(const GpuName& wanted, const GpuName& card)
{
  std::string rest;
  for (std::size_t i = card.words.size(); i < wanted.words.size(); ++i)
    if (!card.model().starts_with(wanted.words[i])) // "MI250X / MI250"
      rest += (rest.empty() ? "" : " ") + wanted.words[i];
  return rest;
}

} // namespace

std::string ImportContext::gpu(const std::string& text, const ImportPlace& place, double memory_bytes) const
{
  if (catalogue.gpus.contains(text))
    return text;
  const GpuName wanted = parts_of(text);
  std::vector<std::string> cards = cards_of(wanted, catalogue);
  const bool near = cards.empty();
  if (near)
    cards = near_cards_of(wanted, catalogue);
  if (cards.empty())
    return unknown_gpu(place, fmt::format("'{}' is not in the catalogue", text));
  std::string lacks = near ? text : rest_of(wanted, parts_of(cards.front())); // what the catalogue does not have
  if (!wanted.form.empty()) {
    std::vector<std::string> same;
    for (const std::string& card : cards)
      if (const std::string form = parts_of(card).form;
          form.empty() || form.starts_with(wanted.form) || wanted.form.starts_with(form))
        same.push_back(card);
    if (same.empty() && lacks.empty())
      lacks = wanted.form;
    if (!same.empty())
      cards = same;
    else if (std::erase_if(same = cards, [](const std::string& card) { return card.find("SXM") != std::string::npos; });
             !same.empty())
      cards = same; // another card than the board of servers
  }
  if (const bool given = wanted.gigabytes > 0; given || memory_bytes > 0) {
    const double gap = keep_nearest(cards, catalogue, given ? 0 : memory_bytes, wanted.gigabytes);
    if (given && gap > 0.08 && lacks.empty())
      lacks = fmt::format("{:g} GB", wanted.gigabytes);
  } else if (cards.size() > 1) // a name without a size is the card without one, not its larger sister
    std::erase_if(cards, [all = cards](const std::string& card) {
      return std::ranges::any_of(all, [&](const auto& other) { return card.starts_with(other + "-"); });
    });
  const auto board =
      std::ranges::find_if(cards, [](const auto& name) { return name.find("SXM") != std::string::npos; });
  const std::string best = board != cards.end() ? *board : cards.front();
  if (!lacks.empty())
    report.assumed(fmt::format("GPU '{}' is a {}", text, best), fmt::format("the catalogue has no '{}'", lacks), place);
  else if (cards.size() > 1)
    report.assumed(fmt::format("GPU '{}' is a {}", text, best),
                   fmt::format("the name also fits {}", fmt::join(cards, ", ")), place);
  return best;
}

} // namespace trainyard
