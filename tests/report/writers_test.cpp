// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/safe_text.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "tests/report/sample_results.hpp"
#include "tests/support/read_bytes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::read_bytes;

struct ReportFiles : ::testing::Test {
  ReportFiles() { fs::create_directories(folder); }
  ~ReportFiles() override { fs::remove_all(folder); }

  const fs::path folder = fs::path{::testing::TempDir()} /
                          ("report-" + std::string{::testing::UnitTest::GetInstance()->current_test_info()->name()});
};

// FIPS 180-4 examples, and the empty text.
TEST(Sha256, EqualsThePublishedExamples)
{
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ReportText, ShowsThreeDigitsAndTheFittingUnit)
{
  EXPECT_EQ(rate_text(12.345), "12.3");
  EXPECT_EQ(rate_text(1234567.8), "1,234,568");
  EXPECT_EQ(time_text(Seconds{0.0123456}), "12.3 ms");
  EXPECT_EQ(time_text(Seconds{1.5e-6}), "1.50 us");
  EXPECT_EQ(time_text(Seconds{7200}), "120 min");
  EXPECT_EQ(percent_text(0.984), "98 %");
}

TEST(ReportText, WritesWhatIsBeyondAnyRealNumberWithAnExponent)
{
  EXPECT_EQ(time_text(Seconds{3.6e300}), "1.00e+297 h");
  EXPECT_EQ(rate_text(1e300), "1.00e+300");
  EXPECT_EQ(rate_text(2.5e14), "250,000,000,000,000");
}

TEST(ReportTable, AlignsColumnsByCharactersAndWritesNoEscapesUnlessAsked)
{
  const std::string text =
      table_text({{"name", false}, {"value", true}}, {{{"µs"}, {"1"}}, {{"longer"}, {"1,234"}}}, false);
  EXPECT_EQ(text, "name    value\nµs          1\nlonger  1,234\n");
  EXPECT_THAT(results_told(tests::sample_results()).text(), Not(HasSubstr("\033")));
  EXPECT_THAT(for_terminal(results_told(tests::sample_results()).text(true)), HasSubstr("\033["));
}

TEST(Advice, NamesTheWinnerTheMarginAndWhatHoldsTheOtherBack)
{
  Results results;
  for (const auto& [variant, workers, rate] :
       {std::tuple{"ps", 1, 100.0}, {"ring", 1, 100.0}, {"ps", 8, 300.0}, {"ring", 8, 700.0}}) {
    JobRow row;
    row.model = "vgg16";
    row.sample = "image";
    row.variant = variant;
    row.workers = workers;
    row.samples_per_second = {rate, rate, rate};
    row.bottleneck.text = "NIC of ps-0: 98 % busy";
    results.jobs.push_back(row);
  }
  EXPECT_EQ(answer_text(results),
            "vgg16: ring wins at 8 GPUs with 700 images/s, 2.3 times ps, whose bottleneck is NIC of ps-0: 98 % busy.");
  results.jobs.resize(1);
  EXPECT_EQ(answer_text(results), "");
}

TEST(Advice, SaysThatAsynchronousTrainingIsStale)
{
  EXPECT_THAT(answer_text(tests::sample_results()), HasSubstr("ring wins"));
  Results results = tests::sample_results();
  std::erase_if(results.jobs, [](const JobRow& row) { return row.variant == "ring"; });
  EXPECT_THAT(answer_text(results),
              HasSubstr("convergence is not modelled: the best synchronous variant is ps:4 sync"));
}

TEST(Csv, QuotesWhatNeedsItAndLeavesMissingNumbersEmpty)
{
  Results results = tests::sample_results();
  EXPECT_THAT(events_csv(results), HasSubstr(",submitted,train,\"2 workers, \"\"gang\"\"\"\n"));
  results.jobs.front().samples_per_second.mean = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(jobs_csv(results), Not(HasSubstr(",nan")));
  EXPECT_THAT(summary_json(results), Not(HasSubstr("NaN")));
  const auto columns = [](const std::string& line) { return std::ranges::count(line, ','); };
  std::istringstream lines{jobs_csv(results)};
  std::string header;
  std::string line;
  std::getline(lines, header);
  while (std::getline(lines, line))
    EXPECT_EQ(columns(line), columns(header));
}

