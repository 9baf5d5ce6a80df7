// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "python/core/policy_objects.hpp"

namespace trainyard::python {

/// A policy that a Python object decides. @p policy: a trainyard.Policy.
std::unique_ptr<QueuePolicy> python_policy(const pybind11::object& policy, std::shared_ptr<const Workload> workload);

} // namespace trainyard::python
