// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: exit codes, messages, interruption, bad peers. Network tests use loopback and ports
// that the system chose.
#include "calibrate/nccl_tests.hpp"
#include "calibrate/peer.hpp"
#include "calibrate/session.hpp"
#include "calibrate/show.hpp"
#include "models/core/diagnostics.hpp"
#include "tests/calibrate/answer.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

namespace fs = std::filesystem;
using tests::program_folder;

Answer simcal(const std::string& words)
{
  return run_shell((program_folder() / "simcal").string() + " " + words);
}

fs::path scratch(const std::string& name)
{
  const fs::path folder = fs::temp_directory_path() / ("simcal_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  return folder / name;
}

TEST(Simcal, MeasuresWhatThereIsAndSaysWhatIsMissing)
{
  const fs::path file = scratch("box.json");
  const Answer plain = simcal("--quick --fresh --only cpu_memory --out " + file.string());
  ASSERT_EQ(plain.code, 0) << plain.text;
  const Profile profile = read_profile(file);
  EXPECT_TRUE(profile.complete);
  const CalibratedConstant* sum = profile.find("cpu.aggregate_bandwidth");
  ASSERT_NE(sum, nullptr);
  EXPECT_GT(sum->value.value, 1e8); // slower than any machine that runs this, faster than none
  EXPECT_LE(sum->value.low, sum->value.value);
  EXPECT_TRUE(fs::exists(scratch("box.samples.csv")));
}

TEST(Simcal, AnInterruptedCalibrationGoesOnWhereItWas)
{
  const fs::path file = scratch("resumed.json");
  Session session;
  session.output = file;
  session.options.quick = true;
  session.options.folder = file.parent_path();
  session.measurements = {"cpu_memory"};
  session.quiet = true;
  session.fresh = true;
  session.most_seconds = 0; // stops before the first case
  EXPECT_EQ(calibrate(session).exit_code, 1);
  EXPECT_FALSE(read_profile(file).complete);
  // One case of the first round, and a torn line, as a killed process leaves them.
  std::ofstream{scratch("resumed.samples.csv"), std::ios::app}
      << "0,cpu_memory.copy,16777216,B,,1.5 1.5 1.5;\n0,cpu_memory.sum,1677";
  session.fresh = false;
  session.most_seconds = 60;
  EXPECT_EQ(calibrate(session).exit_code, 0);
  const std::vector<JournalEntry> entries = read_journal(scratch("resumed.samples.csv"));
  ASSERT_EQ(entries.size(), 12u); // 4 kernels x 3 rounds, none twice
  EXPECT_EQ(entries.front().samples.seconds, (std::vector<double>{1.5, 1.5, 1.5}));
}

TEST(Simcal, BadInputEndsWithTwoAndNamesTheWayOut)
{
  EXPECT_EQ(simcal("--quik").code, 2);
  EXPECT_EQ(simcal("--quik").text, "error: unknown option '--quik'; did you mean '--quick'?; simcal --help\n");
  EXPECT_EQ(simcal("sho x").text, "error: unknown command 'sho'; did you mean 'show'?; simcal --help\n");
  EXPECT_EQ(simcal("--only tcpp --out " + scratch("x.json").string()).text,
            "error: unknown measurement 'tcpp'; did you mean 'tcp'?; simcal list shows them\n");
  EXPECT_EQ(simcal("net 127.0.0.1 --token some-token --line-rate 200 --out x.json").text,
            "error: --line-rate: '200' has no unit; a bandwidth is written like '25 Gbit/s'\n");
  std::ofstream{scratch("foreign.json")} << "{\"results\": []}";
  const Answer foreign = simcal("show " + scratch("foreign.json").string());
  EXPECT_EQ(foreign.code, 2);
  EXPECT_NE(foreign.text.find("this is not a calibration file"), std::string::npos) << foreign.text;
  std::ofstream{scratch("scenario.yaml")} << "trainyard: 1\n";
  EXPECT_NE(simcal("show " + scratch("scenario.yaml").string()).text.find("this is not a calibration file"),
            std::string::npos);
  EXPECT_EQ(simcal("show /nonexistent.json").code, 1);
}

TEST(Simcal, APeerThatIsNotThereIsNamedAndNothingHangs)
{
  const int free_port = port_of(listen_on("127.0.0.1", 0)); // closed again at once
  const Answer answer = simcal("net 127.0.0.1 --token some-token --port " + std::to_string(free_port) +
                               " --only tcp --quick --fresh --quiet --wait 1s --out " + scratch("peer.json").string());
  EXPECT_EQ(answer.code, 1) << answer.text;
  EXPECT_NE(answer.text.find("cannot connect to 127.0.0.1:" + std::to_string(free_port) +
                             ": Connection refused; is 'simcal serve' running there?"),
            std::string::npos)
      << answer.text;
  const Profile kept = read_profile(scratch("peer.json"));
  EXPECT_FALSE(kept.complete);
}

TEST(Simcal, AForeignServerIsRecognised)
{
  const Socket listening = listen_on("127.0.0.1", 0);
  std::jthread http{[&] {
    if (Socket client = accept_within(listening, 5, 5))
      client.write_all("HTTP/1.1 400 Bad Request\r\n\r\n", 28);
  }};
  Options options;
  options.host = "127.0.0.1";
  options.port = port_of(listening);
  options.most_seconds = 2;
  try {
    Peer peer{options};
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("is not a 'simcal serve': it speaks another protocol"), std::string::npos)
        << error.what();
  }
}