TEST(Manifest, ReadsBackWhatItWroteAndNoticesDamage)
{
  Results results = tests::sample_results();
  results.run.overrides = {"jobs.0.workers=4"};
  results.run.seed = 18446744073709551615ULL;
  const std::string text = manifest_json(results);
  const RunInfo run = read_manifest(text, "manifest.json");
  EXPECT_EQ(run.scenario_text, results.run.scenario_text);
  EXPECT_EQ(run.overrides, results.run.overrides);
  EXPECT_EQ(run.seed, results.run.seed);
  std::string damaged = text;
  damaged.replace(damaged.find("name: vgg16"), 4, "Name");
  EXPECT_THROW(read_manifest(damaged, "manifest.json"), InputError);
  EXPECT_THROW(read_manifest("{}", "manifest.json"), InputError);
  EXPECT_THROW(read_manifest("not json", "manifest.json"), InputError);
  EXPECT_THROW(read_manifest(R"({"kind":"trainyard manifest","schema_version":99})", "manifest.json"), InputError);
  for (const char* unlike : {R"({"kind":1})", R"({"kind":"trainyard manifest","schema_version":"2"})",
                             R"({"kind":"trainyard manifest","schema_version":99,"trainyard_version":[]})"}) {
    EXPECT_THROW(read_manifest(unlike, "manifest.json"), InputError) << unlike;
    EXPECT_THROW(read_summary(unlike, "summary.json"), InputError) << unlike;
  }
}

TEST(Summary, ExplainsFromWhatWasWritten)
{
  const Results results = tests::sample_results();
  const Results read = read_summary(summary_json(results), "summary.json");
  ASSERT_EQ(read.jobs.size(), results.jobs.size());
  EXPECT_EQ(read.jobs.back().critical_path.front().lane, "worker-0 compute");
  EXPECT_EQ(explain_text(read, 1).text().substr(0, 60), explain_text(results, 1).text().substr(0, 60));
  EXPECT_THAT(explain_text(read, 1).text(), HasSubstr("exposed communication"));
}

// Thousands of jobs make a file that tools can read line by line; what a text says moves no job to another place.
// What cells of jobs.csv and the list of what is assumed say is there by id, each once.
TEST(Summary, HasTheMessagesOfCellsAndAssumptions)
{
  static constexpr Sentence<std::string> held{"test.held", "held by {what}"};
  Results results = tests::sample_results();
  for (JobRow& row : results.jobs)
    row.bottleneck = held("a link");
  results.assumed = {held("nobody"), held("one")};
  const auto json = nlohmann::json::parse(summary_json(results));
  int bottlenecks = 0;
  for (const auto& message : json.at("messages"))
    bottlenecks += message.at("text") == "held by a link" ? 1 : 0;
  EXPECT_EQ(bottlenecks, 1);
  EXPECT_EQ(json.at("messages").back().at("text"), "assumed: held by nobody; held by one");
  EXPECT_EQ(json.at("messages").back().at("arguments").at("list").at(2).at("id"), "test.held");
  EXPECT_EQ(json.at("assumed"), nlohmann::json::array({"held by nobody", "held by one"}));
}

TEST(Summary, HasALineForEachJobAndSaysNothingTwice)
{
  Results results = tests::sample_results();
  results.description = "\n  \"jobs\": [";
  results.seeds = {{.point = "", .job = "one", .first = 7, .seeds = 1, .step_s = {2, 2, 2}, .least_s = 2, .most_s = 2},
                   {.point = "", .job = "two", .first = 7, .seeds = 4, .step_s = {2, 1, 3}, .least_s = 1, .most_s = 3}};
  const std::string text = summary_json(results);
  const nlohmann::json summary = nlohmann::json::parse(text);
  ASSERT_EQ(summary["jobs"].size(), results.jobs.size());
  std::istringstream lines{text};
  std::size_t of_jobs = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find("\"step_s\":{") != std::string::npos && line.find("\"busiest\":[") != std::string::npos)
      ++of_jobs;
  EXPECT_EQ(of_jobs, results.jobs.size());
  EXPECT_FALSE(summary["seeds"][0].contains("most_s")); // one try: the row of the job says it
  const Results read = read_summary(text, "summary.json");
  EXPECT_EQ(read.description, results.description);
  EXPECT_EQ(read.seeds[0].seeds, 1);
  EXPECT_EQ(read.seeds[1].most_s, 3);
}

