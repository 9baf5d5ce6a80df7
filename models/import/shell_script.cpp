// SPDX-License-Identifier: Apache-2.0
#include "models/import/training_command.hpp"

#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace trainyard {
namespace {

enum class Joint { next, both, background }; // ";" or the end of a line, "&&", "&"

struct ShellCommand {
  std::vector<std::string> words;
  Joint after = Joint::next;
};

/// Cuts a script into commands of words. Redirections are dropped.
class ShellReader
{
public:
  explicit ShellReader(const std::string& script) : script_{script} {}

  /// Nothing where the script has more than plain commands: pipes, alternatives, groups, substitutions.
  std::optional<std::vector<ShellCommand>> read()
  {
    for (at_ = 0; at_ < script_.size(); ++at_)
      if (!take(script_[at_]))
        return std::nullopt;
    if (quote_ != 0)
      return std::nullopt;
    end_command(Joint::next);
    return commands_;
  }

private:
  bool take(char c)
  {
    const char next = at_ + 1 < script_.size() ? script_[at_ + 1] : '\0';
    if (c == '`' && quote_ != '\'')
      return false;
    if (c == '$' && next == '(' && quote_ != '\'')
      return false;
    if (c == '\\' && quote_ != '\'') {
      ++at_;
      if (next != '\n')
        add(next);
      return next != '\0';
    }
    if (quote_ != 0) {
      c == quote_ ? static_cast<void>(quote_ = 0) : add(c);
      return true;
    }
    if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
      return true;
    }
    return take_plain(c, next);
  }

  bool take_plain(char c, char next)
  {
    switch (c) {
    case '|':
    case '(':
    case ')':
      return false;
    case '&':
      if (next == '>') // "&> file"
        return true;
      at_ += next == '&' ? 1U : 0U;
      end_command(next == '&' ? Joint::both : Joint::background);
      return true;
    case ';':
    case '\n':
      end_command(Joint::next);
      return true;
    case '>':
    case '<':
      if (!word_.empty() && std::ranges::all_of(word_, [](unsigned char d) { return std::isdigit(d) != 0; }))
        word_.clear(); // 2>
      end_word();
      while (at_ + 1 < script_.size() && std::string_view{"><& "}.find(script_[at_ + 1]) != std::string_view::npos)
        ++at_;
      dropped_ = true;
      return c == '>' || next != '<'; // "<<": lines that follow
    case '#':
      if (!in_word_)
        while (at_ + 1 < script_.size() && script_[at_ + 1] != '\n')
          ++at_;
      else
        add(c);
      return true;
    default:
      std::isspace(static_cast<unsigned char>(c)) != 0 ? end_word() : add(c);
      return true;
    }
  }

  void add(char c)
  {
    word_ += c;
    in_word_ = true;
  }
  void end_word()
  {
    if (in_word_ && !std::exchange(dropped_, false) && !word_.empty())
      commands_.back().words.push_back(word_);
    word_.clear();
    in_word_ = false;
  }
  void end_command(Joint joint)
  {
    end_word();
    dropped_ = false;
    if (commands_.back().words.empty())
      return;
    commands_.back().after = joint;
    commands_.emplace_back();
  }

  const std::string& script_;
  std::size_t at_ = 0;
  char quote_ = 0;
  bool in_word_ = false;
  bool dropped_ = false; // the word is the file of a redirection
  std::string word_;
  std::vector<ShellCommand> commands_{1};
};

/// "30", "1.5m", "1d"; nothing where it is no time: infinity, $SECONDS, 1h30m. Source: GNU coreutils, sleep(1).
std::optional<double> sleep_of(const std::string& word)
{
  static const std::map<char, double> units = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  const auto unit = word.empty() ? units.end() : units.find(word.back());
  const std::string number = unit == units.end() ? word : word.substr(0, word.size() - 1);
  const double time = number_of(number, -1) * (unit == units.end() ? 1 : unit->second);
  return time >= 0 && std::isfinite(time) ? std::optional{time} : std::nullopt;
}

/// Whether the command is over at once.
bool is_quick(const std::vector<std::string>& words)
{
  static const std::set<std::string_view> quick = {"echo",  "printf", "date",       "hostname", "set", "exit",  "true",
                                                   "uname", "pwd",    "nvidia-smi", "export",   "cd",  "mkdir", ":"};
  if (!quick.contains(words[0]))
    return false;
  return words[0] != "nvidia-smi" || std::ranges::none_of(words, [](const std::string& word) { // these never end
           return word.starts_with("-l") || word.starts_with("--loop") || word == "dmon" || word == "pmon";
         });
}

/// How long the arguments of `sleep` are together.
std::optional<double> sleep_of_all(const std::vector<std::string>& words)
{
  double sum = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::optional<double> time = sleep_of(words[i]);
    if (!time)
      return std::nullopt;
    sum += *time;
  }
  return sum;
}

bool is_sleep(const std::string& word)
{
  return word == "sleep" || word.ends_with("/sleep");
}

} // namespace

double sleep_in_script(const std::string& script)
{
  const auto commands = ShellReader{script}.read();
  if (!commands)
    return 0;
  double now = 0, chain = 0; // the commands that "&&" joins
  double last = 0;           // end of what runs in the background
  for (const ShellCommand& command : *commands) {
    std::vector<std::string> words = command.words;
    const bool replaces = !words.empty() && words[0] == "exec"; // nothing runs after it
    if (replaces)
      words.erase(words.begin());
    if (words.empty())
      continue;
    if (is_sleep(words[0])) {
      const std::optional<double> time = sleep_of_all(words);
      if (!time)
        return 0;
      chain += *time;
    } else if (words[0] == "wait" && words.size() == 1) {
      chain = std::max(chain, last - now);
    } else if (!is_quick(words)) {
      return 0;
    }
    if (replaces || words[0] == "exit")
      break;
    if (command.after == Joint::both)
      continue;
    if (command.after == Joint::background)
      last = std::max(last, now + chain);
    else
      now += chain;
    chain = 0;
  }
  return now + chain;
}

double sleep_in_command(const std::vector<std::string>& words)
{
  if (words.empty())
    return 0;
  if (is_sleep(words[0]))
    return sleep_of_all(words).value_or(0);
  static const std::set<std::string_view> shells = {"sh", "bash", "dash", "ash", "zsh", "ksh"};
  if (!shells.contains(std::string_view{words[0]}.substr(words[0].rfind('/') + 1)))
    return 0;
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i].starts_with('-') && !words[i].starts_with("--") && words[i].ends_with('c')) // -c, -lc, -exc
      return sleep_in_script(words[i + 1]);
  return 0;
}

} // namespace trainyard
