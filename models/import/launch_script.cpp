// SPDX-License-Identifier: Apache-2.0
#include "models/import/launch_script.hpp"

#include "models/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace trainyard {
namespace {

bool is_blank(char c)
{
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

constexpr std::size_t longest = 10'000; // of a value whose variables are put in
constexpr int usual_gpus = 8;           // of a machine

bool is_name(std::string_view text)
{
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Behind the bracket that closes the one at @p at; brackets in quotes count too.
std::size_t behind_bracket(std::string_view text, std::size_t at)
{
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '{' ? 1 : text[at] == ')' || text[at] == '}' ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return text.size();
}

class Words
{
public:
  std::vector<ScriptWord> all;

  void read(std::string_view text, const std::string& variable, bool inside)
  {
    std::string word;
    bool quoted = false;
    const auto end = [&] {
      if (!word.empty() || quoted)
        add(word, variable);
      word.clear();
      quoted = false;
    };
    const auto end_command = [&] {
      end();
      command_ += inside ? 0 : 1;
    };
    const Deeper deeper{nested_};
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      if (c == '$' && (next == '(' || next == '{')) {
        const std::size_t behind = behind_bracket(text, i + 1);
        word += text.substr(i, behind - i);
        line_ += static_cast<int>(std::ranges::count(text.substr(i, behind - i), '\n'));
        i = behind - 1;
      } else if (c == '\\' && text.substr(i + 1, 2) == "\r\n") {
        end();
        ++line_;
        i += 2;
      } else if (c == '\\') {
        if (next == '\n' || next == '\r' || next == '\0')
          end();
        else
          word += next;
        line_ += next == '\n' ? 1 : 0;
        ++i;
      } else if (c == '"' || c == '\'') {
        i = quote(text, i, word, variable);
        quoted = true;
      } else if (c == '#' && word.empty() && !quoted) {
        i = std::min(text.find('\n', i), text.size()) - 1;
      } else if (c == '(' && word.ends_with('=') && nested_ < 20) {
        std::string name = word.substr(0, word.size() - (word.ends_with("+=") ? 2 : 1));
        word.clear();
        const std::size_t behind = behind_list(text, i);
        read(text.substr(i + 1, behind - i - 2), name, true);
        i = behind - 1;
      } else if (c == '\n') {
        end_command();
        ++line_;
      } else if (c == ';' || c == '|' || c == '&') {
        end_command();
      } else if (is_blank(c) || c == '(' || c == ')' || (c == ',' && !joins(word, quoted, next))) {
        end();
      } else {
        word += c;
      }
    }
    end_command();
  }

private:
  /// Whether a comma is of a word ("0,1"), and not between the words of a list ("--a,1,--b").
  static bool joins(const std::string& word, bool quoted, char next)
  {
    const bool flag = word.starts_with('-') && word.find('=') == std::string::npos;
    return !quoted && !word.empty() && !flag && (std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '$');
  }

  struct Deeper {
    int& nested;
    explicit Deeper(int& count) : nested{count} { ++nested; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --nested; }
  };

  /// Adds what stands in quotes to the word, or as words where it has several. Returns where the quote ends.
  std::size_t quote(std::string_view text, std::size_t at, std::string& word, const std::string& variable)
  {
    const char quote = text[at];
    std::string content;
    std::size_t i = at + 1;
    for (; i < text.size() && text[i] != quote; ++i) {
      if (quote == '"' && text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n')
        content += text[++i];
      else if (quote == '"' && text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{')) {
        const std::size_t behind = behind_bracket(text, i + 1);
        content += text.substr(i, behind - i);
        i = behind - 1;
      } else
        content += text[i];
    }
    const bool several = std::ranges::any_of(content, is_blank) && !content.starts_with("$(");
    if (!several || nested_ > 20) {
      word += content;
      return i;
    }
    std::string name = variable;
    if (word.ends_with('=')) {
      name = word.substr(0, word.size() - (word.ends_with("+=") ? 2 : 1));
      if (!is_name(name)) {
        name = variable;
        add(word, variable); // "--name="
      }
    } else if (!word.empty()) {
      add(word, variable);
    }
    word.clear();
    read(content, name, true);
    return i;
  }

  /// Behind the parenthesis that closes a list, with quotes and comments in it.
  static std::size_t behind_list(std::string_view text, std::size_t at)
  {
    int depth = 0;
    char quote = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (quote != 0)
        quote = c == quote ? '\0' : quote;
      else if (c == '"' || c == '\'')
        quote = c;
      else if (c == '#' && is_blank(text[at - 1]))
        at = std::min(text.find('\n', at), text.size() - 1);
      else
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0)
        return at + 1;
    }
    return text.size() + 1;
  }

  void add(const std::string& text, const std::string& variable)
  {
    const bool first = all.empty() || all.back().command != command_;
    if (first && (text == "if" || text == "case" || text == "for" || text == "while"))
      ++depth_;
    if (first && (text == "fi" || text == "esac" || text == "done"))
      depth_ = std::max(0, depth_ - 1);
    all.push_back({text, line_, command_, depth_ > 0, variable});
  }

  int line_ = 1, command_ = 0, depth_ = 0, nested_ = 0;
};

/// An expression of $((…)): numbers, variables, + - * / % and parentheses.
template <class Variable>
class Arithmetic
{
public:
  Arithmetic(std::string_view text, const Variable& variable) : text_{text}, variable_{variable} {}

  std::optional<long long> read()
  {
    const long long value = sum(0);
    skip();
    return sound_ && at_ == text_.size() && std::abs(value) < 1'000'000'000'000 ? std::optional{value} : std::nullopt;
  }

private:
  void skip()
  {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '"'))
      ++at_;
  }
  bool take(char c)
  {
    skip();
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  long long sum(int depth)
  {
    long long value = term(depth);
    while (sound_)
      if (take('+'))
        value += term(depth);
      else if (take('-'))
        value -= term(depth);
      else
        break;
    return value;
  }
  long long term(int depth)
  {
    long long value = factor(depth);
    while (sound_)
      if (take('*')) {
        value = limited(static_cast<double>(value) * static_cast<double>(factor(depth)));
      } else if (const bool divide = take('/'); divide || take('%')) {
        const long long by = factor(depth);
        sound_ = sound_ && by != 0;
        value = by == 0 ? 0 : divide ? value / by : value % by;
      } else {
        break;
      }
    return value;
  }
  long long factor(int depth)
  {
    if (depth > 50)
      sound_ = false;
    if (!sound_)
      return 0;
    if (take('(')) {
      const long long value = sum(depth + 1);
      sound_ = sound_ && take(')');
      return value;
    }
    if (take('-'))
      return -factor(depth + 1);
    skip();
    const std::size_t from = at_;
    if (at_ < text_.size() && text_[at_] == '$' && at_ + 1 < text_.size() && text_[at_ + 1] == '{')
      at_ = behind_bracket(text_, at_ + 1);
    else
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                                    (text_[at_] == '$' && at_ == from)))
        ++at_;
    std::string word{text_.substr(from, at_ - from)};
    if (is_name(word))
      word.insert(0, "$");
    const std::optional<double> value = as_number<double>(word.starts_with('$') ? variable_(word) : word);
    sound_ = sound_ && value.has_value();
    return limited(value.value_or(0));
  }
  long long limited(double value)
  {
    sound_ = sound_ && std::abs(value) < 1e12;
    return sound_ ? static_cast<long long>(value) : 0;
  }

  std::string_view text_;
  const Variable& variable_;
  std::size_t at_ = 0;
  bool sound_ = true;
};

