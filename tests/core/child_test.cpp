// SPDX-License-Identifier: Apache-2.0
/// A child process gives its result, throws what it throws, and ends at its limits; the parent goes on.
#include "models/core/child.hpp"
#include "models/core/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Action>
std::string said(Action action)
{
  try {
    action();
    return "no fault";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string endless()
{
  for (volatile bool more = true; more;) {
  }
  return {};
}

/// Frames of 1 kB without an end.
int deep(const volatile char* above) // NOLINT(misc-no-recursion)
{
  volatile char frame[1024] = {*above};
  return *above == 'x' ? 0 : deep(frame) + frame[17];
}

TEST(Child, GivesAnyBytesAndThrowsWhatTheChildThrows)
{
  const std::string bytes{"r\0\xff", 3};
  EXPECT_EQ(in_child([&] { return bytes; }), bytes);
  const Diagnostic fault{Severity::error, {"a.yaml", 3, 7}, "no number: '\xff'", "x: \xff"};
  try {
    in_child([&]() -> std::string { throw InputError{std::vector{fault}}; });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics(), std::vector{fault});
  }
  EXPECT_THROW(in_child([]() -> std::string { throw std::invalid_argument{"x"}; }), std::invalid_argument);
  EXPECT_THROW(in_child([]() -> std::string { throw std::logic_error{"x"}; }), std::logic_error);
  EXPECT_THROW(in_child([]() -> std::string { throw std::bad_alloc{}; }), std::bad_alloc);
}

TEST(Child, EndsAtItsLimits)
{
  EXPECT_THAT(said([] { in_child(endless, {.seconds = 1}); }), HasSubstr("took more than 1 s of a processor"));
  if (!limits_memory())
    GTEST_SKIP() << "a program with the address sanitizer has no limit of memory";
  EXPECT_THAT(said([] {
                in_child(
                    [] { return std::string(std::vector<std::string>(500, std::string(1U << 20U, 'x')).back(), 0, 1); },
                    {.memory = 200U << 20U});
              }),
              HasSubstr("took more than 200 MiB of memory"));
}

// What a file does to its reader becomes an error that names it.
TEST(Child, AFileThatEndsItsReaderIsAnError)
{
  const auto read = [](const std::function<std::string()>& how) {
    return said([&] { read_in_child({"some.onnx"}, how); });
  };
  EXPECT_THAT(
      read([] {
        std::signal(SIGFPE, SIG_DFL);
        ::raise(SIGFPE);
        return std::string{};
      }),
      AllOf(StartsWith("error: 'some.onnx': the process that read it was ended by signal Floating point exception"),
            HasSubstr("report it with the file")));
  EXPECT_THAT(read([] {
                char top = 0;
                return std::to_string(deep(&top));
              }),
              StartsWith("error: 'some.onnx': the process that read it "));
  EXPECT_THAT(read([] { // already in a child
                const pid_t self = ::getpid();
                return read_in_child({"x"},
                                     [&] { return ::getpid() == self ? std::string{} : std::string{"another"}; });
              }),
              "no fault");
}

} // namespace
} // namespace trainyard
