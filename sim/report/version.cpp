// SPDX-License-Identifier: Apache-2.0
#include "sim/report/version.hpp"

namespace trainyard {

std::string program_version()
{
  return TRAINYARD_VERSION;
}

std::string program_commit()
{
  return TRAINYARD_COMMIT;
}

} // namespace trainyard