/// Long names of short options. Source: sbatch(1).
constexpr std::array<std::pair<char, std::string_view>, 22> short_options{
    {{'N', "nodes"},        {'n', "ntasks"},     {'G', "gpus"},   {'c', "cpus-per-task"}, {'t', "time"},
     {'p', "partition"},    {'A', "account"},    {'q', "qos"},    {'J', "job-name"},      {'a', "array"},
     {'d', "dependency"},   {'C', "constraint"}, {'o', "output"}, {'e', "error"},         {'w', "nodelist"},
     {'x', "exclude"},      {'D', "chdir"},      {'b', "begin"},  {'M', "clusters"},      {'L', "licenses"},
     {'m', "distribution"}, {'i', "input"}}};

constexpr std::array launcher_fates{launcher_fate, hostfile_fate, binding_fate, variables_fate};

/// The long name, with its value where that is in the same word, of a short option of the program that starts the
/// ranks: "-N4" of srun is "--nodes=4". Empty: it says nothing of ranks. Sources: srun(1), mpirun(1) of Open MPI.
std::string long_option(std::string_view program, std::string_view option)
{
  static const std::map<std::pair<std::string_view, std::string_view>, const char*> names{
      {{"srun", "-N"}, "--nodes"},
      {{"srun", "-n"}, "--ntasks"},
      {{"mpirun", "-np"}, "--ntasks"},
      {{"mpirun", "-n"}, "--ntasks"},
      {{"mpirun", "-N"}, "--ntasks-per-node"},
      {{"mpirun", "-npernode"}, "--ntasks-per-node"},
      {{"mpirun", "-ppn"}, "--ntasks-per-node"},
      {{"mpirun", "--npernode"}, "--ntasks-per-node"},
      {{"mpirun", "-H"}, "--host"}};
  const std::size_t digits = std::min(option.find_first_of("0123456789"), option.size());
  const bool of_mpi = program == "mpirun" || program == "mpiexec" || program == "horovodrun";
  const auto found = names.find({of_mpi ? "mpirun" : program, option.substr(0, digits)});
  if (found == names.end()) { // "-bind-to none" of Open MPI is "--bind-to none"
    const bool short_dash = option.starts_with('-') && !option.starts_with("--");
    const bool known = of_mpi && short_dash && fate_of(option.substr(1), launcher_fates) != unknown_key;
    return known ? "-" + std::string{option} : std::string{};
  }
  return found->second + (digits < option.size() ? "=" + std::string{option.substr(digits)} : std::string{});
}

} // namespace

