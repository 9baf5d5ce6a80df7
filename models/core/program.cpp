// SPDX-License-Identifier: Apache-2.0
#include "models/core/program.hpp"

namespace trainyard {

std::string program_version()
{
  return TRAINYARD_VERSION;
}

std::string program_commit()
{
  return TRAINYARD_COMMIT;
}

std::string version_text(const std::string& program)
{
  return program + " (Trainyard) " + program_version() + "\ncommit " + program_commit() + "\n";
}

} // namespace trainyard
