// SPDX-License-Identifier: Apache-2.0
#include "sim/report/sha256.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace trainyard {

std::string sha256(std::string_view text)
{
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string digits;
  for (const unsigned char byte : digest)
    digits += fmt::format("{:02x}", byte);
  return digits;
}

} // namespace trainyard