std::vector<ScriptWord> script_words(const std::string& text)
{
  Words words;
  words.read(text, "", false);
  return std::move(words.all);
}

std::vector<std::vector<SbatchOption>> sbatch_components(std::string_view text, const std::string& file,
                                                         ImportReport& report)
{
  std::vector<std::vector<SbatchOption>> components(1);
  int number = 0;
  bool behind = false; // the first command
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    ++number;
    at = end + 1;
    if (!line.starts_with("#SBATCH")) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      behind = !line.starts_with("#!") && (behind || (first != std::string_view::npos && line[first] != '#'));
      continue;
    }
    if (behind) {
      report.ignored("lines #SBATCH behind the first command", "sbatch does not read them", {file, number});
      continue;
    }
    Words words;
    words.read(line.substr(7), "", false);
    if (!words.all.empty() && (words.all[0].text == "hetjob" || words.all[0].text == "packjob"))
      components.emplace_back();
    for (std::size_t i = 0; i < words.all.size(); ++i) {
      const std::string& word = words.all[i].text;
      if (!word.starts_with('-'))
        continue;
      const std::size_t equals = word.find('=');
      const bool is_long = word.starts_with("--");
      const auto known =
          std::ranges::find(short_options, is_long ? '\0' : word[1], &decltype(short_options)::value_type::first);
      SbatchOption option{.line = number};
      if (!is_long && known != short_options.end()) {
        option.name = known->second;
        option.value = word.substr(word.size() > 2 && word[2] == '=' ? 3 : 2);
      } else {
        option.name = word.substr(is_long ? 2 : 1, equals == std::string::npos ? equals : equals - (is_long ? 2 : 1));
        option.value = equals == std::string::npos ? "" : word.substr(equals + 1);
      }
      while (i + 1 < words.all.size() && !words.all[i + 1].text.starts_with('-')) // "-N 4"; a list with commas
        option.value += (option.value.empty() ? "" : ",") + words.all[++i].text;
      components.back().push_back(std::move(option));
    }
  }
  return components;
}

