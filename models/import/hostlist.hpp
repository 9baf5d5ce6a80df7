// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Slurm's host lists: "gpu[01-04,08],login" -> gpu01 gpu02 gpu03 gpu04 gpu08 login, several brackets allowed.
///
/// Nothing where the brackets do not match, a range runs backwards, or more than @p most names would come out. Same
/// order and text as `scontrol show hostnames`.
std::optional<std::vector<std::string>> expand_hostlist(std::string_view text, std::size_t most = 1'000'000);

/// Names as a host list: successive numbers of the same width become a range.
std::string compress_hostlist(const std::vector<std::string>& names);

/// Elements of a job array, "0-9", "1-10:2", "1,3,7", with numbers from @p least on: at most 100,000; 0 where the list
/// cannot be read.
int array_elements(const std::string& list, int least);

/// Splits at commas outside brackets.
std::vector<std::string> split_hostlist(std::string_view text);

} // namespace trainyard
