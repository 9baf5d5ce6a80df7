// SPDX-License-Identifier: Apache-2.0
/// simrun sweep and merge as a user meets them: one file whatever computed it, resumed after any end.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <random>
#include <sqlite3.h>
#include <thread>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::Outcome;
using tests::read_bytes;

constexpr const char* small_sweep = R"(question: does it run?
cluster:
  node_types:
    worker: {gpu: V100-SXM2-16GB, gpus: 1, price: 3 $/h}
    server: {}
  nodes:
    - {name: worker, type: worker, count: 4}
    - {name: server, type: server, count: 1}
  network: {link: 25GbE}
jobs:
  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 4, training: {mode: all_reduce}}
run: {fidelity: fluid}
sweep:
  grid: {jobs.0.workers: [1, 2, 3, 4], jobs.0.batch_per_gpu: 8..64:8}
)";
const char* const mpirun =
    "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -x ASAN_OPTIONS=detect_leaks=0";

struct SweepLine : tests::CommandLine {
  SweepLine() { write("s.yaml", small_sweep); }

  static bool has_mpi()
  {
    return std::system("command -v mpirun >/dev/null") == 0 && fs::exists(tests::program_folder() / "simrun_mpi");
  }

  std::string bytes(const std::string& name) const { return read_bytes(folder / name); }
};

TEST_F(SweepLine, ThePoolRanksAndShardsGiveTheSameBytes)
{
  const Outcome one = shell("simrun sweep s.yaml -o one.sqlite -j 1");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("s: 32 points"));
  EXPECT_THAT(one.out, HasSubstr("the best 12 by throughput"));
  EXPECT_EQ(shell("simrun sweep s.yaml -o two.sqlite -j 2").code, 0);
  EXPECT_EQ(bytes("one.sqlite"), bytes("two.sqlite"));
  ASSERT_EQ(shell("for k in 2 0 1; do simrun sweep s.yaml -o part.sqlite --shard $k/3 -j 1 || exit 9; done").code, 0);
  const Outcome merged = shell("simrun merge part.shard-*.sqlite -o merged.sqlite");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(bytes("one.sqlite"), bytes("merged.sqlite"));
  const Outcome lacking = shell("simrun merge part.shard-0-of-3.sqlite part.shard-2-of-3.sqlite -o half.sqlite");
  EXPECT_EQ(lacking.code, 4);
  EXPECT_THAT(lacking.out, HasSubstr("missing: 1, 4, 7"));
}

TEST_F(SweepLine, TwoAndThreeRanksGiveTheSameBytesAsThePool)
{
  if (!has_mpi())
    GTEST_SKIP() << "part mpi: no mpirun, or simrun_mpi was not built";
  ASSERT_EQ(shell("simrun sweep s.yaml -o one.sqlite -j 2").code, 0);
  for (const char* ranks : {"2", "3"}) {
    const Outcome run = shell(std::string{mpirun} + " -np " + ranks + " $SIMRUN sweep s.yaml --mpi -o ranks.sqlite");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("s: 32 points")) << "one rank speaks";
    EXPECT_EQ(bytes("one.sqlite"), bytes("ranks.sqlite")) << ranks << " ranks";
    fs::remove(folder / "ranks.sqlite");
  }
  const Outcome alone = shell(std::string{mpirun} + " -np 1 $SIMRUN sweep s.yaml --mpi -o ranks.sqlite");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("MPI was started with one rank"));
  EXPECT_FALSE(fs::exists(folder / "ranks.sqlite"));
}

// libsimgrid, which simrun loads, brings MPI functions of its own ("SMPI").
TEST_F(SweepLine, TheRealMpiIsUsedNotSimGridsOwn)
{
  if (!has_mpi())
    GTEST_SKIP() << "part mpi: no mpirun, or simrun_mpi was not built";
  EXPECT_THAT(shell("$(dirname $SIMRUN)/simrun_mpi --library").out, StartsWith("Open MPI"));
}

TEST_F(SweepLine, WithoutTheMpiPartTheMessageNamesThePackage)
{
  fs::create_directory(folder / "elsewhere");
  fs::copy_file(tests::program_folder() / "simrun", folder / "elsewhere" / "simrun");
  const Outcome run = shell("elsewhere/simrun sweep s.yaml --mpi -o r.sqlite");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("install the package trainyard-mpi"));
  EXPECT_FALSE(fs::exists(folder / "r.sqlite"));
}

