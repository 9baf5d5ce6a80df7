// SPDX-License-Identifier: Apache-2.0
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"

namespace trainyard::app {
namespace {

[[maybe_unused]] const bool completion_registered =
    register_command({"completion",
                      "print the completion script for a shell",
                      "The installed package contains these scripts. Use this command where it is not installed.",
                      {{"SHELL", "", "SHELL", "bash, zsh or fish", "", true, false, {"bash", "zsh", "fish"}}},
                      {{"source <(simrun completion bash)", "complete commands, options and names in this shell"}},
                      [](const Arguments& arguments) {
                        print(completion_script(arguments.value("SHELL")));
                        return static_cast<int>(done);
                      }});

[[maybe_unused]] const bool man_registered =
    register_command({"man",
                      "print the man page",
                      {},
                      {{"--markdown", "", "", "print it as a page of the documentation"}},
                      {},
                      [](const Arguments& arguments) {
                        print(arguments.has("--markdown") ? commands_page() : man_page());
                        return static_cast<int>(done);
                      },
                      true});

} // namespace
} // namespace trainyard::app