// A long document leaves in pieces, none of which is much longer than it may be; together they are the document.
TEST(Summary, LeavesInPiecesWhereItIsLong)
{
  Results results = tests::sample_results();
  constexpr std::size_t jobs = 2000; // each takes more than 500 B
  results.jobs.resize(jobs, results.jobs.front());
  results.jobs.back().step_s = {-0.0, 0.1, 1e300}; // numbers that were written before are written alike
  std::vector<std::string> pieces;
  summary_json(results, [&](std::string_view piece) { pieces.emplace_back(piece); });
  ASSERT_GT(pieces.size(), 2U);
  std::string text;
  for (const std::string& piece : pieces) {
    EXPECT_LT(piece.size(), long_piece + 100'000);
    text += piece;
  }
  const nlohmann::json summary = nlohmann::json::parse(text);
  ASSERT_EQ(summary["jobs"].size(), jobs);
  EXPECT_EQ(summary["jobs"][jobs - 2], summary["jobs"][0]);
  EXPECT_TRUE(std::signbit(summary["jobs"][jobs - 1]["step_s"]["mean"].get<double>()));
  EXPECT_EQ(summary["jobs"][jobs - 1]["step_s"]["high"], 1e300);
}

// Spans that overlap on one lane go to threads of their own, or a viewer would nest them.
TEST(Trace, IsJsonWithOneThreadPerRowOfALane)
{
  const nlohmann::json trace = nlohmann::json::parse(trace_json(tests::sample_results()));
  std::map<int, double> busy_until;
  int bars = 0;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") {
      ++bars;
      EXPECT_GE(event["ts"].get<double>() + 1e-3, busy_until[event["tid"]]);
      busy_until[event["tid"]] = event["ts"].get<double>() + event["dur"].get<double>();
    }
  EXPECT_EQ(bars, 49);
}

// By hand: 0.6 to 2.2 ns and on from there are 1 to 2 ns and on from 2 ns. A length rounded by itself (1.6 ns are 2)
// would reach 3 ns. 0.1 s + 0.2 s is a little more than 0.3 s, and no overlap.
TEST(Trace, RoundedBarsThatFollowEachOtherTouch)
{
  Results results;
  const auto bars = [&](double first, double second, double second_begin, double third) {
    const auto bar = [](double begin, double end) {
      return TraceSpan{"", "train", "gpu",          LaneKind::compute, "x", Role::forward,
                       0,  0,       Seconds{begin}, Seconds{end},      0,   {}};
    };
    results.spans = {bar(first, second), bar(second_begin, third)};
    return trace_json(results);
  };
  EXPECT_THAT(bars(0.6e-9, 2.2e-9, 2.2e-9, 9e-9),
              AllOf(HasSubstr(R"("ts":0.001,"dur":0.001,)"), HasSubstr(R"("ts":0.002,"dur":0.007,)")));
  const std::string touching = bars(0.1, 0.1 + 0.2, 0.3, 0.4);
  EXPECT_THAT(touching, Not(HasSubstr("gpu #2")));
  EXPECT_THAT(touching, AllOf(HasSubstr(R"("ts":100000.000,"dur":200000.000,)"),
                              HasSubstr(R"("ts":300000.000,"dur":100000.000,)")));
}

