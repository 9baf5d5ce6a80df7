// SPDX-License-Identifier: Apache-2.0
#include "models/core/message.hpp"

#include <algorithm>

namespace trainyard {
namespace {

std::string text_of(const Argument& argument, const sentences::Place& place)
{
  if (const auto* name = std::get_if<std::string>(&argument))
    return *name;
  if (const auto* figure = std::get_if<Figure>(&argument))
    return figure->text;
  if (const auto* count = std::get_if<std::int64_t>(&argument))
    return place.many.empty() ? std::to_string(*count)
                              : std::to_string(*count) + " " + std::string{*count == 1 ? place.one : place.many};
  std::string text;
  for (const Message& part : std::get<std::vector<Message>>(argument))
    text += part.text;
  return text;
}

template <class Kind>
Kind filling(const Message& message, std::string_view place)
{
  for (const auto& [name, argument] : message.arguments) {
    if (const auto* found = std::get_if<Kind>(&argument); found != nullptr && name == place)
      return *found;
    if (const auto* parts = std::get_if<Messages>(&argument); parts != nullptr)
      for (const Message& part : *parts)
        if (Kind found = filling<Kind>(part, place); !found.empty())
          return found;
  }
  return {};
}

} // namespace

std::string_view to_text(MessageKind kind)
{
  constexpr std::array<std::string_view, 5> texts{"answer", "cost", "warning", "error", "part"};
  return texts[static_cast<std::size_t>(kind)];
}

Message as(MessageKind kind, Message message)
{
  message.kind = kind;
  return message;
}

Message plain(MessageKind kind, std::string text)
{
  return {.id = {}, .text = std::move(text), .arguments = {}, .kind = kind, .counted = {}};
}

void add_once(Messages& messages, Message message)
{
  if (std::ranges::find(messages, message) == messages.end())
    messages.push_back(std::move(message));
}

std::vector<std::string> texts_of(const Messages& messages, MessageKind kind)
{
  std::vector<std::string> texts;
  for (const Message& message : messages)
    if (message.kind == kind)
      texts.push_back(message.text);
  return texts;
}

std::string name_in(const Message& message, std::string_view place)
{
  return filling<std::string>(message, place);
}

Messages messages_in(const Message& message, std::string_view place)
{
  return filling<Messages>(message, place);
}

namespace sentences {

Message filled(std::string_view id, std::string_view english, std::vector<Argument> arguments)
{
  const Names names = names_of(english);
  Message message{.id = std::string{id}};
  for (std::size_t i = 0; i < names.count; ++i)
    message.arguments.emplace_back(names.list[i], std::move(arguments[i]));
  std::size_t copied = 0;
  for (Place place = next_place(english, 0); place.begin < english.size(); place = next_place(english, place.end)) {
    message.text += english.substr(copied, place.begin - copied);
    if (!place.many.empty())
      message.counted = place.name;
    for (const auto& [name, argument] : message.arguments)
      if (name == place.name)
        message.text += text_of(argument, place);
    copied = place.end;
  }
  message.text += english.substr(copied);
  return message;
}

} // namespace sentences
} // namespace trainyard
