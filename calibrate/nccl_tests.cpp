// SPDX-License-Identifier: Apache-2.0
#include "calibrate/nccl_tests.hpp"

#include "calibrate/measurement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/cost/nccl_tests.hpp"

#include <algorithm>
#include <cstdio>

namespace trainyard::calibrate {
namespace {

[[noreturn]] void fault(const std::string& file, int line, const std::string& what, const std::string& source = {})
{
  Diagnostic diagnostic;
  diagnostic.where = {file, line, 1};
  diagnostic.message = what;
  diagnostic.source_line = source;
  throw InputError{std::vector{diagnostic}};
}

/// "all_reduce_perf" -> "all_reduce"; the path before it does not matter.
std::string operation_of(std::string program)
{
  program = program.substr(program.rfind('/') + 1);
  const std::size_t end = program.find("_perf");
  return end == std::string::npos ? program : program.substr(0, end);
}

class Import
{
public:
  explicit Import(std::string file) : file_{std::move(file)}
  {
    profile_.provenance = Provenance::measured;
    profile_.program = "nccl-tests";
    profile_.created = "unknown";
  }

  void add(const NcclTestsRow& row)
  {
    if (row.wrong > 0)
      fault(file_, row.line,
            "the data was wrong in " + to_string(row.wrong) + " places, so this measurement cannot be used",
            row.source);
    for (const auto& [place, time_us] :
         {std::pair{"out_of_place.", row.out_of_place_us}, {"in_place.", row.in_place_us}})
      if (time_us && *time_us > 0 && row.bytes > 0)
        curves_[place + row.type].push_back({row.bytes, *time_us * 1e-6});
  }

  Profile finish(const std::string& operation, int ranks)
  {
    if (curves_.empty())
      fault(
          file_, 1,
          "the file has no row of a measurement; expected the output of a program of nccl-tests (text, or JSON of -J)");
    profile_.name = "nccl-tests " + operation;
    profile_.machine.emplace_back("ranks", std::to_string(ranks));
    profile_.warnings.push_back(
        "imported: nccl-tests gives one mean per size, so the error bars do not show the spread");
    for (const auto& [kind, points] : curves_) {
      CalibratedCurve curve;
      curve.name = "nccl." + operation + "." + kind;
      curve.size_unit = "B";
      std::vector<SampledPoint> sampled;
      for (const auto& [bytes, seconds] : points) {
        curve.points.push_back({bytes, seconds, seconds, seconds, 1, ""});
        sampled.push_back({bytes, {{seconds}}});
      }
      curve.fit = fit_piecewise(sampled);
      if (kind.starts_with("out_of_place") || curves_.size() == 1) {
        const double factor = bus_factor(operation, ranks);
        CalibratedConstant constant;
        constant.name = "collective." + operation + ".bus_bandwidth";
        constant.unit = "B/s";
        constant.value = scaled(curve.fit.rate, factor);
        constant.samples = static_cast<int>(points.size());
        constant.note = "rate of the largest sizes times the bus factor " + to_string(factor) + " of " +
                        std::to_string(ranks) + " ranks";
        if (profile_.find(constant.name) == nullptr)
          profile_.constants.push_back(constant);
        constant.name = "collective." + operation + ".start_up";
        constant.unit = "s";
        constant.value = curve.fit.start_up;
        constant.note = "time of the smallest sizes";
        if (profile_.find(constant.name) == nullptr)
          profile_.constants.push_back(constant);
      }
      profile_.curves.push_back(std::move(curve));
    }
    return std::move(profile_);
  }

  Profile& profile() { return profile_; }

private:
  std::string file_;
  Profile profile_;
  std::map<std::string, std::vector<std::pair<double, double>>> curves_;
};

} // namespace

double bus_factor(const std::string& operation, int ranks)
{
  const double n = ranks;
  if (operation == "all_reduce")
    return 2 * (n - 1) / n;
  if (operation == "all_gather" || operation == "reduce_scatter" || operation == "alltoall" ||
      operation == "all_to_all")
    return (n - 1) / n;
  return 1;
}

Profile import_nccl_tests(std::string_view text, const std::string& file)
{
  const NcclTestsOutput output = read_nccl_tests(text, file);
  Import import{file};
  if (output.json && output.version != 3)
    import.profile().warnings.push_back("layout version " + (output.version ? to_string(*output.version) : "unknown") +
                                        " of nccl-tests; 3 is known");
  for (const NcclTestsRow& row : output.rows)
    import.add(row);
  if (const std::string& start = output.start_time; start.size() == 19)
    import.profile().created = start.substr(0, 10) + "T" + start.substr(11) + "Z";
  return import.finish(output.program.empty() ? "unknown" : operation_of(output.program),
                       std::max<int>(1, static_cast<int>(output.hosts.size())));
}

} // namespace trainyard::calibrate
