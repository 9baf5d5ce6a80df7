// SPDX-License-Identifier: Apache-2.0
/// Throws bytes at the scenario reader (libFuzzer); tests/scenario/mutation_test.cpp does the same with damaged scenarios where there is no
/// libFuzzer.
#include "tests/fuzz/load_anything.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  trainyard::tests::load_anything({reinterpret_cast<const char*>(data), size});
  return 0;
}