int SbatchRequest::gpus_of_node() const
{
  return gpus_per_node > 0 ? gpus_per_node : gpus > 0 ? std::max(1, gpus / nodes_or_one()) : 0;
}

int SbatchRequest::nodes_or_one() const
{
  if (nodes > 0)
    return nodes;
  if (tasks > 0 && tasks_per_node > 0)
    return (tasks + tasks_per_node - 1) / tasks_per_node;
  if (gpus > 0 && gpus_per_node > 0)
    return (gpus + gpus_per_node - 1) / gpus_per_node;
  int machines = is_open() ? (gpus + usual_gpus - 1) / usual_gpus : 1;
  while (machines > 1 && gpus % machines != 0)
    ++machines;
  return std::max(1, machines);
}

std::map<std::string, std::string> SbatchRequest::variables() const
{
  std::map<std::string, std::string> made;
  const auto put = [&](std::initializer_list<const char*> names, int value) {
    for (const char* name : names)
      if (value > 0)
        made[name] = std::to_string(value);
  };
  const int per_node = tasks_per_node > 0 ? tasks_per_node : tasks > 0 ? std::max(1, tasks / nodes_or_one()) : 1;
  put({"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, nodes_or_one());
  put({"SLURM_NTASKS", "SLURM_NPROCS"}, tasks > 0 ? tasks : per_node * nodes_or_one());
  put({"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}, per_node);
  put({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}, gpus_of_node());
  put({"SLURM_GPUS"}, gpus > 0 ? gpus : gpus_of_node() * nodes_or_one());
  put({"SLURM_CPUS_PER_TASK"}, cpus_per_task);
  put({"SLURM_CPUS_PER_GPU"}, cpus_per_gpu);
  return made;
}

SbatchRequest sbatch_request(const std::vector<SbatchOption>& options, const std::string& file, ImportReport& report,
                             std::set<std::string>& used)
{
  SbatchRequest request;
  int per_task = 0, per_socket = 0;
  for (const SbatchOption& option : options) {
    const ImportPlace place{file, option.line};
    const auto whole = [&](const std::string& text) {
      const std::string last = text.substr(text.find('-') == std::string::npos ? 0 : text.find('-') + 1); // "2-4"
      const std::optional<int> value = as_number<int>(last);
      if (!value || *value < 1 || *value > 1'000'000)
        report.error(place, "--{} '{}' is no whole number of at least 1", option.name,
                     clean_text(option.value).substr(0, 60));
      else
        report.understood(place, "--{} {}", option.name, clean_text(option.value).substr(0, 60));
      return value && *value >= 1 && *value <= 1'000'000 ? *value : 0;
    };
    const auto gpus = [&](const std::string& text) { // "8", "h100:8", "h100"
      const std::size_t colon = text.rfind(':');
      const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
      if (colon != std::string::npos)
        request.gpu = text.substr(0, colon);
      if (as_number<double>(number))
        return whole(number);
      request.gpu = text;
      return 1;
    };
    const auto is = [&](std::string_view name) {
      if (option.name != name)
        return false;
      used.insert(option.name);
      return true;
    };
    if (is("nodes"))
      request.nodes = whole(option.value);
    else if (is("ntasks"))
      request.tasks = whole(option.value);
    else if (is("ntasks-per-node") || is("tasks-per-node"))
      request.tasks_per_node = whole(option.value);
    else if (is("cpus-per-task"))
      request.cpus_per_task = whole(option.value);
    else if (is("cpus-per-gpu"))
      request.cpus_per_gpu = whole(option.value);
    else if (is("gpus"))
      request.gpus = gpus(option.value);
    else if (is("gpus-per-node"))
      request.gpus_per_node = gpus(option.value);
    else if (is("gpus-per-task"))
      per_task = gpus(option.value);
    else if (is("gpus-per-socket"))
      per_socket = gpus(option.value);
    else if (option.name == "gres" && option.value.starts_with("gpu")) {
      used.insert(option.name);
      request.gpus_per_node = option.value.size() > 4 ? gpus(option.value.substr(4, option.value.find(',') - 4)) : 1;
    }
  }
  if (per_task > 0 && request.tasks == 0 && request.gpus > 0)
    request.tasks = std::max(1, request.gpus / per_task);
  if (request.gpus_per_node == 0 && per_task > 0 && request.nodes == 0 && request.tasks_per_node == 0) {
    if (request.gpus == 0)
      request.gpus = static_cast<int>(std::min(1e6, 1.0 * per_task * std::max(1, request.tasks)));
  } else if (request.gpus_per_node == 0 && per_task > 0) {
    const int of_node =
        request.tasks_per_node > 0 ? request.tasks_per_node : std::max(1, request.tasks / request.nodes_or_one());
    request.gpus_per_node = std::min(1024, per_task) * std::min(1024, of_node);
  }
  if (request.gpus_per_node == 0 && per_socket > 0) {
    request.gpus_per_node = 2 * std::min(1024, per_socket);
    report.assumed("two sockets in a machine", "--gpus-per-socket does not say how many there are", {file, 0});
  }
  return request;
}

LaunchScript::LaunchScript(const std::string& text, std::map<std::string, std::string> variables,
                           const std::set<std::string, std::less<>>& lists)
    : variables_{std::move(variables)}
{
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    std::size_t from = at + 1;
    from += from < text.size() && (text[from] == '{' || text[from] == '(') ? 1 : 0;
    std::size_t end = from;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    referenced_.insert(text.substr(from, end - from));
  }
  const std::vector<ScriptWord> words = script_words(text);
  const auto named = [&](const ScriptWord& word) { return referenced_.contains(word.variable); };
  if (std::ranges::none_of(words, named)) // a file of lists that another script names
    for (const ScriptWord& word : words)
      referenced_.insert(word.variable);
  take(words, lists);
}

void LaunchScript::take(const std::vector<ScriptWord>& words, const std::set<std::string, std::less<>>& lists)
{
  bool prints = false;
  std::string program; // that starts the ranks
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ScriptWord& word = words[i];
    if (i == 0 || words[i - 1].command != word.command)
      prints = word.text == "echo" || word.text == "printf";
    if (i == 0 || words[i - 1].command != word.command)
      program.clear();
    if (word.text == "srun" || word.text == "mpirun" || word.text == "mpiexec" || word.text == "horovodrun")
      program = word.text;
    if (prints)
      continue;
    const auto next_value = [&]() -> std::optional<std::string> {
      if (i + 1 < words.size() && words[i + 1].command == word.command && !words[i + 1].text.starts_with("--") &&
          long_option(program, words[i + 1].text).empty())
        return expanded(words[++i].text);
      return std::nullopt;
    };
    const auto argument = [&](const std::string& text) {
      const std::size_t equals = text.find('=');
      std::string name = text.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
      std::ranges::replace(name, '_', '-');
      const bool given = equals != std::string::npos && equals + 1 < text.size();
      std::string value = given ? expanded(text.substr(equals + 1)) : next_value().value_or("");
      if (lists.contains(name))
        for (auto more = next_value(); more; more = next_value())
          value += " " + *more;
      if (word.branch)
        branch_lines_.push_back(word.line);
      const bool long_name = word.text.starts_with("--") || !word.text.starts_with('-') || program == "srun";
      const std::string shown = long_name ? "--" + clean_text(name).substr(0, 60)
                                          : word.text.substr(0, word.text.find_first_of("0123456789"));
      arguments_[name] = {shown, value, word.line};
    };
    if (!word.variable.empty() && !referenced_.contains(word.variable)) {
      unused_lists_.try_emplace(word.variable, word.line);
      continue;
    }
    const std::size_t equals = word.text.find('=');
    if (const std::string option = long_option(program, word.text); !option.empty()) {
      argument(option);
    } else if (word.text.starts_with("--") && word.text.size() > 2) {
      argument(word.text);
    } else if (equals != std::string::npos && is_name(word.text.substr(0, equals))) {
      const std::string name = word.text.substr(0, equals), value = word.text.substr(equals + 1);
      if (!value.starts_with("--"))
        assign(name, expanded(value), word);
      else if (referenced_.contains(name))
        argument(value);
      else
        unused_lists_.try_emplace(name, word.line);
    } else if (word.text.starts_with("${")) {
      expanded(word.text); // ": ${A:=1}" sets A
    }
  }
}

void LaunchScript::assign(const std::string& name, const std::string& value, const ScriptWord& word)
{
  if (word.branch)
    branch_lines_.push_back(word.line);
  variables_[name] = value;
}

std::string LaunchScript::expanded(std::string_view text, int depth)
{
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size() || depth > 10 || made.size() > longest) {
      made += text[i];
      continue;
    }
    std::size_t end = i + 1;
    if (text.substr(i).starts_with("$((") || text[i + 1] == '{' || text[i + 1] == '(') {
      end = behind_bracket(text, i + 1);
    } else {
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
    }
    const std::string_view whole = text.substr(i, end - i);
    if (whole.starts_with("$((") && whole.ends_with("))")) {
      const auto variable = [&](const std::string& name) { return expanded(name, depth + 1); };
      const auto value = Arithmetic{whole.substr(3, whole.size() - 5), variable}.read();
      made += value ? std::to_string(*value) : std::string{whole};
    } else if (whole.starts_with("${") && whole.ends_with('}')) {
      made += value_of(whole.substr(2, whole.size() - 3), whole, depth);
    } else {
      made += value_of(whole.substr(1), whole, depth);
    }
    i = end - 1;
  }
  return made;
}

