// SPDX-License-Identifier: Apache-2.0
/// simrun --fail and --mtbf as a user meets them; a run repeated from its manifest has the same failures.
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tests::read_bytes;

struct FailureOptions : ::testing::Test {
  fs::path folder = fs::temp_directory_path() / ("trainyard-failures-" + std::to_string(::getpid()));

  FailureOptions() { fs::create_directories(folder); }
  ~FailureOptions() override { fs::remove_all(folder); }
  int simrun(const std::string& arguments) const
  {
    const std::string command = "cd '" + folder.string() + "' && '" + (tests::program_folder() / "simrun").string() +
                                "' " + arguments + " --no-plots > out 2> err";
    return WEXITSTATUS(std::system(command.c_str()));
  }
};

TEST_F(FailureOptions, FailAddsAFailureAndTheManifestRepeatsIt)
{
  ASSERT_EQ(simrun("swarm_failures --fail node:node-2@5min+1min -o first"), 0) << read_bytes(folder / "err");
  EXPECT_THAT(read_bytes(folder / "first/events.txt"), HasSubstr("00:05:00 node-2 lost"));
  ASSERT_EQ(simrun("first/manifest.json -o second"), 0) << read_bytes(folder / "err");
  EXPECT_EQ(read_bytes(folder / "first/events.txt"), read_bytes(folder / "second/events.txt"));
}

TEST_F(FailureOptions, WrongWordsAreRefusedWithTheWayOut)
{
  EXPECT_EQ(simrun("swarm_failures --fail rack:9@1h"), 2);
  EXPECT_THAT(read_bytes(folder / "err"), HasSubstr("there is no rack '9'"));
  EXPECT_EQ(simrun("swarm_failures --fail rock:1@1h"), 2);
  EXPECT_THAT(read_bytes(folder / "err"), HasSubstr("--fail: unknown kind of failure 'rock'; did you mean 'rack'?"));
  EXPECT_EQ(simrun("swarm_failures --mtbf gpu"), 2);
  EXPECT_THAT(read_bytes(folder / "err"), HasSubstr("--mtbf needs KIND=TIME, not 'gpu'"));
  EXPECT_EQ(simrun("swarm_failures --mtbf gpu=500h,node=200h,mttr=1h -o drawn"), 0) << read_bytes(folder / "err");
}

} // namespace
} // namespace trainyard
