// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/step_program.hpp"

#include "models/core/interrupt.hpp"

#include <utility>

namespace trainyard {

LaneId StepProgram::add(Lane lane)
{
  lanes.push_back(std::move(lane));
  return LaneId{static_cast<int>(lanes.size()) - 1};
}

ResourceId StepProgram::add(Resource resource)
{
  resources.push_back(std::move(resource));
  return ResourceId{static_cast<int>(resources.size()) - 1};
}

OperationId StepProgram::add(Operation operation)
{
  check_interrupt(); // programs of millions of operations take longer to write than a user waits
  operations.push_back(std::move(operation));
  return OperationId{static_cast<int>(operations.size()) - 1};
}

} // namespace trainyard