TEST_F(SweepLine, FailedPointsSayWhyAndDoNotStopTheRest)
{
  const Outcome run = shell("simrun sweep s.yaml -o r.sqlite --grid jobs.0.workers=1,2,99");
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_THAT(run.out, HasSubstr("24 points, 8 failed"));
  EXPECT_THAT(run.out, HasSubstr("8 points failed"));
  EXPECT_THAT(run.out, HasSubstr("99"));
  const Outcome rows = shell("sqlite3 r.sqlite \"select count(*) from results where status='done' and step_s > 0\"");
  if (rows.code == 0) { // where sqlite3 is installed
    EXPECT_EQ(rows.out, "16\n");
  }
  const Outcome again = shell("simrun sweep s.yaml -o r.sqlite --grid jobs.0.workers=1,2,99");
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.out, HasSubstr("(24 of them from an earlier run)"));
  EXPECT_EQ(shell("simrun sweep s.yaml -o r.sqlite --grid jobs.0.workers=1,2,99 --retry").code, 4);
}

TEST_F(SweepLine, BadInputIsRefusedBeforeAnythingIsWritten)
{
  const std::map<std::string, std::string> faults = {
      {"--grid jobs.0.workerz=1,2", "did you mean 'workers'?"},
      {"--grid jobs.7.workers=1,2", "jobs.7"},
      {"--grid jobs.0.workers=", "there are no values"},
      {"--grid jobs.0.workers=8..4", "is empty; write the smaller end first"},
      {"--grid jobs.0.workers", "--grid needs PATH=VALUES"},
      {"--grid jobs.0.workers=a,b", "'a'"},
      {"--constraint 'workers > 100'", "none of the 32 points meets the constraints"},
      {"--constraint 'wokers > 1'", "did you mean 'workers'?"},
      {"--random 5", "give both"},
      {"--over jobs.0.workers=1..4", "give both"},
      {"--random 5 --latin-hypercube 5 --over a=1..4", "give only one of"},
      {"--shard 4/4", "shards are numbered 0 to 3"},
      {"--mpi --shard 0/4", "give only one of --mpi and --shard"},
      {"--prices none.yaml", "none.yaml"},
      {"--vary workers=1,2", "unknown option '--vary'; did you mean '--grid'?"},
      {"-k workers=1,2", "unknown option '-k'; did you mean '--grid'?"},
      {"--emit slurm", "unknown option '--emit'; it is gone: docs/how-to/sweep.md has scripts"}};
  for (const auto& [options, message] : faults) {
    const Outcome run = shell("simrun sweep s.yaml -o r.sqlite " + options);
    EXPECT_EQ(run.code, 2) << options << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(message)) << options;
    EXPECT_FALSE(fs::exists(folder / "r.sqlite")) << options;
  }
  write("notes.sqlite", "not a database at all, just my notes, and long enough to be one");
  EXPECT_EQ(shell("simrun sweep s.yaml -o notes.sqlite").code, 2);
  EXPECT_EQ(bytes("notes.sqlite"), "not a database at all, just my notes, and long enough to be one");
}

TEST_F(SweepLine, AnotherScenariosFileIsLeftAsItIs)
{
  ASSERT_EQ(shell("simrun sweep s.yaml -o r.sqlite --set jobs.0.model=vgg16 --grid jobs.0.workers=1,2").code, 0);
  const std::string before = bytes("r.sqlite");
  const Outcome other = shell("simrun sweep s.yaml -o r.sqlite");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("contains another sweep: s with 16 points"));
  EXPECT_EQ(bytes("r.sqlite"), before);
  EXPECT_EQ(shell("simrun sweep s.yaml -o r.sqlite --fresh").code, 0);
  EXPECT_NE(bytes("r.sqlite"), before);
}

/// The lines of docs/how-to/sweep.md: Slurm, PBS, Flux and Kubernetes each set one of these variables.
TEST_F(SweepLine, SchedulersNumberTheShards)
{
  ASSERT_EQ(shell("simrun sweep s.yaml -o whole.sqlite").code, 0);
  for (const std::string name : {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "FLUX_JOB_CC", "JOB_COMPLETION_INDEX"}) {
    ASSERT_EQ(shell("for k in 0 1 2; do " + name + "=$k simrun sweep s.yaml -j 1 --shard auto/3 -o " + name +
                    ".sqlite || exit 9; done; simrun merge " + name + ".shard-*.sqlite -o " + name + ".sqlite")
                  .code,
              0)
        << name;
    EXPECT_EQ(bytes(name + ".sqlite"), bytes("whole.sqlite")) << name;
  }
}

