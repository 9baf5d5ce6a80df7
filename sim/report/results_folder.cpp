// SPDX-License-Identifier: Apache-2.0

#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/plots.hpp"

#include <future>
#include <string>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// A long text, as it is made.
template <class File = OutputFile>
void write_pieces(const fs::path& path, const std::function<void(const TextSink&)>& make)
{
  File file{path};
  make([&](std::string_view piece) { file.write(piece); });
  file.close();
}

} // namespace

std::string write_results(const Results& results, const fs::path& folder, bool plots, const Replace& replace)
{
  const auto fill = [&](const fs::path& to) {
    std::future<void> drawing; // packing the pixels takes longer than all tables
    if (plots)
      drawing = std::async(std::launch::async, [&results, to] { write_plots(results, to); });
    write_pieces(to / "summary.json", [&](const TextSink& sink) { summary_json(results, sink); });
    write_file(to / "jobs.csv", jobs_csv(results));
    write_file(to / "steps.csv", steps_csv(results));
    write_file(to / "links.csv", links_csv(results));
    if (!results.link_loads.empty())
      write_pieces(to / "link_loads.csv", [&](const TextSink& sink) { link_loads_csv(results, sink); });
    write_file(to / "traffic.csv", traffic_csv(results));
    write_file(to / "events.csv", events_csv(results));
    write_pieces<GzipFile>(to / "trace.json.gz", [&](const TextSink& sink) { trace_json(results, sink); });
    if (plots)
      drawing.get();
    write_file(to / "manifest.json", manifest_json(results)); // last: with it the folder is whole
  };
  return write_folder(folder, fill, replace);
}

} // namespace trainyard
