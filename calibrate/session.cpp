// SPDX-License-Identifier: Apache-2.0
#include "calibrate/session.hpp"

#include "calibrate/probe_server.hpp"
#include "calibrate/show.hpp"
#include "calibrate/workers.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/output.hpp"
#include "models/core/program.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/statistics.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <tuple>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

/// Measured in several rounds, so that the intervals include the drift over minutes and not only the noise of one
/// moment.
int rounds_of(const Options&)
{
  return 3; // of a quick calibration shorter ones: two rounds do not show how much rounds differ
}

void tell(const std::string& text)
{
  std::fputs(for_terminal(text).c_str(), stderr);
}

struct Chosen {
  std::string name;
  std::unique_ptr<Measurement> measurement;
};

struct Journal {
  std::filesystem::path file;
  std::ofstream out;

  void write(const std::string& text)
  {
    out << text;
    out.flush();
    if (!out)
      throw std::runtime_error{"cannot write '" + file.string() + "': " + std::strerror(errno) +
                               "; samples so far are kept"};
  }
};

class Calibration
{
public:
  explicit Calibration(const Session& session) : session_{session}, begin_{wall_seconds()}
  {
    profile_.name = session.name.empty() ? session.output.stem().string() : session.name;
    profile_.created = utc_now();
    profile_.command = session.command;
    profile_.program = "simcal " + program_version();
    profile_.quick = session.options.quick;
    profile_.machine = describe_machine();
    check_file(session.output, replacing(session.force));
    choose();
    open_journal();
  }

  SessionResult run()
  {
    const int rounds = rounds_of(session_.options);
    std::size_t total = 0;
    for (const Chosen& chosen : chosen_)
      total += chosen.measurement->cases(session_.options).size() * static_cast<std::size_t>(rounds);
    std::size_t done = 0;
    bool stopped = false;
    for (int round = 0; round < rounds && !stopped; ++round)
      for (const Chosen& chosen : chosen_) {
        for (const Case& which : chosen.measurement->cases(session_.options)) {
          ++done;
          if (ready_.contains({round, which.curve, which.size}))
            continue;
          stopped = stopped || interrupted() || out_of_time();
          if (stopped)
            break;
          progress(done, total, round, which);
          measure(chosen, round, which);
        }
        chosen.measurement->close();
      }
    finish_progress();
    return conclude_all(stopped);
  }

private:
  void choose()
  {
    const auto& registry = Registry<Measurement>::instance();
    for (const std::string& name : session_.measurements)
      if (registry.find(name) == nullptr)
        throw InputError{"unknown measurement '" + name + "'" + did_you_mean(name, registry.names()) +
                         "; simcal list shows them"};
    for (const auto& [name, entry] : registry.entries()) {
      if (!session_.measurements.empty() &&
          std::ranges::find(session_.measurements, name) == session_.measurements.end())
        continue;
      if (session_.network_only && name != "tcp" && name != "grpc")
        continue;
      std::unique_ptr<Measurement> measurement = entry.create({});
      if (const std::string why = measurement->missing(session_.options); !why.empty()) {
        profile_.missing.push_back({name, why});
        if (!session_.quiet)
          tell(name + ": left out: " + why + "\n");
        continue;
      }
      for (auto& fact : measurement->machine())
        if (std::ranges::find(profile_.machine, fact) == profile_.machine.end())
          profile_.machine.push_back(std::move(fact));
      chosen_.push_back({name, std::move(measurement)});
    }
  }