TEST_F(SweepLine, GnuParallelRunsTheShards)
{
  if (std::system("command -v parallel >/dev/null") != 0)
    GTEST_SKIP() << "part parallel: GNU parallel is not installed";
  const Outcome run = shell("export -f simrun; export SHELL=/bin/bash; "
                            "seq 0 2 | parallel --joblog p.joblog --resume 'simrun sweep s.yaml -j 1 --shard {}/3 -o "
                            "p.sqlite' && simrun merge p.shard-*.sqlite -o p.sqlite");
  ASSERT_EQ(run.code, 0) << run.err;
  ASSERT_EQ(shell("simrun sweep s.yaml -o whole.sqlite").code, 0);
  EXPECT_EQ(bytes("p.sqlite"), bytes("whole.sqlite"));
}

TEST_F(SweepLine, CtrlCKeepsWhatIsDone)
{
  const Outcome stopped = shell(
      "$SIMRUN sweep s.yaml -o r.sqlite -j 1 --grid jobs.0.batch_per_gpu=1..100 & p=$!; "
      "for i in $(seq 500); do [ -s r.sqlite-wal ] && break; sleep 0.01; done; sleep 0.05; kill -INT $p; wait $p");
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr(" points of this run are done and kept in r.sqlite. The same command continues "
                                     "the sweep: simrun sweep s.yaml"));
  EXPECT_THAT(stopped.err, HasSubstr(" --output r.sqlite"));
  const Outcome on = shell("simrun sweep s.yaml -o r.sqlite --grid jobs.0.batch_per_gpu=1..100");
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_THAT(on.out, HasSubstr("from an earlier run"));
}

// --- kill -9
// ---------------------------------------------------------------------------------------------------------------------------

int start(const fs::path& folder, const std::string& line)
{
  const int child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    if (::chdir(folder.c_str()) != 0)
      ::_exit(99);
    ::setenv("SIMRUN", (tests::program_folder() / "simrun").c_str(), 1);
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    ::execl("/bin/bash", "bash", "-c", ("exec " + line).c_str(), nullptr);
    ::_exit(98);
  }
  return child;
}

std::vector<int> children_of(int process)
{
  std::vector<int> list;
  std::error_code none;
  for (const auto& task : fs::directory_iterator{"/proc/" + std::to_string(process) + "/task", none}) {
    std::ifstream file{task.path() / "children"};
    for (int child = 0; file >> child;)
      list.push_back(child);
  }
  return list;
}

/// All processes below one, in depth-first order.
std::vector<int> below(int process)
{
  std::vector<int> list;
  for (const int child : children_of(process)) {
    list.push_back(child);
    const std::vector<int> deeper = below(child);
    list.insert(list.end(), deeper.begin(), deeper.end());
  }
  return list;
}

