// SPDX-License-Identifier: Apache-2.0
#include "tests/testbed/trainer.hpp"

#include <stdexcept>

namespace trainyard::testbed {

void serve_grpc(const Task&)
{
  throw std::runtime_error{"the testbed was built without gRPC"};
}

void work_grpc(const Task&)
{
  throw std::runtime_error{"the testbed was built without gRPC"};
}

} // namespace trainyard::testbed
