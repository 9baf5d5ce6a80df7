// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// When a cron schedule fires: seconds from Monday, 1 January, 00:00 of a year with 365 days on, ascending, all before
/// @p until_s.
///
/// Five fields (minute, hour, day of the month, month, day of the week) of numbers, names, lists, ranges and steps;
/// where both days are restricted, either will do. Also @hourly, @daily, @midnight, @weekly, @monthly, @yearly,
/// @annually. Nothing where it is not a schedule. Source: crontab(5); Kubernetes, "CronJob", schedule syntax.
std::optional<std::vector<double>> cron_times(const std::string& schedule, double until_s);

} // namespace trainyard
