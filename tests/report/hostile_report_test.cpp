// SPDX-License-Identifier: Apache-2.0
// Attempts to get something into a report that simrun did not make: scripts, links, forms, pictures from elsewhere. The
// folder may come from somebody else.
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/report_document.hpp"
#include "tests/report/sample_results.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// All that a report may hold: these tags, each with these attributes.
const std::set<std::string> tags = {"html", "head", "meta",   "title", "style",      "body",  "h1",      "h2",
                                    "h3",   "p",    "span",   "div",   "table",      "thead", "tbody",   "tr",
                                    "th",   "td",   "figure", "img",   "figcaption", "pre",   "!doctype"};
const std::set<std::string> attributes = {"lang",  "charset", "name", "content", "http-equiv",
                                          "class", "alt",     "src",  "html"};

/// What does not belong into a report; empty where all of it is simrun's.
std::string foreign_part(const std::string& html)
{
  if (html.find("default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'") ==
      std::string::npos)
    return "no policy";
  std::size_t head = 0;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    const std::size_t end = html.find('>', at);
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end;
    std::size_t i = tag.starts_with("/") ? 1 : 0;
    const std::size_t name_end = std::min(tag.find_first_of(" /", i), tag.size());
    const std::string name = tag.substr(i, name_end - i);
    if (!tags.contains(name))
      return "<" + tag + ">";
    head += name == "meta" ? 1U : 0U;
    for (i = name_end; i < tag.size();) { // name=value name="value"
      i = std::min(tag.find_first_not_of(' ', i), tag.size());
      const std::size_t equals = std::min(tag.find_first_of("= ", i), tag.size());
      const std::string attribute = tag.substr(i, equals - i);
      std::string value;
      i = equals;
      if (i < tag.size() && tag[i] == '=') {
        const bool quoted = tag[i + 1] == '"';
        const std::size_t from = i + (quoted ? 2 : 1), to = std::min(tag.find(quoted ? '"' : ' ', from), tag.size());
        value = tag.substr(from, to - from);
        i = to + (quoted ? 1 : 0);
      }
      if (!attribute.empty() && !attributes.contains(attribute))
        return attribute + " in <" + tag.substr(0, 200) + ">";
      if (attribute == "src" && !value.starts_with("data:image/svg+xml;base64,") &&
          !value.starts_with("data:image/png;base64,"))
        return "src " + value.substr(0, 200);
      if (attribute == "http-equiv" && value != "Content-Security-Policy")
        return "http-equiv " + value;
    }
  }
  return head == 4 ? "" : std::to_string(head) + " tags <meta>"; // charset, viewport, generator, policy
}

struct HostileReport : ::testing::Test {
  HostileReport()
  {
    fs::remove_all(base);
    fs::create_directories(base);
    write_results(tests::sample_results(), folder);
  }
  ~HostileReport() override { fs::remove_all(base); }

  std::string html() const { return report_html(report_of(folder)); }
  void put(const std::string& name, const std::string& text) const { write_file(folder / name, text); }
  void change_summary(const std::function<void(nlohmann::ordered_json&)>& change) const
  {
    auto json = nlohmann::ordered_json::parse(tests::read_bytes(folder / "summary.json"));
    change(json);
    put("summary.json", json.dump());
  }

  const fs::path base = fs::temp_directory_path() / ("trainyard_hostile_report_" + std::to_string(::getpid()));
  const fs::path folder = base / "run";
};

constexpr const char* svg_head = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">";

TEST_F(HostileReport, AnHonestOneHasOnlyWhatSimrunMakes)
{
  EXPECT_EQ(foreign_part(html()), "");
  EXPECT_NE(foreign_part("<script>"), "") << "the scanner sees something";
  EXPECT_THAT(html(), HasSubstr("data:image/svg+xml;base64,"));
}

TEST_F(HostileReport, PicturesAreImagesWhateverTheyHold)
{
  const std::string svg = svg_head;
  for (const std::string& picture : {
           svg + "</svg>\n<meta http-equiv=\"refresh\" content=\"0; url=https://example.org/\">",
           svg + "</svg><form action=\"https://example.org/\"><input name=\"password\"><button>Sign in</button></form>",
           svg + "<script>alert(1)</script></svg>",
           svg + "<foreignObject><iframe xmlns=\"http://www.w3.org/1999/xhtml\" "
                 "src=\"https://example.org\"/></foreignObject></svg>",
           svg + "<image href=\"https://example.org/pixel.png\"/></svg>",
           svg + "<a href=\"javascript:alert(1)\"><text>click</text></a></svg>",
           std::string{"<svg onload=\"alert(1)\"></svg>"},
           svg + "<style>@import url(https://example.org/x.css);</style></svg>",
           svg + "<![CDATA[ ]]></svg><script>alert(1)</script>]]>",
           svg + "</svg></figure></body><base href=\"https://example.org/\">",
           "<!DOCTYPE svg [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + svg + "<text>&x;</text></svg>",
           svg + "\" onerror=\"alert(1)",
       }) {
    put("throughput.svg", picture);
    const std::string report = html();
    EXPECT_EQ(foreign_part(report), "") << picture;
    EXPECT_THAT(report, Not(HasSubstr("example.org"))) << picture;
  }
}