TEST(Simcal, APeerThatGoesAwayInTheMiddleLeavesPartialResultsMarked)
{
  const Socket listening = listen_on("127.0.0.1", 0);
  std::jthread server{[&] {
    // Says hello, answers nothing, and is gone.
    for (int i = 0; i < 4; ++i)
      if (Socket client = accept_within(listening, 1, 1)) {
        const ProbeHello hello;
        client.write_all(&hello, sizeof hello);
        ProbeToken token;
        client.read_all(&token, sizeof token);
        const char admitted = 1;
        client.write_all(&admitted, 1);
      }
  }};
  Session session;
  session.output = scratch("gone.json");
  session.options.quick = true;
  session.options.host = "127.0.0.1";
  session.options.port = port_of(listening);
  session.options.most_seconds = 1;
  session.measurements = {"tcp"};
  session.quiet = true;
  session.fresh = true;
  const SessionResult result = calibrate(session);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_FALSE(result.profile.complete);
  ASSERT_FALSE(result.profile.warnings.empty());
  EXPECT_NE(result.profile.warnings.back().find("given up after three failures in a row"), std::string::npos);
}

/// A server of the program in a thread; it ends with the object.
struct Served {
  ProbeServer server{"127.0.0.1", 0, "the-right-token"};
  std::jthread thread{[this] { server.serve(60); }};
  ~Served() { server.stop(); }
};

Options options_for(const Served& served, const std::string& token)
{
  Options options;
  options.host = "127.0.0.1";
  options.port = served.server.port();
  options.most_seconds = 5;
  options.token = token;
  return options;
}

TEST(Simcal, OnlyWhoShowsTheTokenIsServed)
{
  Served served;
  EXPECT_GE(Peer{options_for(served, "the-right-token")}.server_cpu_seconds(), 0);
  for (const char* wrong : {"the-wrong-token", "", "the-right-token-and-more"})
    try {
      Peer peer{options_for(served, wrong)};
      FAIL() << wrong;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string{error.what()}.find("refuses the token; give the one that 'simcal serve' printed"),
                std::string::npos)
          << error.what();
    }
  // a stranger's bytes are read as a token, and get the answer 0
  Socket rude = connect_to("127.0.0.1", served.server.port(), 5);
  ProbeHello hello;
  rude.read_all(&hello, sizeof hello);
  const std::vector<char> noise(sizeof(ProbeToken), 'x');
  rude.write_all(noise.data(), noise.size());
  char admitted = 1;
  rude.read_all(&admitted, 1);
  EXPECT_EQ(admitted, 0);
  EXPECT_FALSE(rude.read_or_end(&admitted, 1));
}