// 2^-10 s are 976.5625 us, and 3 * 2^-10 s are 2929.6875: halfway between two texts, which IEEE 754 rounds to the even
// one; 0.0004 us are none, and what is below 0 keeps its sign.
TEST(Trace, TimesAreRoundedToTheNearestNanosecond)
{
  Results results;
  const auto bar = [&](double begin, double end) {
    results.spans = {
        {"", "a\"b", "gpu", LaneKind::compute, "x", Role::forward, 0, 0, Seconds{begin}, Seconds{end}, 0, {}}};
    return trace_json(results);
  };
  EXPECT_THAT(bar(0x1p-10, 0x1p-8), HasSubstr(R"("ts":976.562,"dur":2929.688,)"));
  EXPECT_THAT(bar(4e-10, 1.0004e-6), HasSubstr(R"("ts":0.000,"dur":1.000,)"));
  EXPECT_THAT(bar(-1.5e-6, 12345.678901), HasSubstr(R"("ts":-1.500,"dur":12345678902.500,)"));
  EXPECT_THAT(bar(0, 1), HasSubstr(R"("name":"a\"b")"));
}

// Forward on a GPU, a message, its sum on a server: an arrow into the message and one out of it, each bound to the bar
// that begins at its time.
TEST(Trace, ArrowsLeadFromMessagesToWhatWaitedForThem)
{
  Results results;
  const auto bar = [](const char* lane, Role role, double begin, double end, int operation, std::vector<int> before) {
    return TraceSpan{"", "train", lane,           LaneKind::compute, "x",       role,
                     0,  0,       Seconds{begin}, Seconds{end},      operation, std::move(before)};
  };
  results.spans = {bar("gpu", Role::forward, 0, 1, 7, {}), bar("network", Role::push, 1, 3, 8, {7}),
                   bar("cpu", Role::aggregate, 4, 5, 9, {8, 3})}; // operation 3 is not drawn
  const nlohmann::json trace = nlohmann::json::parse(trace_json(results));
  std::map<int, double> threads; // begin in microseconds
  std::vector<std::pair<double, double>> arrows;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X")
      threads[event["tid"]] = event["ts"];
    if (event["ph"] != "s" && event["ph"] != "f")
      continue;
    EXPECT_EQ(event["ts"].get<double>(), threads[event["tid"]]);
    const auto number = event["id"].get<std::size_t>();
    arrows.resize(std::max(arrows.size(), number));
    (event["ph"] == "s" ? arrows[number - 1].first : arrows[number - 1].second) = event["ts"];
  }
  EXPECT_EQ(arrows, (std::vector<std::pair<double, double>>{{0, 1e6}, {1e6, 4e6}}));
}

TEST_F(ReportFiles, WritesAWholeFolderThatCanBeReplacedByteForByte)
{
  const Results results = tests::sample_results();
  write_results(results, folder / "run");
  std::map<std::string, std::string> first;
  for (const auto& entry : fs::directory_iterator{folder / "run"})
    first[entry.path().filename()] = read_bytes(entry.path());
  EXPECT_EQ(first.size(), 13U); // with the hidden list of the files
  write_results(results, folder / "run");
  for (const auto& [name, text] : first)
    EXPECT_TRUE(read_bytes(folder / "run" / name) == text) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}), 1)
      << "an unfinished folder is left";

  gzFile trace = gzopen((folder / "run/trace.json.gz").c_str(), "rb");
  std::string text(1U << 20U, '\0');
  text.resize(static_cast<std::size_t>(gzread(trace, text.data(), static_cast<unsigned>(text.size()))));
  gzclose(trace);
  EXPECT_EQ(text, trace_json(results));
}

TEST_F(ReportFiles, DoesNotReplaceAFolderOfSomethingElse)
{
  fs::create_directories(folder / "precious");
  write_file(folder / "precious/thesis.tex", "years");
  EXPECT_THROW(write_results(tests::sample_results(), folder / "precious"), InputError);
  EXPECT_EQ(read_bytes(folder / "precious/thesis.tex"), "years");
}

