// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace trainyard {

/// All @p size bytes from, and to, the socket of a child process; false where the other end is gone.
bool read_all(int socket, void* to, std::size_t size);
bool write_all(int socket, const void* from, std::size_t size);

/// "killed by signal 9 (Killed)", "ended with 1": of the status that waitpid gives.
std::string ending_of(int status);

} // namespace trainyard