// Who says nothing, or one byte now and then, takes no place from those that have the token, and is gone after two
// seconds.
TEST(Simcal, SilentAndSlowClientsKeepNobodyOut)
{
  Served served;
  std::vector<Socket> silent;
  for (int i = 0; i < 300; ++i)
    silent.push_back(connect_to("127.0.0.1", served.server.port(), 5));
  std::vector<std::unique_ptr<Peer>> peers; // as many as there are places
  for (int i = 0; i < 64; ++i)
    peers.push_back(std::make_unique<Peer>(options_for(served, "the-right-token")));
  EXPECT_GE(peers.back()->server_cpu_seconds(), 0);
  EXPECT_THROW(Peer(options_for(served, "the-right-token")), std::runtime_error) << "all places are taken";
  peers.clear();

  Socket slow = connect_to("127.0.0.1", served.server.port(), 5);
  ProbeHello hello;
  slow.read_all(&hello, sizeof hello);
  const auto begin = std::chrono::steady_clock::now();
  bool gone = false;
  for (int i = 0; i < 40 && !gone; ++i) { // a byte each tenth of a second: the token would take six seconds
    pollfd waiting{slow.handle(), POLLIN, 0};
    gone = ::send(slow.handle(), "t", 1, MSG_NOSIGNAL) != 1 || ::poll(&waiting, 1, 100) > 0;
  }
  EXPECT_TRUE(gone);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds{3500});
  EXPECT_GE(Peer{options_for(served, "the-right-token")}.server_cpu_seconds(), 0) << "places become free again";
}

TEST(Simcal, AnEchoThatIsKeptWholeHasALimit)
{
  Served served;
  const Peer peer{options_for(served, "the-right-token")};
  Socket socket = peer.connect();
  const ProbeRequest request{.operation = ProbeOperation::echo, .bytes = largest_probe_bytes};
  socket.write_all(&request, sizeof request);
  char byte = 0;
  EXPECT_FALSE(socket.read_or_end(&byte, 1));
}

TEST(Simcal, NamesOfACalibrationDoNotSteerTheTerminal)
{
  Profile profile;
  profile.name = "box\x1b]0;title\a";
  profile.created = "2026-11-21T05:00:00Z";
  write_profile(profile, scratch("steer.json"));
  const Answer answer = simcal("show " + scratch("steer.json").string());
  EXPECT_EQ(answer.text.find('\x1b'), std::string::npos);
  EXPECT_NE(answer.text.find("box\\x1b]0;title\\x07"), std::string::npos) << answer.text;
  std::ofstream{scratch("mine.json")} << "mine";
  EXPECT_EQ(simcal("rates " + scratch("steer.json").string() + " --out " + scratch("mine.json").string()).code, 2);
}

TEST(Simcal, GrpcIsMeasuredWithTheToken)
{
  const std::unique_ptr<Measurement> grpc = Registry<Measurement>::instance().create("grpc", {});
  if (!grpc->missing({}).empty())
    GTEST_SKIP() << "part grpc: " << grpc->missing({});
  Served served;
  Options options = options_for(served, "the-right-token");
  options.quick = true;
  EXPECT_FALSE(grpc->measure({"grpc.one_way", 64, "B"}, options).seconds.empty());
}

