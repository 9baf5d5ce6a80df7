// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/longest_time.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "models/core/shared_list.hpp"
#include "models/core/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace trainyard {
namespace {

TEST(SharedList, ComparesAsItsValuesDoAndCopiesShareThem)
{
  const SharedList<int> list = std::vector{3, 1, 2};
  const SharedList<int> copy = list, equal = std::vector{3, 1, 2}, longer = {3, 1, 2, 0}, empty;
  EXPECT_EQ(copy.begin(), list.begin());
  EXPECT_NE(equal.begin(), list.begin());
  EXPECT_EQ(equal, list);
  EXPECT_NE(longer, list);
  EXPECT_LT(list, longer);
  EXPECT_LT(empty, list);
  EXPECT_EQ(empty, SharedList<int>{std::vector<int>{}});
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(list.size(), 3U);
  EXPECT_EQ(list[2], 2);
}

TEST(Quantity, DividesBytesByBandwidthIntoSeconds)
{
  const Seconds time = 100_MB / 12.5_GBps;
  EXPECT_DOUBLE_EQ(time.value(), 0.008);
  static_assert(std::is_same_v<decltype(1_GB / 1_GB), double>);
  EXPECT_DOUBLE_EQ((25_Gbitps).value(), 3.125e9);
}

TEST(ParseQuantity, ReadsDecimalBinaryAndBitUnits)
{
  EXPECT_DOUBLE_EQ(parse_quantity("25 Gbit/s", QuantityKind::bandwidth).value, 3.125e9);
  EXPECT_DOUBLE_EQ(parse_quantity("1 GiB/s", QuantityKind::bandwidth).value, 1073741824.0);
  EXPECT_DOUBLE_EQ(parse_quantity("16GB", QuantityKind::bytes).value, 16e9);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5 h", QuantityKind::duration).value, 5400);
  EXPECT_DOUBLE_EQ(parse_quantity("15.7 TFLOP/s", QuantityKind::flops_rate).value, 15.7e12);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5", QuantityKind::ratio).value, 0.5);
}

TEST(ParseTime, RefusesWhatTheClockCannotReachTwice)
{
  // The clock has 2^62 ns; half of that is 2,305,843,009.2 s.
  EXPECT_EQ(parse_time("2305843009 s").value, 2305843009);
  EXPECT_EQ(parse_time("26688 d").value, 26688 * 86400.0);
  for (const char* text : {"2305843010 s", "26689 d", "3e9 s", "8e9 s", "1e300 h"})
    EXPECT_EQ(parse_time(text).error, "times beyond 73 years are not simulated") << text;
  EXPECT_EQ(parse_time("3").error, parse_quantity("3", QuantityKind::duration).error);
}

TEST(ParseQuantity, RefusesBareNumbersAndAmbiguousUnitsWithTheWayOut)
{
  EXPECT_EQ(parse_quantity("25", QuantityKind::bandwidth).error,
            "'25' has no unit; a bandwidth is written like '25 Gbit/s'");
  EXPECT_EQ(parse_quantity("25 Gbps", QuantityKind::bandwidth).error,
            "unit 'Gbps' can mean bits or bytes; write 'Gbit/s' for bits or 'GB/s' for bytes");
  EXPECT_EQ(parse_quantity("fast", QuantityKind::duration).error, "'fast' is not a duration; write for example '5 ms'");
  EXPECT_FALSE(parse_quantity("1e999 s", QuantityKind::duration));
  EXPECT_FALSE(parse_quantity("nan s", QuantityKind::duration));
}

TEST(ToText, PicksTheUnitThatKeepsTheNumberShort)
{
  EXPECT_EQ(to_text(12.5_GBps), "12.5 GB/s");
  EXPECT_EQ(to_text(5_us), "5 us");
  EXPECT_EQ(to_text(0_s), "0 s");
  EXPECT_EQ(to_text(Seconds{90}), "1.5 min");
}

TEST(EditDistance, CountsASwapOfNeighboursOnce)
{
  EXPECT_EQ(edit_distance("ring", "rign"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("GPU", "gpu"), 0);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(DidYouMean, OffersTheNearestNameOnlyWhenItIsNear)
{
  const std::vector<std::string> names{"V100", "A100", "K80"};
  EXPECT_EQ(did_you_mean("V10O", names), "; did you mean 'V100'?");
  EXPECT_EQ(did_you_mean("tpu-v3", names), "");
}

TEST(DidYouMean, SaysWhatToUseInsteadOfANameThatIsGone)
{
  const std::vector<std::string> formats{"swf", "page"}; // "page" is one letter from "paje"
  EXPECT_EQ(did_you_mean("paje", formats), "; it is gone: ui.perfetto.dev shows trace.json.gz of a results folder; "
                                           "runs.csv has the times of a queue");
  EXPECT_EQ(did_you_mean("--emit", std::vector<std::string>{"--limit"}),
            "; it is gone: docs/how-to/sweep.md has scripts for Slurm, Kubernetes and GNU parallel around --shard");
}

// "A100" is one letter from "A10", but it is the beginning of the names that its user means.
TEST(DidYouMean, OffersTheNamesThatTheWordBegins)
{
  const std::vector<std::string> names{"A10", "A100-PCIe-40GB", "A100-SXM4-40GB", "GB200", "B200-SXM"};
  EXPECT_EQ(did_you_mean("A100", names), "; did you mean 'A100-PCIe-40GB' or 'A100-SXM4-40GB'?");
  EXPECT_EQ(did_you_mean("a100", names), "; did you mean 'A100-PCIe-40GB' or 'A100-SXM4-40GB'?");
  EXPECT_EQ(did_you_mean("B200", names), "; did you mean 'B200-SXM'?");
  EXPECT_EQ(did_you_mean("A1", names), "; did you mean 'A10'?"); // too short to be the beginning of a name
}

TEST(DidYouMean, OffersANameOnceThatIsThereTwice)
{
  EXPECT_EQ(did_you_mean("job", std::vector<std::string>{"job-1", "job-1"}), "; did you mean 'job-1'?");
  EXPECT_EQ(did_you_mean("job", std::vector<std::string>{"job-1", "job-2", "job-1", "job-2"}),
            "; did you mean 'job-1' or 'job-2'?");
}

TEST(DidYouMean, OffersANameThatTheWordGoesOnFrom)
{
  const std::vector<std::string> names{"staleness", "servers", "stale"};
  EXPECT_EQ(did_you_mean("staleness_bound", names), "; did you mean 'staleness'?");
  EXPECT_EQ(did_you_mean("servers_per_node", names), "; did you mean 'servers'?");
  EXPECT_EQ(did_you_mean("stalenessbound", names), "; did you mean 'staleness'?");
  EXPECT_EQ(did_you_mean("serv", names), "; did you mean 'servers'?");
  EXPECT_EQ(did_you_mean("ser", names), ""); // too short to tell much
  const std::vector<std::string> rules{"async", "bounded", "sync", "sync_replicas"};
  EXPECT_EQ(did_you_mean("asynchronous", rules), "; did you mean 'async'?");
  EXPECT_EQ(did_you_mean("synchronous", rules), "; did you mean 'sync'?");
}

TEST(DidYouMean, OffersTheNameOfTheInitials)
{
  const std::vector<std::string> modes{"all_reduce", "generic", "parameter_server"};
  EXPECT_EQ(did_you_mean("ps", modes), "; did you mean 'parameter_server'?");
  EXPECT_EQ(did_you_mean("ps_async", modes), "; did you mean 'parameter_server'?");
  EXPECT_EQ(did_you_mean("pt", modes), "");
  EXPECT_EQ(did_you_mean("g", modes), ""); // of one word
}

TEST(DidYouMean, OffersNamesThatAreDescribedByTheWord)
{
  const std::map<std::string, std::string> policies{
      {"fifo", "first in, first out"}, {"gittins", "highest index (Tiresias)"}, {"las", "least service (Tiresias)"}};
  EXPECT_EQ(did_you_mean("tiresias", policies), "; did you mean 'gittins' or 'las'?");
  EXPECT_EQ(did_you_mean("fifi", policies), "; did you mean 'fifo'?");
  EXPECT_EQ(did_you_mean("out", policies), ""); // too short to tell much
}

// What a person knows of a GPU is the number; how the catalogue goes on from there is ours.
TEST(DidYouMean, WordsWithDigitsCountMoreThanSpelling)
{
  const std::vector<std::string> names{
      "A10",      "A100-PCIe-80GB", "A100-SXM4-40GB", "A100-SXM4-80GB", "A40",           "H100-PCIe", "H100-SXM5",
      "H200-SXM", "L40S",           "RTX-A6000",      "V100-SXM2-16GB", "llama3.1_405b", "llama3_8b", "llama3_70b"};
  EXPECT_EQ(did_you_mean("H200-SXM5", names), "; did you mean 'H200-SXM'?");
  EXPECT_EQ(did_you_mean("H100-SXM", names), "; did you mean 'H100-SXM5'?");
  EXPECT_EQ(did_you_mean("A100-80GB", names), "; did you mean 'A100-PCIe-80GB' or 'A100-SXM4-80GB'?");
  EXPECT_EQ(did_you_mean("NVIDIA H100 80GB HBM3", names), "; did you mean 'H100-PCIe' or 'H100-SXM5'?");
  EXPECT_EQ(did_you_mean("Tesla-V100", names), "; did you mean 'V100-SXM2-16GB'?");
  EXPECT_EQ(did_you_mean("A6000", names), "; did you mean 'RTX-A6000'?");
  EXPECT_EQ(did_you_mean("L40", names), "; did you mean 'L40S'?");
  EXPECT_EQ(did_you_mean("llama3_405b", names), "; did you mean 'llama3.1_405b'?");
  EXPECT_EQ(did_you_mean("Gaudi2", names), "");
}

TEST(Format, PutsTheCaretBelowTheColumn)
{
  const Diagnostic fault{Severity::error,
                         {"small.yaml", 3, 1},
                         "unknown key 'gpus_per_nodes'; did you mean 'gpus_per_node'?",
                         "gpus_per_nodes: 8"};
  EXPECT_EQ(format(fault), "small.yaml:3:1: error: unknown key 'gpus_per_nodes'; did you mean 'gpus_per_node'?\n"
                           "  gpus_per_nodes: 8\n"
                           "  ^\n");
}

TEST(Diagnostics, ListsAHundredOfEachKindAndCountsTheRest)
{
  Diagnostics one;
  for (int line = 1; line <= 250; ++line) {
    one.error({"a.yaml", line, 1}, "wrong");
    if (line <= 100)
      one.error({"a.yaml", line, 1}, "wrong"); // said once
  }
  for (int line = 1; line <= 101; ++line)
    one.warning({"a.yaml", line, 1}, "doubtful");
  EXPECT_EQ(one.errors(), 250);
  const std::vector<Diagnostic> listed = one.sorted();
  ASSERT_EQ(listed.size(), 202U);
  EXPECT_EQ(listed[198].where.line, 100);
  std::vector<std::string> last = {format(listed[200]), format(listed[201])};
  std::ranges::sort(last);
  EXPECT_EQ(last, (std::vector<std::string>{"error: and 150 more errors\n", "warning: and 1 more warning\n"}));

  Diagnostics all; // a list that takes over another knows how many they were
  all.error({"b.yaml", 1, 1}, "wrong, too");
  for (const Diagnostic& diagnostic : listed)
    all.add(diagnostic);
  EXPECT_EQ(all.errors(), 251);
  const std::vector<Diagnostic> together = all.sorted();
  EXPECT_TRUE(std::ranges::any_of(together, [](const Diagnostic& d) { return d.message == "and 151 more errors"; }));
}

TEST(Diagnostics, ThrowsAllFaultsAtOnceInOrderOfLines)
{
  Diagnostics diagnostics;
  diagnostics.error({"a.yaml", 9, 1}, "second");
  diagnostics.warning({"a.yaml", 2, 1}, "first");
  diagnostics.error({"a.yaml", 9, 1}, "second"); // the same fault found twice
  try {
    diagnostics.throw_if_errors();
    FAIL();
  } catch (const InputError& fault) {
    ASSERT_EQ(fault.diagnostics().size(), 2U);
    EXPECT_EQ(fault.diagnostics()[0].message, "first");
    EXPECT_STREQ(fault.what(), "a.yaml:2:1: warning: first\na.yaml:9:1: error: second\n");
  }
}

TEST(Random, StreamsDependOnSeedAndNameOnly)
{
  const Random random{7};
  RandomStream a = random.stream("arrivals");
  RandomStream again = Random{7}.stream("arrivals");
  RandomStream b = random.stream("jitter");
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, again.next());
  EXPECT_NE(first, b.next());
}

TEST(Random, DistributionsHaveTheirMeans)
{
  RandomStream stream = Random{3}.stream("means");
  constexpr int draws = 200000;
  double exponential = 0, normal = 0, gamma = 0, weibull = 0;
  for (int i = 0; i < draws; ++i) {
    exponential += stream.exponential(2);
    normal += stream.normal(5, 2);
    gamma += stream.gamma(3, 0.5);
    weibull += stream.weibull(2, 1);
  }
  // Five standard errors each: deviation / sqrt(draws) is 0.0045, 0.0045, 0.0019, 0.001.
  EXPECT_NEAR(exponential / draws, 2, 0.0225);
  EXPECT_NEAR(normal / draws, 5, 0.0225);
  EXPECT_NEAR(gamma / draws, 1.5, 0.01);
  EXPECT_NEAR(weibull / draws, std::sqrt(3.14159265358979) / 2, 0.006); // Gamma(1.5)
}

struct Animal {
  virtual ~Animal() = default;
  virtual double legs() const = 0;
};

class Insect final : public Animal
{
public:
  explicit Insect(const Settings& settings) : legs_{settings.number("legs", 6)} {}
  static std::vector<Parameter> parameters()
  {
    return {{.name = "legs", .kind = "integer", .default_value = "6", .meaning = "number of legs"}};
  }
  double legs() const override { return legs_; }

private:
  double legs_;
};

TY_REGISTER(Animal, Insect, "insect", "has six legs");

TEST(Registry, CreatesByNameWithSettings)
{
  const auto& registry = Registry<Animal>::instance();
  Settings settings;
  settings.set("legs", 5.0);
  EXPECT_EQ(registry.create("insect")->legs(), 6);
  EXPECT_EQ(registry.create("insect", settings)->legs(), 5);
  EXPECT_EQ(registry.find("insect")->parameters.size(), 1U);
  EXPECT_THROW(registry.create("insekt"), std::invalid_argument);
}

} // namespace
} // namespace trainyard
