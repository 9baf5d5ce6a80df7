// SPDX-License-Identifier: Apache-2.0
#include "models/cost/profile.hpp"

#include "models/core/diagnostics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace trainyard {
namespace {

Profile sample()
{
  Profile profile;
  profile.name = "box";
  profile.created = "2026-11-21T05:00:00Z";
  profile.program = "simcal 0.1.0";
  profile.machine = {{"cpu", "Example CPU, 2 cores"}};
  profile.missing = {{"gpu_gemm", "no NVIDIA driver on this machine"}};
  CalibratedConstant latency;
  latency.name = "transport.tcp.latency";
  latency.unit = "s";
  latency.value = {25e-6, 24e-6, 27e-6};
  latency.samples = 90;
  CalibratedConstant limit = latency;
  limit.name = "transport.tcp.stream_limit";
  limit.unit = "B/s";
  limit.value = {1.1e9, 1.0e9, 1.2e9};
  limit.state = "not converged";
  profile.constants = {latency, limit};
  CalibratedCurve curve;
  curve.name = "tcp.one_way";
  curve.size_unit = "B";
  curve.points = {{1024, 26e-6, 25e-6, 28e-6, 30, ""}};
  curve.fit.pieces = {{1024, 1e6, 25e-6, 1e9}};
  curve.roof = 1.25e9;
  curve.roof_source = "line rate";
  profile.curves = {curve};
  return profile;
}

std::string fault_of(const std::string& text)
{
  try {
    parse_profile(text, "box.json");
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.where.line) + ": " + first.message;
  }
  return "none";
}

TEST(Profile, ReadsWhatItWrote)
{
  const Profile back = parse_profile(profile_text(sample()), "box.json");
  EXPECT_EQ(profile_text(back), profile_text(sample()));
  ASSERT_NE(back.find("transport.tcp.latency"), nullptr);
  EXPECT_EQ(back.find("transport.tcp.latency")->value.high, 27e-6);
  EXPECT_EQ(back.curves.front().fit.pieces.front().rate, 1e9);
  EXPECT_EQ(back.find("nothing"), nullptr);
}

TEST(Profile, SaysWhatMakesItDoubtful)
{
  Profile profile = sample();
  EXPECT_EQ(texts_of(doubts(profile, "2026-11-22T05:00:00Z"), MessageKind::part),
            std::vector<std::string>{"transport.tcp.stream_limit: not converged"});
  profile.complete = false;
  profile.constants.clear();
  const std::vector<std::string> old = texts_of(doubts(profile, "2027-11-21T05:00:00Z"), MessageKind::part);
  ASSERT_EQ(old.size(), 2u);
  EXPECT_EQ(old[0], "stale: measured 365 days ago");
  EXPECT_EQ(old[1], "not complete: the calibration was interrupted or failed in part");
}

TEST(Profile, FaultsOfForeignAndBrokenFilesNameThePlace)
{
  EXPECT_EQ(fault_of("{\"a\": 1}"),
            "1: this is not a calibration file: it has no 'trainyard_calibration'; simcal writes such files");
  EXPECT_EQ(fault_of("{\"trainyard_calibration\": 9}"),
            "1: the file has version 9, this program reads up to 1; calibrate again or use a newer program");
  EXPECT_EQ(fault_of("{\"trainyard_calibration\": 1, \"name\": \"x\"}"), "1: the calibration has no 'created'");
  EXPECT_EQ(fault_of("{\"trainyard_calibration\": 1, \"name\": \"x\", \"created\": \"y\",\n\"constants\": [{\"name\": "
                     "\"c\", \"unit\": "
                     "\"s\", \"value\": -1}]}"),
            "2: 'c': needs 0 <= value and low <= value <= high");
  EXPECT_EQ(fault_of("{\"trainyard_calibration\": 1, \"name\": \"x\", \"created\": \"y\",\n\"curves\": {}}"),
            "2: 'curves' of the calibration must be a list [...]");
  std::string cut = profile_text(sample());
  cut.resize(cut.rfind("]"));
  EXPECT_NE(fault_of(cut).find("is the file cut off?"), std::string::npos) << fault_of(cut);
}

TEST(Profile, DamagedTextIsRefusedWithItsPlaceOrReadsAsAProfileThatCanBeWritten)
{
  const std::string good = profile_text(sample());
  const auto lines = static_cast<int>(std::ranges::count(good, '\n')) + 1;
  int refused = 0, read = 0;
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char c : {'{', '"', '9', '-'}) {
      std::string damaged = good;
      damaged[i] = c;
      SCOPED_TRACE("character " + std::to_string(i) + " is now " + c);
      try {
        const std::string text = profile_text(parse_profile(damaged, "box.json"));
        EXPECT_EQ(profile_text(parse_profile(text, "again.json")), text);
        ++read;
        // Brackets hold the text together: no profile without one of them.
        EXPECT_TRUE(damaged == good || std::string{"{}[]"}.find(good[i]) == std::string::npos) << text;
      } catch (const InputError& error) {
        ++refused;
        const Diagnostic& first = error.diagnostics().front();
        EXPECT_EQ(first.where.file, "box.json");
        EXPECT_GE(first.where.line, 1);
        EXPECT_LE(first.where.line, lines);
        EXPECT_FALSE(first.message.empty());
      }
    }
  // Both happen: letters of a name can be changed, brackets cannot.
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

TEST(Profile, WritingToAFullDiskOrAMissingFolderSaysSo)
{
  try {
    write_profile(sample(), "/nonexistent-folder/box.json");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write '/nonexistent-folder/box.json': No such file or directory");
  }
  EXPECT_THROW(read_profile("/nonexistent-folder/box.json"), std::runtime_error);
}

} // namespace
} // namespace trainyard
