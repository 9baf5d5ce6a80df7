// SPDX-License-Identifier: Apache-2.0
/// simrun --fail and --mtbf as a user meets them; a run repeated from its manifest has the same failures.
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
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

// A service of one task that wants both GPUs of a machine; the other machine gives one of its own to a server.
TEST_F(FailureOptions, AServiceThatNeverEndsSaysWhy)
{
  std::ofstream{folder / "s.yaml"} << R"(question: why is it never done?
cluster: {node_types: {g: {gpu: T4, gpus: 2}}, nodes: [{name: n, type: g, count: 2}]}
orchestrator: kubernetes
services:
  - {name: train, kind: training, tasks: [{role: worker, resources: {gpus: 2}}], work: 1 h}
  - {name: web, tasks: [{role: serve, resources: {gpus: 1}}]}
run: {until: 2 h}
)";
  ASSERT_EQ(simrun("s.yaml --no-files --fail node:n-0@10min"), 0) << read_bytes(folder / "err");
  EXPECT_THAT(read_bytes(folder / "out"),
              HasSubstr("; train is not done, because train/worker-0 does not run: 0/2 nodes "
                        "fit: 1 down, 1 insufficient gpu"));
  ASSERT_EQ(simrun("s.yaml --no-files --fail node:n-0@10min+10min"), 0) << read_bytes(folder / "err");
  EXPECT_THAT(read_bytes(folder / "out"), testing::Not(HasSubstr("is not done")));
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
