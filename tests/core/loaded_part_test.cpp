// SPDX-License-Identifier: Apache-2.0
#include "models/core/loaded_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

TEST(LoadedPart, AMissingPartSaysWhatToDo)
{
  EXPECT_THAT([] { part_function("nothing", "trainyard_nothing"); },
              ::testing::ThrowsMessage<std::runtime_error>(
                  "libtrainyard_nothing.so is neither beside this program nor in ../libexec/trainyard; install "
                  "Trainyard again"));
  EXPECT_THAT([] { part_function("simgrid", "trainyard_nothing"); },
              ::testing::ThrowsMessage<std::runtime_error>(::testing::HasSubstr("has no trainyard_nothing")));
}

} // namespace
} // namespace trainyard
