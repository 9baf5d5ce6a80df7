// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace trainyard {

namespace {

/// Signs that look alike count as the same one: the letter O and zero, l, I and one; capitals as small letters.
constexpr char lower(char c)
{
  const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small == 'o' ? '0' : small == 'l' || small == 'i' ? '1' : small;
}

bool alike(char a, char b)
{
  return lower(a) == lower(b);
}

} // namespace

int edit_distance(std::string_view a, std::string_view b)
{
  const std::size_t columns = b.size() + 1;
  std::vector<int> before_last(columns), last(columns), row(columns);
  for (std::size_t j = 0; j < columns; ++j)
    row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const bool same = alike(a[i - 1], b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

namespace {

/// Whether @p name goes on behind @p beginning.
bool begins(std::string_view beginning, std::string_view name)
{
  return name.size() > beginning.size() && std::ranges::equal(beginning, name.substr(0, beginning.size()), alike);
}

/// The candidates that @p word is the beginning of: "V100" of "V100-SXM2-16GB".
std::vector<std::string> begun_by(std::string_view word, std::span<const std::string> candidates)
{
  std::vector<std::string> longer;
  for (const std::string& candidate : candidates)
    if (word.size() > 2 && begins(word, candidate) && candidate[word.size()] == '-')
      longer.push_back(candidate);
  return longer;
}

int most_mistakes(std::string_view word)
{
  return std::max(1, static_cast<int>(word.size()) / 3);
}

/// Letters and digits that belong together, in small letters: "a100" and "80gb" of "A100-80GB".
std::vector<std::string> words_of(std::string_view name)
{
  std::vector<std::string> words(1);
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty())
    words.pop_back();
  return words;
}

bool have(const std::vector<std::string>& words, const std::string& word)
{
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> with_word(std::span<const std::string> candidates, const std::string& word)
{
  std::vector<std::string> having;
  for (const std::string& candidate : candidates)
    if (have(words_of(candidate), word))
      having.push_back(candidate);
  return having;
}

/// The candidates that have a word with a digit in common with @p word, the rarest of them first, and as many more of
/// its words as any of these: "A100-PCIe-80GB" and "A100-SXM4-80GB" for "A100-80GB", "H200-SXM" for "H200-SXM5".
std::vector<std::string> of_same_words(std::string_view word, std::span<const std::string> candidates)
{
  std::vector<std::string> words = words_of(word), best;
  for (const std::string& one : words)
    if (std::ranges::any_of(one, [](char c) { return c >= '0' && c <= '9'; }))
      if (std::vector<std::string> having = with_word(candidates, one);
          !having.empty() && (best.empty() || having.size() < best.size()))
        best = std::move(having);
  for (const std::string& one : words)
    if (std::vector<std::string> having = with_word(best, one); !having.empty())
      best = std::move(having);
  return best;
}

/// The first candidate of several words whose initials are the first of @p word: "parameter_server" for "ps" and
/// "ps_async".
std::optional<std::string> of_initials(std::string_view word, std::span<const std::string> candidates)
{
  const std::vector<std::string> written = words_of(word);
  for (const std::string& candidate : candidates) {
    std::string initials;
    for (const std::string& one : words_of(candidate))
      initials += one.front();
    if (initials.size() > 1 && !written.empty() && written.front() == initials)
      return candidate;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates)
{
  // Longer than any known name: not a typo, and the table would be large.
  if (word.size() > 200)
    return std::nullopt;
  if (const std::vector<std::string> longer = begun_by(word, candidates); !longer.empty())
    return longer.front();
  const int limit = most_mistakes(word);
  std::optional<std::string> best;
  int best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (std::abs(std::ssize(candidate) - std::ssize(word)) > best_distance)
      continue; // so many letters must come or go at least
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance || (distance == best_distance && begins(word, candidate))) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (const std::vector<std::string> same = of_same_words(word, candidates);
      !same.empty() && (!best || std::ranges::find(same, *best) == same.end()))
    return same.front();
  if (!best)
    best = of_initials(word, candidates);
  if (best || word.size() < 3)
    return best;
  // "staleness_bound" for "staleness", "asynchronous" for "async": a name with more behind it. The longest counts.
  for (const std::string& candidate : candidates)
    if (candidate.size() > 3 && begins(candidate, word) && (!best || candidate.size() > best->size()))
      best = candidate;
  // "param" for "parameter_server": a name that goes on. The shortest counts.
  if (!best && word.size() > 3)
    for (const std::string& candidate : candidates)
      if (begins(word, candidate) && (!best || candidate.size() < best->size()))
        best = candidate;
  if (best)
    return best;
  // "V10O" for "V100-PCIe-16GB": the beginning of a longer name.
  for (const std::string& candidate : candidates) {
    const std::size_t end = candidate.find_first_of("-_. ", 1);
    if (end == std::string::npos)
      continue;
    const int distance = edit_distance(word, std::string_view{candidate}.substr(0, end));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

namespace {

constexpr std::size_t most_offered = 6;

/// Names of earlier versions, and what to use instead.
constexpr const char *order_of_queue = "give an order, like 'sjf' or 'srtf'; 'planner' of task_environment has plans",
                     *scripts =
                         "docs/how-to/sweep.md has scripts for Slurm, Kubernetes and GNU parallel around --shard";
constexpr std::pair<std::string_view, const char*> gone[] = {
    {"heft", order_of_queue},
    {"clustering", order_of_queue},
    {"genetic", order_of_queue},
    {"mixed", order_of_queue},
    {"dctcp", "nothing measured said how right it was; use 'cubic', 'reno' or 'bbr'"},
    {"ecn_threshold", "only the congestion control 'dctcp' heeded marks, which is gone, too"},
    {"paje", "ui.perfetto.dev shows trace.json.gz of a results folder; runs.csv has the times of a queue"},
    {"--emit", scripts},
    {"--shards", scripts}};

std::string offered(const std::vector<std::string>& several)
{
  std::string all = "'" + several.front() + "'";
  for (std::size_t i = 1; i < several.size(); ++i)
    all += (i + 1 < several.size() ? ", '" : " or '") + several[i] + "'";
  return "; did you mean " + all + "?";
}

} // namespace

std::string did_you_mean(std::string_view word, const std::map<std::string, std::string>& described)
{
  std::vector<std::string> names, about;
  const std::vector<std::string> wanted = words_of(word);
  for (const auto& [name, description] : described) {
    names.push_back(name);
    if (wanted.size() == 1 && wanted.front().size() > 3 && have(words_of(description), wanted.front()))
      about.push_back(name);
  }
  const std::string like = did_you_mean(word, names);
  return like.empty() && !about.empty() && about.size() <= most_offered ? offered(about) : like;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates)
{
  for (const auto& [name, instead] : gone)
    if (word == name)
      return std::string{"; it is gone: "} + instead;
  const std::optional<std::string> match = closest(word, candidates);
  std::vector<std::string> several = begun_by(word, candidates);
  if (several.empty() && match && edit_distance(word, *match) > most_mistakes(word))
    if (std::vector<std::string> same = of_same_words(word, candidates); !same.empty() && same.front() == *match)
      several = std::move(same);
  std::set<std::string> seen; // a job may be in the results of several policies
  std::erase_if(several, [&](const std::string& name) { return !seen.insert(name).second; });
  if (several.size() > 1 && several.size() <= most_offered)
    return offered(several);
  return match ? "; did you mean '" + *match + "'?" : std::string{};
}

} // namespace trainyard