TEST_F(ReportFiles, KeepsWhatTheUserPutIntoTheEarlierFolder)
{
  const fs::path run = folder / "run";
  const Results results = tests::sample_results();
  write_results(results, run);
  ASSERT_TRUE(fs::exists(run / "timeline.svg"));
  write_file(run / "notes.txt", "mine");
  fs::create_directories(run / "plots");
  write_file(run / "plots/a.svg", "mine, too");
  for (int again = 0; again < 2; ++again) { // the list of the first folder, then that of the second
    write_results(results, run, false);
    EXPECT_EQ(read_bytes(run / "notes.txt"), "mine");
    EXPECT_EQ(read_bytes(run / "plots/a.svg"), "mine, too");
    EXPECT_FALSE(fs::exists(run / "timeline.svg")) << "a file of the earlier run stays beside those of this one";
  }
  EXPECT_EQ(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}), 1);
}

// A copy without hidden files, and a folder of an earlier version.
TEST_F(ReportFiles, WithoutTheListEveryFileThatIsNotWrittenAgainStays)
{
  const fs::path run = folder / "run";
  write_results(tests::sample_results(), run, false);
  const std::string summary = read_bytes(run / "summary.json");
  write_file(run / "notes.txt", "mine");
  write_file(run / "summary.json", "of an earlier version");
  ASSERT_TRUE(fs::remove(run / ".files"));
  write_results(tests::sample_results(), run, false);
  EXPECT_EQ(read_bytes(run / "notes.txt"), "mine");
  EXPECT_EQ(read_bytes(run / "summary.json"), summary);
}

// The user's folder has the name of a new file: both stay.
TEST_F(ReportFiles, WritesBesideTheFolderWhereAFileOfTheUserHasTheNameOfANewOne)
{
  const fs::path run = folder / "run";
  const auto fill = [](const char* more) {
    return [more](const fs::path& to) {
      if (*more != '\0')
        write_file(to / more, "");
      write_file(to / "manifest.json", "{}");
    };
  };
  write_folder(run, fill(""));
  fs::create_directories(run / "mine");
  write_file(run / "mine/a.txt", "years");
  try {
    write_folder(run, fill("mine"));
    FAIL() << "it was replaced";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(read_bytes(run / "mine/a.txt"), "years");
    EXPECT_TRUE(fs::exists(run / "manifest.json"));
    EXPECT_TRUE(fs::exists(folder / "run.1/mine"));
    EXPECT_EQ(error.what(), fmt::format("'{0}/mine/a.txt' was not written by simrun and would be replaced; the results "
                                        "are in '{0}.1', and '{0}' is as it was. Move what is yours, or give --force",
                                        run.string()));
  }
  EXPECT_EQ(write_folder(run, fill("mine"), {.force = true}),
            "--force removed from '" + run.string() + "' what simrun had not written: mine/a.txt");
  EXPECT_TRUE(fs::is_regular_file(run / "mine"));
}

TEST_F(ReportFiles, SaysWhichFileCannotBeWritten)
{
  write_file(folder / "file", "");
  try {
    write_results(tests::sample_results(), folder / "file/run");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot create the folder"));
  }
  if (fs::exists("/dev/full")) {
    OutputFile full{"/dev/full"};
    full.write("x");
    EXPECT_THROW(full.close(), std::runtime_error);
    EXPECT_THROW(write_gzip_file("/dev/full", std::string(100000, 'x')), std::runtime_error);
  }
}

TEST_F(ReportFiles, DrawsBothPlotsWithoutADisplay)
{
  const char* keep = std::getenv("TRAINYARD_KEEP_PLOTS");
  const fs::path to = keep != nullptr ? fs::path{keep} : folder;
  EXPECT_TRUE(plot_throughput(tests::sample_results(), to / "throughput"));
  EXPECT_TRUE(plot_timeline(tests::sample_results(), to / "timeline"));
  EXPECT_EQ(read_bytes(to / "throughput.png").substr(1, 3), "PNG");
  EXPECT_THAT(read_bytes(to / "timeline.svg"), HasSubstr("<svg"));
  EXPECT_FALSE(plot_timeline(Results{}, to / "none"));
  EXPECT_FALSE(plot_throughput(Results{}, to / "none"));
}

} // namespace
} // namespace trainyard