  void open_journal()
  {
    journal_.file = session_.output;
    journal_.file.replace_extension(".samples.csv");
    const std::filesystem::path finished = session_.output;
    std::error_code error;
    // A finished calibration is measured again; an interrupted one left samples and a file marked as not complete, or
    // none.
    bool go_on = !session_.fresh && std::filesystem::exists(journal_.file, error);
    if (go_on && std::filesystem::exists(finished, error)) {
      try {
        const Profile before = read_profile(finished);
        go_on = !before.complete && before.quick == session_.options.quick;
      } catch (const std::exception&) {
        go_on = false;
      }
    }
    if (go_on) {
      for (JournalEntry& entry : read_journal(journal_.file)) {
        ready_.insert({entry.round, entry.which.curve, entry.which.size});
        keep(entry.round, entry.which, std::move(entry.samples));
      }
      if (!session_.quiet && !ready_.empty())
        std::fprintf(stderr,
                     "continuing after %zu cases of an interrupted calibration (--fresh measures everything again)\n",
                     ready_.size());
    }
    if (go_on)
      drop_torn_line();
    journal_.out.open(journal_.file, go_on ? std::ios::app : std::ios::trunc);
    if (!journal_.out)
      throw std::runtime_error{"cannot write '" + journal_.file.string() + "': " + std::strerror(errno) +
                               "; choose another file with --out"};
    if (!go_on)
      journal_.write("# raw samples of " + profile_.name +
                     ", seconds each; size in the unit of the next column\nround,curve,size,unit,state,seconds\n");
  }

  void drop_torn_line() const
  {
    std::ifstream in{journal_.file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const std::size_t end = text.rfind('\n');
    std::filesystem::resize_file(journal_.file, end == std::string::npos ? 0 : end + 1);
  }

  void keep(int round, const Case& which, Samples samples)
  {
    MeasuredCurve& curve = curves_[which.curve];
    curve.unit = which.unit;
    std::vector<Samples>& rounds = curve.points[which.size];
    rounds.resize(std::max<std::size_t>(rounds.size(), static_cast<std::size_t>(round) + 1));
    rounds[static_cast<std::size_t>(round)] = std::move(samples);
  }

  void measure(const Chosen& chosen, int round, const Case& which)
  {
    if (failures_[chosen.name] >= 3)
      return;
    try {
      Samples samples = chosen.measurement->measure(which, session_.options);
      std::erase_if(samples.seconds, [](double seconds) { return !(seconds > 0) || !std::isfinite(seconds); });
      journal_.write(sample_line(round, which, samples));
      keep(round, which, std::move(samples));
      failures_[chosen.name] = 0;
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {
      if (!journal_.out)
        throw;
      if (interrupted())
        return;
      chosen.measurement->close(); // the next case begins with a new connection
      finish_progress();
      const std::string text = which.curve + " at " + to_string(which.size, 6) + " " + which.unit + ": " + error.what();
      tell(text + "\n");
      if (std::ranges::find(profile_.warnings, text) == profile_.warnings.end())
        profile_.warnings.push_back(text);
      if (++failures_[chosen.name] == 3) {
        profile_.warnings.push_back(chosen.name + ": given up after three failures in a row");
        tell(profile_.warnings.back() + "\n");
      }
      failed_ = true;
    }
  }

  SessionResult conclude_all(bool stopped)
  {
    std::vector<std::string> names;
    for (const Chosen& chosen : chosen_)
      names.push_back(chosen.name);
    profile_.complete = !stopped && !failed_;
    conclude(curves_, session_.options, names, profile_);
    if (stopped && !interrupted())
      profile_.warnings.push_back("the time limit of " + to_string(session_.most_seconds) + " s was reached");
    replace_file(session_.output, profile_text(profile_), replacing(session_.force));
    SessionResult result{std::move(profile_), 0};
    if (interrupted())
      result.exit_code = 130;
    else if (failed_ || stopped)
      result.exit_code = result.profile.constants.empty() ? 1 : 4;
    return result;
  }

  bool out_of_time() const { return wall_seconds() - begin_ > session_.most_seconds; }

  void progress(std::size_t done, std::size_t total, int round, const Case& which)
  {
    if (session_.quiet)
      return;
    const double elapsed = wall_seconds() - begin_;
    const bool terminal = ::isatty(2) != 0;
    const auto percent = static_cast<int>(100 * (done - 1) / std::max<std::size_t>(total, 1));
    if (!terminal && percent / 10 == last_tenth_)
      return;
    last_tenth_ = percent / 10;
    const double fresh = static_cast<double>(done - ready_.size());
    const double left = fresh > 3 ? elapsed / fresh * static_cast<double>(total - done) : 0;
    std::fprintf(stderr, "%s%3d %%  round %d of %d  %-32s %4.0f s, about %.0f s left%s", terminal ? "\r" : "", percent,
                 round + 1, rounds_of(session_.options),
                 (which.curve + " " + with_unit(which.size, which.unit)).c_str(), elapsed, left,
                 terminal ? "   " : "\n");
    std::fflush(stderr);
    drawn_ = terminal;
  }

  void finish_progress()
  {
    if (drawn_)
      std::fprintf(stderr, "\r%-90s\r", "");
    drawn_ = false;
  }

  const Session& session_;
  double begin_;
  Profile profile_;
  std::vector<Chosen> chosen_;
  Journal journal_;
  std::set<std::tuple<int, std::string, double>> ready_;
  MeasuredCurves curves_;
  std::map<std::string, int> failures_;
  bool failed_ = false;
  bool drawn_ = false;
  int last_tenth_ = -1;
};

/// "key : value" of a text file of the system.
std::string system_fact(const char* file, const std::string& key)
{
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key))
      if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
        const std::size_t first = line.find_first_not_of(" \t", colon + 1);
        return first == std::string::npos ? "" : line.substr(first);
      }
  return {};
}

} // namespace

