// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace trainyard {

/// A setting of a queue policy that the jobs or machines contradict: a quota of a team that has no jobs.
class SettingFault : public std::invalid_argument
{
public:
  SettingFault(std::string key, const std::string& message) : std::invalid_argument{message}, key_{std::move(key)} {}
  /// Of the policy: "quotas".
  const std::string& key() const { return key_; }

private:
  std::string key_;
};

} // namespace trainyard
