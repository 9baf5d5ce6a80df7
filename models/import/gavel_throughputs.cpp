// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/job/throughput_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

/// Gavel's table of throughputs: its traces count steps, and this says how long they take.
class GavelThroughputs final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && head[first] == '{' && file.has("\"null\":");
  }
  int rank() const override { return 5; } // before the trace
  std::string description() const override { return "Gavel's throughputs (OSDI 2020)"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    Draft& draft = context.draft;
    if (draft.throughputs != nullptr) {
      context.report.ignored("a second table of throughputs", "a scenario has one; the first is used",
                             {file.name(), 0});
      return;
    }
    draft.throughputs = std::make_shared<const ThroughputTable>(read_throughputs(file));
    draft.throughputs_file = name_for_scenario(file, context.options);
    context.report.understood({file.name(), 0}, "throughputs of {} on {}",
                              counted(draft.throughputs->models().size(), "model"),
                              fmt::join(draft.throughputs->types(), ", "));
  }
};

TY_REGISTER(Importer, GavelThroughputs, "gavel-throughputs",
            "steps per second by GPU type and kind of job (Gavel's JSON)");

} // namespace
} // namespace trainyard
