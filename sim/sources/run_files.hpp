// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/picture.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <functional>
#include <string>

namespace trainyard {

/// Files of a results folder that are made when they are written.
RunFile text_file(std::string name, std::function<std::string()> make);
RunFile text_file(std::string name, std::string text);
RunFile picture_file(std::string name, std::function<Picture()> make);

} // namespace trainyard
