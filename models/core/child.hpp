// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainyard {

/// What a child process may take; 0: as much as it likes.
struct ChildLimits {
  std::uint64_t memory = 0; // bytes, beyond what the parent has
  double seconds = 0;       // of a processor
};

/// Whether ChildLimits::memory can be kept: the address sanitizer reserves more addresses than any limit allows.
bool limits_memory();

/// A child process gave no answer: "was ended by signal Segmentation fault".
class ChildEnded : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Runs @p work in a forked child and returns its result; nothing there can change or end the parent.
///
/// SimGrid runs only there: it keeps one engine per process and ends the process on errors inside it. Throws what the
/// child throws, and ChildEnded where it dies or takes more than @p limits.
std::string in_child(const std::function<std::string()>& work, const ChildLimits& limits = {});

/// Runs @p read, which reads files that somebody else wrote, in a child with limits that follow the size of the files
/// (5 s of a processor and 900 MiB up to 1 MiB): whatever is in them, the program goes on. Throws InputError naming the
/// first file where the child dies. Inside another call it only runs @p read.
std::string read_in_child(const std::vector<std::filesystem::path>& files, const std::function<std::string()>& read);

} // namespace trainyard
