// SPDX-License-Identifier: Apache-2.0
// What a run says in words: a sentence that is declared once, beside the code that says it, and what fills its places.
// simrun prints the English text; simgui finds the same sentence of its language by the id.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard {

struct Message;

/// A number with its unit, as English writes it: "98 %", "3.4 ms".
struct Figure {
  double value = 0;
  std::string text;
};

/// What fills a place: a name, which no language changes; a count; a figure; or sentences of their own, one after the
/// other.
using Argument = std::variant<std::string, std::int64_t, Figure, std::vector<Message>>;

/// What a message is for.
enum class MessageKind : std::uint8_t {
  answer,  // what the run found
  cost,    // what failures cost
  warning, // what a reader of the figures must know
  error,   // work that was not done
  part     // of a table or of another message
};
std::string_view to_text(MessageKind kind);

struct Message {
  std::string id; // of its sentence, "jobs.host_waits"; empty: text alone
  std::string text;
  std::vector<std::pair<std::string, Argument>> arguments; // name of the place, what fills it
  MessageKind kind = MessageKind::part;
  std::string counted{}; // the place whose number inflects the sentence; empty: none does

  bool empty() const { return text.empty(); }
  bool operator==(const Message& other) const { return text == other.text && kind == other.kind; }
};

using Messages = std::vector<Message>;

/// The same message for another purpose.
Message as(MessageKind kind, Message message);
/// Words that no language changes, such as those of another program.
Message plain(MessageKind kind, std::string text);
/// What is said already is not said again.
void add_once(Messages& messages, Message message);
std::vector<std::string> texts_of(const Messages& messages, MessageKind kind);
/// What fills a place that holds a name, of the message or of a part; empty where there is none.
std::string name_in(const Message& message, std::string_view place);
/// The same of a place that holds messages.
Messages messages_in(const Message& message, std::string_view place);

namespace sentences {

/// The places of an English text, "{job}" or "{jobs|job|jobs}": "1 job", "2 jobs".
struct Place {
  std::size_t begin = 0, end = 0; // of the text, braces included
  std::string_view name, one, many;
};

/// The place that begins at @p from or later; begin == text.size(): there is none.
constexpr Place next_place(std::string_view text, std::size_t from)
{
  const std::size_t begin = text.find('{', from), end = text.find('}', from);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return {text.size(), text.size(), {}, {}, {}};
  const std::string_view inside = text.substr(begin + 1, end - begin - 1);
  const std::size_t one = inside.find('|'), many = inside.rfind('|');
  if (one == std::string_view::npos)
    return {begin, end + 1, inside, {}, {}};
  return {begin, end + 1, inside.substr(0, one), inside.substr(one + 1, many - one - 1), inside.substr(many + 1)};
}

/// Names in the order of their first places; how many there are, and how many of them inflect.
struct Names {
  std::array<std::string_view, 12> list{};
  std::size_t count = 0;
  int inflecting = 0;
};

constexpr Names names_of(std::string_view text)
{
  Names names;
  for (Place place = next_place(text, 0); place.begin < text.size(); place = next_place(text, place.end)) {
    bool known = false;
    for (std::size_t i = 0; i < names.count; ++i)
      known = known || names.list[i] == place.name;
    if (!known)
      names.list[names.count++] = place.name;
    names.inflecting += place.many.empty() ? 0 : 1;
  }
  return names;
}

Message filled(std::string_view id, std::string_view english, std::vector<Argument> arguments);

} // namespace sentences

/// A sentence whose places are filled by so many arguments of these kinds: std::string, std::int64_t, Figure, Message
/// or std::vector<Message>, in the order of their first places. A wrong number of them does not compile.
template <class... Arguments>
class Sentence
{
public:
  consteval Sentence(const char* id, const char* english) : id_{id}, english_{english}
  {
    const sentences::Names names = sentences::names_of(english_);
    if (names.count != sizeof...(Arguments))
      throw "the text has another number of places than the sentence has arguments";
    if (names.inflecting > 1)
      throw "one counted number at most inflects a sentence";
  }

  Message operator()(const Arguments&... arguments) const
  {
    return sentences::filled(id_, english_, {argument(arguments)...});
  }

private:
  static Argument argument(const Message& message) { return std::vector{message}; }
  template <class Other>
  static Argument argument(const Other& other)
  {
    return other;
  }

  std::string_view id_, english_;
};

} // namespace trainyard