TEST(Simcal, ServePrintsAFreshTokenAndEndsByItself)
{
  const Answer first = simcal("serve --port 0 --for 0.1s"), second = simcal("serve --port 0 --for 0.1s");
  EXPECT_EQ(first.code, 0);
  const auto token = [](const std::string& text) { return text.substr(text.find("--token ") + 8, 16); };
  EXPECT_NE(
      first.text.find(
          "for 100 ms; Ctrl-C ends\nwho shows the token may fill the link of this machine with probes:\n  simcal net "),
      std::string::npos)
      << first.text;
  EXPECT_EQ(token(first.text).find_first_not_of("0123456789abcdef"), std::string::npos) << first.text;
  EXPECT_NE(token(first.text), token(second.text));
  EXPECT_NE(simcal("--help").text.find("default 30 min"), std::string::npos);
}

TEST(Simcal, NetNeedsATokenAndSaysWhatItDoesToTheLink)
{
  EXPECT_EQ(simcal("net 127.0.0.1").text,
            "error: net needs --token TOKEN: 'simcal serve' prints it on the other machine\n");
  EXPECT_EQ(simcal("net 127.0.0.1 --token 'a b'").text,
            "error: --token: a token has 8 to 63 letters, digits, '-' and '_'\n");
  const int free_port = port_of(listen_on("127.0.0.1", 0)); // closed again at once
  const Answer answer = simcal("net 127.0.0.1 --token some-token --port " + std::to_string(free_port) +
                               " --only tcp --quick --fresh --wait 1s --out " + scratch("secret.json").string());
  EXPECT_NE(answer.text.find(
                "for up to 1 min this loads the link to 127.0.0.1 as much as it can, with up to 8 connections at once"),
            std::string::npos)
      << answer.text;
  std::ostringstream written;
  written << std::ifstream{scratch("secret.json")}.rdbuf();
  EXPECT_EQ(written.str().find("some-token"), std::string::npos) << "a secret in a file that is passed on";
}

TEST(Simcal, APortInUseIsNamed)
{
  const Socket taken = listen_on("0.0.0.0", 0);
  const Answer answer = simcal("serve --for 1s --port " + std::to_string(port_of(taken)));
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.text, "error: cannot listen on 0.0.0.0:" + std::to_string(port_of(taken)) +
                             ": Address already in use; choose another port with --port\n");
}

