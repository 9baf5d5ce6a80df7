// SPDX-License-Identifier: Apache-2.0
#include "models/hardware/mig.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

bool is_digit(char c)
{
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Where "3g.20gb" begins; npos: nowhere.
std::size_t profile_at(std::string_view name)
{
  for (std::size_t at = name.find("g."); at != std::string_view::npos; at = name.find("g.", at + 1)) {
    const bool begins = at == 1 || (at > 1 && std::isalnum(static_cast<unsigned char>(name[at - 2])) == 0 &&
                                    name[at - 2] != '.'); // 1c.3g.20gb: a part of the slice 3g.20gb
    if (begins && name[at - 1] >= '1' && name[at - 1] <= '7' && at + 2 < name.size() && is_digit(name[at + 2]))
      return at - 1;
  }
  return std::string_view::npos;
}

/// Slices of memory, of eight: 3g and 4g have half of the memory each, 7g has all of it; 1g has an eighth or, as
/// 1g.10gb of a GPU of 40 GB, two.
int memory_slices(const MigProfile& profile, const MigGpu& gpu)
{
  if (profile.compute == 1 && gpu.gigabytes > 0 && profile.gigabytes > 0)
    return std::clamp(static_cast<int>(std::lround(profile.gigabytes * gpu.memory / gpu.gigabytes)), 1, gpu.memory);
  if (gpu.memory < 8) // A30
    return std::min(profile.compute, gpu.memory);
  return profile.compute <= 2 ? profile.compute : profile.compute <= 4 ? 4 : 8;
}

} // namespace

std::string to_text(const MigProfile& profile)
{
  return fmt::format("{}g.{:g}gb{}", profile.compute, profile.gigabytes, profile.media ? "+me" : "");
}

std::optional<MigProfile> mig_profile(std::string_view name)
{
  const std::size_t at = profile_at(name);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::size_t end = at + 3;
  MigProfile profile{.compute = name[at] - '0'};
  for (; end < name.size() && is_digit(name[end]) && profile.gigabytes < 1e4; ++end)
    profile.gigabytes = profile.gigabytes * 10 + (name[end] - '0');
  const std::string_view rest = name.substr(end);
  profile.media = rest.starts_with("gb+me") || rest.starts_with("gb.me");
  return profile;
}

std::string without_mig_profile(std::string_view name)
{
  name = name.substr(0, profile_at(name));
  const auto cut = [&] {
    while (!name.empty() && std::isalnum(static_cast<unsigned char>(name.back())) == 0)
      name.remove_suffix(1);
  };
  cut();
  if (const std::string last = lower_case(name.substr(name.size() - std::min<std::size_t>(3, name.size())));
      last == "mig") {
    name.remove_suffix(3);
    cut();
  }
  return std::string{name};
}

double mig_memory(const MigProfile& profile)
{
  return profile.gigabytes * 1e9 * 8 / memory_slices(profile, {});
}

MigGpu mig_gpu(std::string_view gpu, double memory_bytes, const MigProfile& profile)
{
  const std::string name = lower_case(gpu);
  const double gib = 1073741824;
  const std::size_t a30 = name.find("a30");
  const bool is_a30 = gpu.empty() ? profile.gigabytes == 6.0 * profile.compute
                                  : a30 != std::string::npos && (a30 + 3 == name.size() || !is_digit(name[a30 + 3]));
  const bool quarters =
      is_a30 || name.find("pro-6000") != std::string::npos || name.find("pro_6000") != std::string::npos;
  MigGpu whole{.gigabytes = memory_bytes / gib};
  if (quarters)
    whole.compute = whole.memory = 4;
  return whole;
}

double mig_share(const MigProfile& profile, const MigGpu& gpu)
{
  const int compute = std::min(profile.compute, gpu.compute);
  const int most = gpu.memory / memory_slices(profile, gpu);
  // 1g of two eighths leaves memory for three more; 3g has half of it, too, but 4g may lie beside it.
  return compute == 1 && most < gpu.compute ? 1.0 / most : static_cast<double>(compute) / gpu.compute;
}

int thousandths(double share)
{
  return static_cast<int>(share * 1000 + 1e-6);
}

int mig_gpus(const MigSlices& slices, const MigGpu& gpu)
{
  struct Cut {
    int compute = 0;
    int memory = 0;
    bool media = false;
  };
  MigSlices largest = slices;
  std::ranges::stable_sort(largest,
                           [](const auto& one, const auto& other) { return one.first.compute > other.first.compute; });
  std::vector<Cut> cuts;
  for (const auto& [profile, count] : largest) {
    const int compute = std::min(profile.compute, gpu.compute), memory = memory_slices(profile, gpu);
    std::size_t first = 0; // the GPUs before it have no room for this profile
    for (int i = 0; i < count; ++i) {
      while (first < cuts.size() && (cuts[first].compute + compute > gpu.compute ||
                                     cuts[first].memory + memory > gpu.memory || (profile.media && cuts[first].media)))
        ++first;
      if (first == cuts.size())
        cuts.emplace_back();
      cuts[first].compute += compute;
      cuts[first].memory += memory;
      cuts[first].media = cuts[first].media || profile.media;
    }
  }
  return static_cast<int>(cuts.size());
}

} // namespace trainyard