TEST_F(HostileReport, TextsOfTheSummaryAreTexts)
{
  for (const std::string text :
       {"<script>alert(1)</script>", "</p><meta http-equiv=refresh content='0; url=https://example.org/'>",
        "\" onmouseover=\"alert(1)", "javascript:alert(1)", "]]><img src=x onerror=alert(1)>", "</title><script>",
        "</pre></body></html><form>", "&lt;script&gt;", "\x1b]0;title\x07", "\u202Eevil"}) {
    change_summary([&](nlohmann::ordered_json& json) {
      for (const char* key : {"scenario", "description", "advice"})
        json[key] = text;
      json["assumed"] = json["warnings"] = {text};
      for (auto& job : json["jobs"])
        for (const char* key : {"job", "model", "point", "bottleneck", "provenance", "provenance_note"})
          job[key] = text;
    });
    put("jobs.csv", "job,<b>column</b>\n\"" + std::string{"<i>cell</i>"} + "\"," + "\"<script>\"\n");
    put("manifest.json", nlohmann::json{{"kind", "trainyard manifest"},
                                        {"schema_version", 1},
                                        {"inputs", {{{"file", text}, {"sha256", text}}}},
                                        {"scenario", {{"text", text}}},
                                        {"calibration", text}}
                             .dump());
    const std::string report = html();
    EXPECT_EQ(foreign_part(report), "") << text;
    EXPECT_THAT(report, Not(HasSubstr("\x1b")));
    EXPECT_THAT(report, Not(HasSubstr("\u202E")));
  }
}

TEST_F(HostileReport, NamesOfPicturesAreTexts)
{
  fs::remove(folder / ".files"); // a copy without it: every picture of the folder is taken
  put("\" onerror=\"alert(1).svg", std::string{svg_head} + "</svg>");
  put("<script>alert(1)<.svg", std::string{svg_head} + "</svg>");
  EXPECT_EQ(foreign_part(html()), "");
}

TEST_F(HostileReport, OnlyPicturesThatSimrunMadeInThisFolderAreRead)
{
  const auto pictures = [](const std::string& report) {
    std::size_t count = 0;
    for (std::size_t at = report.find("<img"); at != std::string::npos; at = report.find("<img", at + 1))
      ++count;
    return count;
  };
  const std::size_t honest = pictures(html()); // throughput and timeline
  ASSERT_EQ(honest, 2U);
  put("holiday.svg", std::string{svg_head} + "<text>holiday</text></svg>");
  EXPECT_EQ(pictures(html()), honest) << "not in the list of simrun's files";

  // each takes the place of throughput.svg and throughput.png: one picture is left
  const auto with = [&](const std::function<void(const fs::path&)>& make) {
    for (const char* ending : {".svg", ".png"}) {
      fs::remove(folder / (std::string{"throughput"} + ending));
      make(folder / (std::string{"throughput"} + ending));
    }
    return pictures(html());
  };
  write_file(base / "secret.svg", std::string{svg_head} + "<text>secret</text></svg>");
  EXPECT_EQ(with([&](const fs::path& to) { fs::create_symlink("../secret.svg", to); }), 1U)
      << "a link out of the folder";
  EXPECT_EQ(with([&](const fs::path& to) { fs::create_symlink("/dev/zero", to); }), 1U) << "a file without an end";
  EXPECT_EQ(with([&](const fs::path& to) { fs::create_directories(to); }), 1U) << "a folder";
  EXPECT_EQ(with([&](const fs::path& to) { write_file(to, "<html>not a picture"); }), 1U) << "another type";
  EXPECT_EQ(with([&](const fs::path& to) { write_file(to, std::string(2000, ' ') + svg_head); }), 1U);
  EXPECT_EQ(with([&](const fs::path& to) { write_file(to, std::string{svg_head} + "\xff</svg>"); }), 1U) << "no UTF-8";
  EXPECT_EQ(with([&](const fs::path& to) {
              write_file(to, "");
              fs::resize_file(to, 3'000'000'000);
            }),
            1U)
      << "a huge file";
  EXPECT_EQ(with([&](const fs::path& to) {
              using namespace std::string_literals;
              write_file(to, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff"s);
            }),
            1U)
      << "a picture of 2^62 pixels";
  write_report_pdf(report_of(folder), base / "r.pdf");
  EXPECT_TRUE(fs::exists(base / "r.pdf"));
}

} // namespace
} // namespace trainyard
