// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <sys/wait.h>

namespace trainyard::calibrate {

/// What a command gave.
struct Answer {
  int code = 0;
  std::string text; // stdout and stderr
  std::filesystem::path file = {};
};

inline Answer run_shell(const std::string& command)
{
  Answer answer;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.text.append(buffer.data(), got);
  const int status = pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answer;
}

} // namespace trainyard::calibrate
