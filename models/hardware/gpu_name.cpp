// SPDX-License-Identifier: Apache-2.0
#include "models/hardware/gpu_name.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace trainyard {
namespace {

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

} // namespace

bool GpuName::begins_with(const GpuName& card) const
{
  return !card.words.empty() && card.words.size() <= words.size() &&
         std::equal(card.words.begin(), card.words.end(), words.begin());
}

bool GpuName::may_have_form(const std::string& of_card) const
{
  return of_card.empty() || of_card.starts_with(form) || form.starts_with(of_card);
}

std::string GpuName::model() const
{
  return fmt::format("{}", fmt::join(words, ""));
}

GpuName gpu_name(const std::string& text)
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

std::string only_gpu_named(const std::string& text, std::span<const std::string> cards)
{
  const GpuName wanted = gpu_name(text);
  std::string only;
  for (const std::string& card : cards) {
    const GpuName have = gpu_name(card);
    if (have.words != wanted.words || !wanted.may_have_form(have.form) ||
        (wanted.gigabytes > 0 && have.gigabytes > 0 && wanted.gigabytes != have.gigabytes))
      continue;
    if (!only.empty())
      return {};
    only = card;
  }
  return only;
}

} // namespace trainyard
