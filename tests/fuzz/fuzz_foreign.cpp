// SPDX-License-Identifier: Apache-2.0
/// Throws bytes at one reader of foreign bytes (libFuzzer). The program's name says which: build/fuzz/bin/fuzz_<reader>
/// is a link to it. tests/property/foreign_readers_test.cpp does the same with damaged seeds where there is no
/// libFuzzer.
#include "tests/fuzz/readers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

const trainyard::tests::ForeignReader* chosen = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** words)
{
  using namespace trainyard::tests;
  const std::string program = std::filesystem::path{(*words)[0]}.filename().string();
  const std::string name = program.substr(program.find('_') + 1);
  const auto found = std::ranges::find(foreign_readers(), name, &ForeignReader::name);
  if (found ==
      foreign_readers().end()) { // fuzz_foreign itself: the names and the seeds, for the script that starts all of them
    for (const ForeignReader& reader : foreign_readers()) {
      std::printf("%s", reader.name.c_str());
      for (const std::string& seed : reader.seeds)
        std::printf(" %s", seed.c_str());
      std::printf("\n");
    }
    std::exit(0);
  }
  chosen = &*found;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static_cast<void>(trainyard::tests::refuses(*chosen, {reinterpret_cast<const char*>(data), size}));
  return 0;
}
