// SPDX-License-Identifier: Apache-2.0
#include "models/core/output.hpp"

#include "models/core/diagnostics.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tests::read_bytes;

class Output : public ::testing::Test
{
protected:
  void SetUp() override
  {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  void put(const fs::path& file, const std::string& text) const
  {
    fs::create_directories((folder / file).parent_path());
    std::ofstream{folder / file} << text;
  }
  /// Everything below @p place, with the texts of files and the aims of links.
  std::map<std::string, std::string> all(const fs::path& place) const
  {
    std::map<std::string, std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator{folder / place})
      found[entry.path().lexically_relative(folder / place)] = entry.is_symlink()
                                                                   ? fs::read_symlink(entry.path()).string()
                                                               : entry.is_regular_file() ? read_bytes(entry.path())
                                                                                         : "folder";
    return found;
  }
  static void fill(const fs::path& to)
  {
    std::ofstream{to / "jobs.csv"} << "new";
    std::ofstream{to / "manifest.json"} << own;
  }

  static constexpr const char* own = R"({"kind": "trainyard manifest", "schema_version": 1})";
  fs::path folder = fs::temp_directory_path() / ("trainyard_output_" + std::to_string(::getpid()));
};

TEST_F(Output, LeavesAFolderWhoseManifestIsThatOfSomebodyElse)
{
  for (const char* manifest :
       {R"({"name": "my web app"})", "[]", "", "null", "not json", R"({"kind": "trainyard"})", R"({"kind": 3})",
        R"({"kind": "trainyard manifest"})", R"({"kind": "trainyard manifest", "schema_version": )"}) {
    put("out/manifest.json", manifest);
    put("out/jobs.csv", "mine");
    const auto before = all("out");
    EXPECT_THROW(check_folder(folder / "out"), InputError) << manifest;
    EXPECT_THROW(write_folder(folder / "out", fill), InputError) << manifest;
    EXPECT_EQ(all("out"), before) << manifest;
  }
  fs::remove(folder / "out/manifest.json");
  fs::create_symlink("/dev/zero", folder / "out/manifest.json"); // has no end
  EXPECT_THROW(write_folder(folder / "out", fill), InputError);
  EXPECT_EQ(write_folder(folder / "out", fill, {.force = true}),
            "--force removed from '" + (folder / "out").string() +
                "' what simrun had not written: jobs.csv, manifest.json");
  EXPECT_EQ(read_bytes(folder / "out/jobs.csv"), "new");
}

// An empty object is nobody's manifest, but the table beside it is somebody's: the results go beside the folder.
TEST_F(Output, AnEmptyManifestGivesNoRightToOtherFiles)
{
  put("out/manifest.json", "{}");
  put("out/jobs.csv", "mine");
  EXPECT_THROW(write_folder(folder / "out", fill), std::runtime_error);
  EXPECT_EQ(all("out"), (std::map<std::string, std::string>{{"jobs.csv", "mine"}, {"manifest.json", "{}"}}));
  EXPECT_EQ(read_bytes(folder / "out.1/jobs.csv"), "new");
}

TEST_F(Output, ALinkStaysAndTheResultsGoWhereItLeads)
{
  put("disk/target/manifest.json", own);
  put("disk/target/notes.txt", "mine");
  fs::create_directories(folder / "home");
  fs::create_symlink("../disk/target", folder / "home/link");
  write_folder(folder / "home/link", fill);
  EXPECT_EQ(fs::read_symlink(folder / "home/link"), "../disk/target");
  EXPECT_EQ(read_bytes(folder / "disk/target/jobs.csv"), "new");
  EXPECT_EQ(read_bytes(folder / "disk/target/notes.txt"), "mine");

  fs::create_symlink("../disk/not_there", folder / "home/open");
  write_folder(folder / "home/open", fill);
  EXPECT_TRUE(fs::is_symlink(folder / "home/open"));
  EXPECT_EQ(read_bytes(folder / "disk/not_there/jobs.csv"), "new");
  fs::create_symlink("../disk/r.html", folder / "home/r.html");
  replace_file(folder / "home/r.html", "report", {});
  EXPECT_TRUE(fs::is_symlink(folder / "home/r.html"));
  EXPECT_EQ(read_bytes(folder / "disk/r.html"), "report");
  EXPECT_EQ(all("home").size(), 3U) << "nothing is left beside them";
}