SessionResult calibrate(const Session& session)
{
  return Calibration{session}.run();
}

void conclude(const MeasuredCurves& curves, const Options& options, const std::vector<std::string>& measurements,
              Profile& profile)
{
  for (const auto& [name, measured] : curves) {
    CalibratedCurve curve;
    curve.name = name;
    curve.size_unit = measured.unit;
    for (const SampledPoint& point : measured.sampled()) {
      const std::vector<double> all = pooled(point.seconds);
      std::string state;
      for (const Samples& round : measured.points.at(point.size))
        state = round.state.empty() ? state : round.state;
      curve.points.push_back({point.size, quantile(all, 0.5), quantile(all, 0.25), quantile(all, 0.75),
                              static_cast<int>(all.size()), state});
    }
    curve.fit = fit_of(curves, name);
    if (!curve.points.empty())
      profile.curves.push_back(std::move(curve));
  }
  const auto& registry = Registry<Measurement>::instance();
  for (const std::string& name : measurements)
    registry.create(name)->conclude(curves, options, profile);
}

std::vector<std::pair<std::string, std::string>> describe_machine()
{
  std::vector<std::pair<std::string, std::string>> facts;
  std::string model = system_fact("/proc/cpuinfo", "model name");
  facts.emplace_back("cpu", (model.empty() ? "unknown processor" : model) + ", " +
                                std::to_string(Workers::all_cores()) + " cores");
  struct sysinfo memory = {};
  if (::sysinfo(&memory) == 0)
    facts.emplace_back("memory",
                       to_string(static_cast<double>(memory.totalram) * memory.mem_unit / 1073741824.0, 3) + " GiB");
  utsname system{};
  if (::uname(&system) == 0) {
    // The version without the builder's own suffix.
    const std::string release = system.release;
    facts.emplace_back("kernel",
                       std::string{system.sysname} + " " + release.substr(0, release.find('-')) + " " + system.machine);
  }
  std::ifstream congestion{"/proc/sys/net/ipv4/tcp_congestion_control"};
  if (std::string name; congestion >> name)
    facts.emplace_back("tcp_congestion_control", name);
  std::ifstream load{"/proc/loadavg"};
  if (std::string minute; load >> minute)
    facts.emplace_back("load_before", minute);
  return facts;
}

} // namespace trainyard::calibrate
