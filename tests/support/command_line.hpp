// SPDX-License-Identifier: Apache-2.0
// simrun as a user meets it: shell lines in a folder of the test's own.
#pragma once

#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::tests {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

struct CommandLine : ::testing::Test {
  CommandLine()
  {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~CommandLine() override { std::filesystem::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const
  {
    std::ofstream{folder / name, std::ios::binary} << text;
  }

  // Runs a shell line in the test's folder; "simrun" means the program under test, "$SIMRUN" its path.
  Outcome shell(const std::string& line) const
  {
    const std::string program = (program_folder() / "simrun").string();
    const std::string command = "cd '" + folder.string() + "' && unset NO_COLOR CLICOLOR_FORCE; export SIMRUN='" +
                                program + "'; simrun() { \"$SIMRUN\" \"$@\"; }; { " + line + "; } >'" +
                                (folder / ".out").string() + "' 2>'" + (folder / ".err").string() + "'";
    const int status = std::system(("bash -c '" + escaped(command) + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_bytes(folder / ".out"),
            read_bytes(folder / ".err")};
  }

  static std::string escaped(const std::string& text)
  {
    std::string out;
    for (const char c : text)
      out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return out;
  }

  const std::filesystem::path folder = std::filesystem::path{::testing::TempDir()} /
                                       ("line-" + std::to_string(::getpid()) + "-" +
                                        std::string{::testing::UnitTest::GetInstance()->current_test_info()->name()});
};

} // namespace trainyard::tests
