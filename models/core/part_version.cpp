// SPDX-License-Identifier: Apache-2.0
// In every loadable part (models/core/loaded_part.hpp), and only there.

extern "C" const char* trainyard_part_version()
{
  return TRAINYARD_VERSION;
}