std::string LaunchScript::value_of(std::string_view inside, std::string_view whole, int depth)
{
  if (inside.starts_with('(') && inside.ends_with(')')) { // of Kubernetes; a command of bash is no variable
    const auto known = variables_.find(std::string{inside.substr(1, inside.size() - 2)});
    return known == variables_.end() ? std::string{whole} : known->second;
  }
  std::string name{inside.substr(0, inside.find_first_of(":-=+?%#/["))};
  std::string_view rest = inside.substr(name.size());
  const auto found = variables_.find(name);
  const bool known = found != variables_.end() && (!found->second.empty() || !rest.starts_with(':'));
  rest.remove_prefix(rest.starts_with(':') ? 1 : 0);
  if (rest.empty())
    return known ? found->second : std::string{whole};
  const char kind = rest.front();
  if (kind != '-' && kind != '=' && kind != '+' && kind != '?')
    return std::string{whole};
  std::string word{rest.substr(1)};
  std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
  if (kind == '+')
    return known ? expanded(word, depth + 1) : "";
  if (known || kind == '?')
    return known ? found->second : std::string{whole};
  word = expanded(word, depth + 1);
  if (kind == '=')
    variables_[name] = word;
  return word;
}

void LaunchScript::put_into(LaunchKeys& keys) const
{
  for (const auto& [name, key] : arguments_)
    keys.add(name, key);
}

std::optional<std::string> LaunchScript::variable(const std::string& name) const
{
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::nullopt : std::optional{found->second};
}

int LaunchScript::visible_gpus(const ImportPlace& place, ImportReport& report) const
{
  const std::string list = variable("CUDA_VISIBLE_DEVICES").value_or("");
  const int gpus = visible_devices(list);
  if (gpus > 0)
    report.understood(place, "CUDA_VISIBLE_DEVICES {}: {}", clean_text(list).substr(0, 60), counted(gpus, "GPU"));
  return gpus;
}

void LaunchScript::tell(const std::string& file, ImportReport& report) const
{
  for (const auto& [name, line] : unused_lists_)
    report.ignored("arguments in " + clean_text(name).substr(0, 60), "no command of the script names this variable",
                   {file, line});
  for (const int line : branch_lines_)
    report.assumed("what stands in branches and loops (if, case, for) counts, the last value of each",
                   "their conditions are not evaluated", {file, line});
}

} // namespace trainyard