// The same way as at a mount point: the folder in which somebody stands keeps its identity.
TEST_F(Output, FilesMoveOneByOneWhereTheFolderCannotBeExchanged)
{
  write_folder(folder / "out", [](const fs::path& to) {
    fill(to);
    std::ofstream{to / "steps.csv"} << "earlier";
  });
  put("out/notes.txt", "mine");
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat((folder / "out").c_str(), &before), 0);
  const fs::path here = fs::current_path();
  fs::current_path(folder / "out");
  const std::string told = write_folder(".", fill);
  fs::current_path(here);
  ASSERT_EQ(::stat((folder / "out").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(told, "replaced the earlier results in .");
  const auto now = all("out");
  EXPECT_EQ(now.size(), 4U) << "the list, two files of the run, one of the user";
  EXPECT_EQ(now.at("notes.txt"), "mine");
  EXPECT_EQ(now.at("jobs.csv"), "new");
}

// A list that names files elsewhere is no reason to remove them.
TEST_F(Output, TheListReachesNoFileOutsideTheFolder)
{
  write_folder(folder / "out", fill);
  put("victim.txt", "mine");
  std::ofstream{folder / "out/.files", std::ios::app} << "../victim.txt\n";
  const fs::path here = fs::current_path();
  fs::current_path(folder / "out");
  write_folder(".", fill);
  fs::current_path(here);
  write_folder(folder / "out", fill);
  EXPECT_EQ(read_bytes(folder / "victim.txt"), "mine");
}

TEST_F(Output, ClearsAwayWhatAKilledProgramLeftAndNothingElse)
{
  put(".out.123.unfinished/jobs.csv", "half");
  put(".out.124.unfinished", "of a file");
  put(".out.125.unfinished/jobs.csv", "of a program that is running");
  put(".other.123.unfinished/jobs.csv", "of another place");
  put(".out.mine.unfinished", "mine");
  put(".out.123.earlier/notes.txt", "mine");
  const int lock = ::open((folder / ".out.125.unfinished").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  write_folder(folder / "out", fill);
  ::close(lock);
  EXPECT_FALSE(fs::exists(folder / ".out.123.unfinished"));
  EXPECT_FALSE(fs::exists(folder / ".out.124.unfinished"));
  for (const char* kept : {".out.125.unfinished", ".other.123.unfinished", ".out.mine.unfinished", ".out.123.earlier"})
    EXPECT_TRUE(fs::exists(folder / kept)) << kept;
}

TEST_F(Output, AFileStaysWhenTheNewOneCannotBeWritten)
{
  put("r.html", "made by us");
  const Replace replace{.mark = "by us"};
  const auto broken = [](const fs::path& part) {
    std::ofstream{part} << "half";
    throw std::runtime_error{"no space left"};
  };
  EXPECT_THROW(replace_file(folder / "r.html", broken, replace), std::runtime_error);
  EXPECT_EQ(all("."), (std::map<std::string, std::string>{{"r.html", "made by us"}}));
  ASSERT_EQ(::chmod((folder / "r.html").c_str(), 0640), 0);
  EXPECT_EQ(replace_file(folder / "r.html", "new, by us", replace),
            "replaced the earlier " + (folder / "r.html").string());
  struct stat status {
  };
  ASSERT_EQ(::stat((folder / "r.html").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(all("."), (std::map<std::string, std::string>{{"r.html", "new, by us"}}));
}

TEST_F(Output, AFileOfSomebodyElseStays)
{
  put("r.html", "my thesis");
  const Replace replace{.mark = "by us"};
  EXPECT_THROW(replace_file(folder / "r.html", "new", replace), InputError);
  EXPECT_EQ(read_bytes(folder / "r.html"), "my thesis");
  EXPECT_EQ(replace_file(folder / "r.html", "new", {.force = true, .mark = "by us"}),
            "--force replaced '" + (folder / "r.html").string() + "', which was not as Trainyard writes it");
  put("empty", ""); // of mktemp
  EXPECT_EQ(replace_file(folder / "empty", "new", replace), "");
  EXPECT_THROW(replace_file(folder, "new", {.force = true}), InputError);
  replace_file("/dev/null", "new", replace);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

} // namespace
} // namespace trainyard
