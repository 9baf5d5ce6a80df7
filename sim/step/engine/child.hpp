// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace trainyard {

/// Runs @p work in a forked child and returns its result; nothing there can change or end the parent.
///
/// SimGrid keeps one engine per process and ends the process on errors inside it: this is the only place where it runs.
/// Throws std::runtime_error with the child's message if it throws, and with the signal or exit status when it dies.
std::string in_child(const std::function<std::string()>& work);

} // namespace trainyard
