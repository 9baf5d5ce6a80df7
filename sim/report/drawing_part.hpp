// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/canvas.hpp"
#include "sim/report/report_document.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace trainyard {

/// The bytes of the two files of a drawing.
struct Pictures {
  std::string png;
  std::string svg;
};

} // namespace trainyard

// In the part "drawing" (models/core/loaded_part.hpp): cairo, and the many libraries that it brings, are loaded when
// something is drawn.

/// Draws twice, as draw_to_files() says. @p name is for messages.
extern "C" void trainyard_draw(const std::string& name, double width, double height,
                               const std::function<void(trainyard::Canvas&)>& paint, trainyard::Pictures& drawn);
/// See write_report_pdf().
extern "C" void trainyard_write_pdf(const trainyard::ReportDocument& document, const std::filesystem::path& file);
