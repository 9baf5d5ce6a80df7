// SPDX-License-Identifier: Apache-2.0
// A sentence is filled place by place, counts inflect one word, and what it is made of comes back from JSON.
#include "models/core/message.hpp"
#include "models/results/json.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

constexpr Sentence<std::int64_t, std::string, Figure, Messages> waiting{
    "test.waiting", "{jobs|job waits|jobs wait} for {what} ({share} of {what}){more}"};
constexpr Sentence<> always{"test.always", ", always"};

TEST(Messages, FillTheirPlacesInOrder)
{
  const Message one = waiting(1, "GPUs", {0.25, "25 %"}, {});
  EXPECT_EQ(one.text, "1 job waits for GPUs (25 % of GPUs)");
  EXPECT_EQ(name_in(one, "what"), "GPUs");
  EXPECT_EQ(name_in(one, "share"), ""); // no name
  EXPECT_EQ(waiting(2, "{what}", {0.25, "25 %"}, {always(), always()}).text,
            "2 jobs wait for {what} (25 % of {what}), always, always"); // what fills a place is not filled again
}

// What a part says is found in the whole.
TEST(Messages, FindWhatFillsAPlaceOfAPart)
{
  static constexpr Sentence<Message> about{"test.about", "{what}!"};
  const Message whole = about(waiting(2, "GPUs", {0.25, "25 %"}, {always()}));
  EXPECT_EQ(name_in(whole, "what"), "GPUs"); // the place of the part; that of the whole holds no name
  EXPECT_EQ(messages_in(whole, "more"), Messages{always()});
  EXPECT_TRUE(messages_in(whole, "less").empty());
}

TEST(Messages, ComeBackFromJson)
{
  const Message told = as(MessageKind::warning, waiting(3, "GPUs", {0.25, "25 %"}, {always()}));
  const nlohmann::ordered_json json = to_json(told);
  EXPECT_EQ(json["id"], "test.waiting");
  EXPECT_EQ(json["kind"], "warning");
  EXPECT_EQ(json["arguments"]["jobs"], 3);
  EXPECT_EQ(json["counted"], "jobs"); // so that another language knows which number inflects
  EXPECT_EQ(json["arguments"]["share"]["value"], 0.25);
  EXPECT_EQ(json["arguments"]["more"][0]["id"], "test.always");
  const Message read = read_message(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(read, told);
  EXPECT_EQ(nlohmann::json(to_json(read)), nlohmann::json(json)); // the order of its arguments is nobody's business
}

TEST(Messages, AreSaidOnceAndSortedByKind)
{
  Messages all;
  add_once(all, as(MessageKind::warning, always()));
  add_once(all, as(MessageKind::warning, always()));
  add_once(all, plain(MessageKind::error, ", always"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(texts_of(all, MessageKind::error), std::vector<std::string>{", always"});
}

} // namespace
} // namespace trainyard