/// Starts the sweep repeatedly, killing one of its processes at a random moment, until @p kills have landed; each
/// finished database must be the one that an undisturbed run gives. @p victim chooses among the processes, by the
/// number of the kill.
void kill_and_resume(const fs::path& folder, const std::string& line, const std::string& expected, int kills,
                     unsigned seed, const std::function<int(int process, int kill)>& victim)
{
  std::mt19937 draw{seed}; // the standard fixes its numbers
  int landed = 0, finished = 0;
  // Moments are drawn within the time that a whole run takes here and now, however busy the machine is: most attempts
  // land a kill, and each resumed run has less left to do than the one before.
  const auto begun = std::chrono::steady_clock::now();
  int whole = 0;
  ::waitpid(start(folder, line), &whole, 0);
  const auto whole_ms = static_cast<unsigned>(std::clamp<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count(), 60,
      20'000));
  ASSERT_EQ(read_bytes(folder / "killed.sqlite"), expected);
  fs::remove(folder / "killed.sqlite");
  for (int attempt = 0; attempt < 40 * kills && (landed < kills || finished == 0); ++attempt) {
    const int process = start(folder, line);
    const auto pause = std::chrono::milliseconds{10 + draw() % (whole_ms / 2)};
    const auto until = std::chrono::steady_clock::now() + (landed < kills ? pause : std::chrono::milliseconds{60'000});
    int status = 0;
    bool ended = false;
    while (!ended && std::chrono::steady_clock::now() < until) {
      ended = ::waitpid(process, &status, WNOHANG) == process;
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    if (!ended) {
      const int target = victim(process, landed);
      if (target > 0 && ::kill(target, SIGKILL) == 0)
        ++landed;
      if (target != process) // the others notice by themselves: a pool goes on, an MPI job ends
        for (int i = 0; i < 10'000 && !ended; ++i) {
          ended = ::waitpid(process, &status, WNOHANG) == process;
          std::this_thread::sleep_for(std::chrono::milliseconds{2});
        }
      if (!ended) { // mpirun of Open MPI 4.1 sometimes waits for ever once its ranks are gone
        ::kill(process, SIGKILL);
        ::waitpid(process, &status, 0);
      }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ++finished;
      ASSERT_EQ(read_bytes(folder / "killed.sqlite"), expected) << "after " << landed << " kills";
      for (const auto& file : fs::directory_iterator{folder})
        if (file.path().filename().string().starts_with("killed."))
          fs::remove(file.path());
    }
  }
  EXPECT_GE(landed, kills);
  EXPECT_GE(finished, 1);
}

TEST_F(SweepLine, AKillBeforeTheFirstTableIsWrittenLeavesAFileThatCanBeUsed)
{
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "killed.sqlite").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr),
            SQLITE_OK); // what a sweep does first
  sqlite3_close(database);
  ASSERT_GT(fs::file_size(folder / "killed.sqlite"), 0U);
  ASSERT_EQ(shell("simrun sweep s.yaml -o whole.sqlite").code, 0);
  const Outcome run = shell("simrun sweep s.yaml -o killed.sqlite");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(bytes("whole.sqlite"), bytes("killed.sqlite"));
}

TEST_F(SweepLine, TwelveKillsOfMastersAndWorkersLeaveTheSameDatabase)
{
  const std::string options = " --grid jobs.0.batch_per_gpu=1..40";
  ASSERT_EQ(shell("simrun sweep s.yaml -o whole.sqlite" + options).code, 0);
  kill_and_resume(folder, "$SIMRUN sweep s.yaml -j 2 -o killed.sqlite" + options, bytes("whole.sqlite"), 12, 1,
                  [](int process, int kill) {
                    const std::vector<int> workers = children_of(process);
                    return kill % 3 != 2 || workers.empty() ? process
                                                            : workers[static_cast<std::size_t>(kill) % workers.size()];
                  });
}

TEST_F(SweepLine, EightKillsOfRanksAndTheirWorkersLeaveTheSameDatabase)
{
  if (!has_mpi())
    GTEST_SKIP() << "part mpi: no mpirun, or simrun_mpi was not built";
  const std::string options = " --grid jobs.0.batch_per_gpu=1..40";
  ASSERT_EQ(shell("simrun sweep s.yaml -o whole.sqlite" + options).code, 0);
  kill_and_resume(
      folder, std::string{mpirun} + " -np 3 $SIMRUN sweep s.yaml --mpi -o killed.sqlite" + options,
      bytes("whole.sqlite"), 8, 2, [](int process, int kill) {
        std::vector<int> ranks; // and the processes that compute for them; not what mpirun has only just forked
        for (const int one : below(process)) {
          std::string name;
          std::getline(std::ifstream{"/proc/" + std::to_string(one) + "/comm"}, name);
          if (name.starts_with("simrun")) // simrun_mpi too
            ranks.push_back(one);
        }
        return ranks.empty() ? 0 : ranks[static_cast<std::size_t>(kill) % ranks.size()];
      });
}

// Somebody cut one result: it is missing, is said to be, and --retry computes the same bytes again.
TEST_F(SweepLine, AResultThatCannotBeReadIsMissing)
{
  ASSERT_EQ(shell("simrun sweep s.yaml -o a.sqlite -q && cp a.sqlite b.sqlite").code, 0);
  shell("python3 -c \"import sqlite3; d = sqlite3.connect('b.sqlite'); d.execute('update points set "
        "measures=substr(measures,1,50) where id=3'); d.commit()\"");
  const Outcome report = shell("simrun report b.sqlite -o r.html; cat r.html");
  EXPECT_THAT(report.out, HasSubstr("cannot be read: the file was cut or changed"));
  EXPECT_EQ(shell("simrun sweep s.yaml -o b.sqlite -q --retry").code, 0);
  const char* const all = "python3 -c \"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('select * from "
                          "points order by id').fetchall())\" ";
  EXPECT_EQ(shell(all + std::string{"a.sqlite"}).out, shell(all + std::string{"b.sqlite"}).out);
}

} // namespace
} // namespace trainyard