TEST(Simcal, AFullDiskIsSaidInTheSystemsWords)
{
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full on this system";
  Profile profile;
  profile.name = "x";
  fs::create_symlink("/dev/full", scratch("full.json"));
  try {
    write_profile(profile, scratch("full.json"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string{error.what()}.find("No space left on device"), std::string::npos) << error.what();
  }
}

TEST(Simcal, DiffTellsEqualWithinBarsFromDifferent)
{
  const auto with = [](double value, double low, double high) {
    Profile profile;
    profile.name = "p";
    profile.created = "2026-11-21T05:00:00Z";
    CalibratedConstant constant;
    constant.name = "cpu.rate.fp32";
    constant.unit = "flop/s";
    constant.value = {value, low, high};
    profile.constants.push_back(constant);
    return profile;
  };
  const auto verdict = [&](const Profile& a, const Profile& b) { return differences(a, b, 0.03).front(); };
  EXPECT_TRUE(verdict(with(100, 99, 101), with(102, 101.5, 103)).within_limit);
  EXPECT_FALSE(verdict(with(100, 99, 101), with(110, 109, 111)).within_bars);
  EXPECT_TRUE(verdict(with(100, 90, 110), with(110, 105, 115)).within_bars);
  EXPECT_NEAR(verdict(with(100, 90, 110), with(110, 105, 115)).relative, 0.1, 1e-12);
}

TEST(NcclTests, ReadsTheTableOfAllReducePerf)
{
  const std::string text =
      "#  Rank  0 Group  0 Pid  1 on  a device  0 [0] X\n#  Rank  1 Group  0 Pid  1 on  a device  1 [0] X\n"
      "        8       2   float   sum   -1   10.00  0.00  0.00   0   11.00  0.00  0.00  0\n"
      "  1048576  262144   float   sum   -1  104.86 10.00 10.00   0  104.86 10.00 10.00 N/A\n"
      "# Collective test concluded: all_reduce_perf\n";
  const Profile profile = import_nccl_tests(text, "t.txt");
  ASSERT_EQ(profile.curves.size(), 2u); // in place, out of place
  EXPECT_EQ(profile.curves[1].name, "nccl.all_reduce.out_of_place.float");
  EXPECT_DOUBLE_EQ(profile.curves[1].points[1].median, 104.86e-6);
  // A line through both: start-up 10 us, (1048576 - 8) B in 94.86 us; two ranks have a bus factor of 1.
  EXPECT_NEAR(profile.find("collective.all_reduce.bus_bandwidth")->value.value, 1048568 / 94.86e-6, 1e6);
  EXPECT_NEAR(profile.find("collective.all_reduce.start_up")->value.value, 10e-6, 0.01e-6);
}

// Versions before 2.17 do not name the program. Operator, root and the factor from algorithm to bus bandwidth do: on 8
// ranks 2 x 7/8 of an all-reduce, 7/8 where each rank has an eighth, 1 with a root (doc/PERFORMANCE.md). Where operator
// or root mean nothing, older versions leave the columns out.
TEST(NcclTests, TheColumnsNameTheOperationWhereNoLineDoes)
{
  std::string ranks;
  for (int rank = 0; rank < 8; ++rank)
    ranks += "#  Rank  " + std::to_string(rank) + " Group  0 Pid  1 on  a device  0 [0] X\n";
  const auto name = [&](const std::string& kind, const std::string& busbw, const std::string& in_place = "1000.00") {
    return import_nccl_tests(ranks + "  100000000  1  float " + kind + " 1000.00 100.00 " + busbw + " 0 " + in_place +
                                 " 100.00 " + busbw + " 0\n",
                             "t.txt")
        .name;
  };
  EXPECT_EQ(name("sum -1", "175.00"), "nccl-tests all_reduce");
  EXPECT_EQ(name("max", "175.00"), "nccl-tests all_reduce");
  EXPECT_EQ(name("sum -1", "87.50"), "nccl-tests reduce_scatter");
  EXPECT_EQ(name("sum 0", "100.00"), "nccl-tests reduce");
  EXPECT_EQ(name("none 0", "100.00"), "nccl-tests broadcast");
  EXPECT_EQ(name("0", "100.00"), "nccl-tests broadcast");
  EXPECT_EQ(name("none -1", "87.50"), "nccl-tests all_gather");
  EXPECT_EQ(name("", "87.50"), "nccl-tests all_gather");
  EXPECT_EQ(name("none -1", "87.50", "N/A"), "nccl-tests alltoall");
  EXPECT_EQ(name("none -1", "100.00"), "nccl-tests sendrecv");
}

TEST(NcclTests, RefusesWrongDataAndForeignText)
{
  const auto fault = [](const std::string& text) {
    try {
      import_nccl_tests(text, "t.txt");
    } catch (const InputError& error) {
      return std::to_string(error.diagnostics().front().where.line) + ": " + error.diagnostics().front().message;
    }
    return std::string{"none"};
  };
  EXPECT_EQ(fault("8 2 float sum -1 10 0 0 3 11 0 0 0\n"),
            "1: the data was wrong in 3 places, so this measurement cannot be used");
  EXPECT_EQ(
      fault("hello\n"),
      "1: the file has no row of a measurement; expected the output of a program of nccl-tests (text, or JSON of -J)");
  EXPECT_EQ(fault("{\"a\": 1}"), "1: this JSON is not from nccl-tests: it has no 'results' and 'args'");
}

TEST(NcclTests, BusFactorsAreThoseOfTheirPage)
{
  EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor("all_gather", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 8), 1);
}

} // namespace
} // namespace trainyard::calibrate
