// SPDX-License-Identifier: Apache-2.0
// From what drivers, labels and schedulers call a GPU to its name in the catalogue: "NVIDIA A100 80GB PCIe",
// "nvidia_a100_80gb_pcie" and "a100-80gb" all begin with the model, which must be there as a whole; the form of the
// board and the size of the memory then choose among the cards of that model.
#include "models/hardware/gpu_name.hpp"

#include "models/core/text.hpp"
#include "models/hardware/mig.hpp"
#include "models/import/importer.hpp"
#include "models/scenario/other_names.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace trainyard {
namespace {

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
    const GpuName card = gpu_name(name);
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
    if (const std::string card = gpu_name(name).model();
        card.starts_with(model) && std::isdigit(static_cast<unsigned char>(card[model.size()])) == 0)
      cards.push_back(name);
  return cards;
}

/// A bare number behind the model that is the memory of one of its cards, "A100-80", is the size.
void take_bare_size(GpuName& wanted, const std::vector<std::string>& cards, const Catalogue& catalogue)
{
  const std::size_t model = gpu_name(cards.front()).words.size();
  for (std::size_t i = model; i < wanted.words.size() && wanted.gigabytes == 0; ++i)
    if (const double size = as_number<double>(wanted.words[i]).value_or(0);
        size > 0 && std::ranges::any_of(cards, [&](const std::string& card) {
          return memory_gap(catalogue.gpus.at(card), 0, size) < 0.08;
        })) {
      wanted.gigabytes = size;
      wanted.words.erase(wanted.words.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// Cards of later series that a name without its brand may mean too: "rtx6000" is a Quadro RTX 6000 or an RTX 6000 Ada.
void add_namesakes(std::vector<std::string>& cards, const std::string& text, const GpuName& wanted,
                   const Catalogue& catalogue)
{
  const std::string brand = lower_case(cards.front().substr(0, cards.front().find('-')));
  if (lower_case(text).find(brand) != std::string::npos)
    return;
  for (const auto& [name, gpu] : catalogue.gpus)
    if (const GpuName card = gpu_name(name); card.words.size() > wanted.words.size() && card.begins_with(wanted))
      cards.push_back(name);
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

std::string usual_mig_gpu(const MigProfile& profile)
{
  if (mig_gpu("", 0, profile).compute < 7)
    return "A30";
  const bool quarter = profile.compute == 1 && (profile.gigabytes == 20 || profile.gigabytes == 24 ||
                                                profile.gigabytes == 35 || profile.gigabytes == 45);
  const double gigabytes = mig_memory(profile) / (quarter ? 2e9 : 1e9);
  return gigabytes < 60    ? "A100-SXM4-40GB"
         : gigabytes < 88  ? "A100-SXM4-80GB"
         : gigabytes < 120 ? "H100-SXM5-96GB"
         : gigabytes < 160 ? "H200-SXM"
                           : "B200-SXM";
}

std::string ImportContext::gpu(const std::string& text, const ImportPlace& place, double memory_bytes) const
{
  if (catalogue.gpus.contains(text))
    return text;
  GpuName wanted = gpu_name(text);
  std::vector<std::string> cards = cards_of(wanted, catalogue);
  const bool near = cards.empty();
  if (near)
    cards = near_cards_of(wanted, catalogue);
  if (cards.empty()) {
    const MeantEntry meant = gpu_meant(text, catalogue); // a spelling that the catalogue lists
    return meant.name.empty() ? unknown_gpu(place, fmt::format("'{}' is not in the catalogue", text)) : meant.name;
  }
  if (!near) {
    take_bare_size(wanted, cards, catalogue);
    add_namesakes(cards, text, wanted, catalogue);
  }
  if (wanted.form.empty()) // cards with a bridge are named so
    if (std::vector<std::string> others = cards;
        std::erase_if(others, [](const std::string& card) { return gpu_name(card).form == "nvl"; }) > 0 &&
        !others.empty())
      cards = others;
  std::string lacks = near ? text : rest_of(wanted, gpu_name(cards.front())); // what the catalogue does not have
  if (!wanted.form.empty()) {
    std::vector<std::string> same;
    for (const std::string& card : cards)
      if (wanted.may_have_form(gpu_name(card).form))
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
    report.assumed({"GPU '{}' is a {}", text, best}, {"the catalogue has no '{}'", lacks}, place);
  else if (cards.size() > 1)
    report.assumed({"GPU '{}' is a {}", text, best}, {"the name also fits {}", fmt::join(cards, ", ")}, place);
  return best;
}

} // namespace trainyard
