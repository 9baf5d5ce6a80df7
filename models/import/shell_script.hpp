// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// How long a script of a shell waits that does nothing else ("echo begins; sleep 20m"), in seconds; 0 where it does
/// more, so that nobody knows. Commands in the background run beside the others: "sleep 30 & sleep 60" is 60 s, with
/// "wait" behind them the longest counts. Loops, pipes, substitutions and variables in a time are not known.
double sleep_in_script(const std::string& script);

/// The same for a command line: "sleep 30m", or a shell with its script ("bash -c …").
double sleep_in_command(const std::vector<std::string>& words);

} // namespace trainyard
