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

bool begin_at(StepProgram& program, const std::map<int, Seconds>& delays)
{
  std::vector<Operation*> starts;
  for (Operation& operation : program.operations) {
    if (operation.step > 0) // those of the first step come first
      break;
    if (operation.role == Role::other && operation.name == start_of_worker && delays.contains(operation.worker))
      starts.push_back(&operation);
  }
  if (starts.size() != delays.size())
    return false;
  for (Operation* start : starts)
    std::get<HostWork>(start->work).duration = delays.at(start->worker);
  return true;
}

} // namespace trainyard
