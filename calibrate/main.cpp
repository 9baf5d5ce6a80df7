// SPDX-License-Identifier: Apache-2.0
/// simcal: arguments and exit codes, nothing else.
#include "calibrate/layer_products.hpp"
#include "calibrate/nccl_tests.hpp"
#include "calibrate/probe_server.hpp"
#include "calibrate/rates_file.hpp"
#include "calibrate/session.hpp"
#include "calibrate/show.hpp"
#include "calibrate/token.hpp"
#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/output.hpp"
#include "models/core/program.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/safe_text.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

enum ExitCode { done = 0, failed = 1, bad_input = 2, differs = 3, in_part = 4, interrupted_code = 130 };

const char* const help =
    R"(simcal: measure this machine and write a calibration file for scenarios

  simcal [run] [--out FILE] [--quick]      measure everything; takes up to 10 minutes, --quick up to 1
  simcal list                              list what can be measured here, and why the rest cannot
  simcal serve [--port N] [--for TIME]     act as the other end of network measurements; prints a token
  simcal net HOST --token TOKEN [--port N] [--line-rate RATE] [--out FILE]
                                           measure TCP and gRPC to a machine that runs simcal serve
  simcal show FILE [--svg DIR]             show constants, fits and warnings of a calibration file; a plot of each curve
                                           with several sizes
  simcal diff A B [--limit SHARE]          compare two calibration files; exit code 3 if constants differ
  simcal import FILE [--out FILE]          convert output of nccl-tests (text or JSON) to a calibration file
  simcal rates FILE [--out FILE]           write what a calibration file says of large models in the catalogue's form,
                                           for 'measured_rates' of scenarios

Options of run and net:
  --out FILE       calibration file to write (default calibration.json); samples go to <stem>.samples.csv in the same folder.
                   An interrupted calibration continues; --fresh measures everything again
  --name NAME      name of the calibration (default: the file name without extension)
  --only A,B       only these measurements (names: simcal list)
  --layer SIZES    layer whose matrix products are measured, after division:
                   hidden=8192,ffn=28672,heads=64,kv_heads=8,tokens=8192,tp=8,experts=1,gated=1
  --shapes FILE    or its products: rows x columns x depth on each line, x products in one call
  --folder DIR     folder in which the disk is measured (default: the folder of --out)
  --limit TIME     time limit of the whole calibration (default 10 min)
  --wait TIME      longest single wait for a peer (default 30 s)
  --force          also replace a file that simcal did not write (so do show, import and rates)
  --quiet          do not show progress
  --rank R --ranks N --rendezvous FILE
                   NCCL across processes or machines: run the same command on each, with a FILE that all can read
  --line-rate RATE rate of the link to HOST, "200 Mbit/s": measured rates are then given as shares of it
serve: --address ADDRESS to listen on (default 0.0.0.0), --port N (default 18515; gRPC takes the next one),
       --for TIME until it ends by itself (default 30 min; 0 s: never), --token TOKEN instead of a fresh one
diff: --limit SHARE largest difference that counts as equal (default "3 %")

Exit codes: 0 done, 1 failed, 2 bad input, 3 differs, 4 partly finished, 130 interrupted (the measurements so far are kept)
)";

/// Options by name; values without a name are positional.
struct Arguments {
  std::map<std::string, std::string> options;
  std::vector<std::string> positional;

  bool has(const std::string& name) const { return options.contains(name); }
  std::string value(const std::string& name, const std::string& fallback) const
  {
    return has(name) ? options.at(name) : fallback;
  }
};

Arguments parse(const std::vector<std::string>& words, const std::vector<std::string>& with_value,
                const std::vector<std::string>& flags, std::size_t positional, const std::string& needs)
{
  Arguments arguments;
  std::vector<std::string> known = with_value;
  known.insert(known.end(), flags.begin(), flags.end());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (!words[i].starts_with("--")) {
      arguments.positional.push_back(words[i]);
    } else if (std::ranges::count(flags, name) && name == words[i]) {
      arguments.options[name] = "yes";
    } else if (std::ranges::count(with_value, name)) {
      if (name != words[i])
        arguments.options[name] = words[i].substr(name.size() + 1);
      else if (i + 1 < words.size())
        arguments.options[name] = words[++i];
      else
        throw InputError{"option '" + name + "' needs a value"};
    } else {
      throw InputError{"unknown option '" + words[i] + "'" + did_you_mean(name, known) + "; simcal --help"};
    }
  }
  if (arguments.positional.size() != positional)
    throw InputError{needs + " (got " + std::to_string(arguments.positional.size()) + "); simcal --help"};
  return arguments;
}

double quantity(const Arguments& arguments, const std::string& name, QuantityKind kind, double fallback, double least)
{
  if (!arguments.has(name))
    return fallback;
  const QuantityText read = parse_quantity(arguments.value(name, ""), kind);
  if (!read)
    throw InputError{name + ": " + read.error};
  if (read.value < least)
    throw InputError{name + ": must be at least " + to_string(least)};
  return read.value;
}

int whole_number(const Arguments& arguments, const std::string& name, int least, int most, int fallback = 0)
{
  if (!arguments.has(name))
    return fallback;
  const std::string text = arguments.value(name, "");
  const std::optional<int> number = as_number<int>(text);
  if (!number || *number < least || *number > most)
    throw InputError{name + ": '" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most)};
  return *number;
}

std::string whole_file(const std::string& file)
{
  std::ifstream in{file, std::ios::binary};
  if (!in)
    throw std::runtime_error{"cannot open '" + file + "': " + std::strerror(errno)};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The command for the calibration file; a token is a secret.
std::string joined(const std::vector<std::string>& words)
{
  std::string text = "simcal";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool after = i > 0 && words[i - 1] == "--token";
    text += " " + (after ? "…" : words[i].starts_with("--token=") ? "--token=…" : words[i]);
  }
  return text;
}

Session session_of(const Arguments& arguments)
{
  Session session;
  session.output = arguments.value("--out", "calibration.json");
  session.name = arguments.value("--name", "");
  session.options.quick = arguments.has("--quick");
  session.fresh = arguments.has("--fresh");
  session.quiet = arguments.has("--quiet");
  session.force = arguments.has("--force");
  std::filesystem::path folder = session.output.parent_path();
  session.options.folder = arguments.value("--folder", folder.empty() ? "." : folder.string());
  session.most_seconds = quantity(arguments, "--limit", QuantityKind::duration, session.options.quick ? 60 : 600, 1);
  session.options.most_seconds = quantity(arguments, "--wait", QuantityKind::duration, 30, 0.1);
  session.options.line_rate = quantity(arguments, "--line-rate", QuantityKind::bandwidth, 0, 1);
  std::error_code error;
  session.options.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  session.options.rank = whole_number(arguments, "--rank", 0, 100'000);
  session.options.ranks = whole_number(arguments, "--ranks", 0, 100'000);
  session.options.rendezvous = arguments.value("--rendezvous", "");
  if (session.options.ranks > 0 &&
      (session.options.rendezvous.empty() || session.options.rank >= session.options.ranks))
    throw InputError{"--ranks needs --rendezvous FILE and a --rank below it"};
  if (arguments.has("--layer") && arguments.has("--shapes"))
    throw InputError{"--layer and --shapes both say which products are measured; give one of them"};
  if (arguments.has("--layer"))
    session.options.products = products_of(read_layer(arguments.value("--layer", "")));
  if (arguments.has("--shapes"))
    session.options.products =
        read_shapes(whole_file(arguments.value("--shapes", "")), arguments.value("--shapes", ""));
  std::string only = arguments.value("--only", "");
  while (!only.empty()) {
    const std::size_t comma = std::min(only.find(','), only.size());
    session.measurements.push_back(only.substr(0, comma));
    only.erase(0, comma + 1);
  }
  return session;
}

int finish(const SessionResult& result, const Session& session)
{
  if (!session.quiet) {
    std::fputs(for_terminal(show_text(result.profile, utc_now())).c_str(), stdout);
    std::fprintf(stderr, "\nwritten to %s (simcal show %s --svg DIR draws it)\n", session.output.c_str(),
                 session.output.c_str());
  }
  return result.exit_code;
}

const std::vector<std::string> run_options{"--out",       "--name", "--only",  "--folder",     "--limit", "--wait",
                                           "--line-rate", "--rank", "--ranks", "--rendezvous", "--layer", "--shapes"};
const std::vector<std::string> run_flags{"--quick", "--fresh", "--force", "--quiet"};

int run(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, run_options, run_flags, 0, "run takes only options");
  Session session = session_of(arguments);
  session.command = joined(words);
  return finish(calibrate(session), session);
}

int net(const std::vector<std::string>& words)
{
  std::vector<std::string> options = run_options;
  options.insert(options.end(), {"--port", "--token"});
  const Arguments arguments = parse(words, options, run_flags, 1, "net needs one HOST that runs 'simcal serve'");
  Session session = session_of(arguments);
  if (!arguments.has("--token"))
    throw InputError{"net needs --token TOKEN: 'simcal serve' prints it on the other machine"};
  session.options.token = arguments.value("--token", "");
  check_token(session.options.token);
  session.options.host = arguments.positional.front();
  session.options.port = whole_number(arguments, "--port", 1, 65534, default_port);
  session.network_only = true;
  session.command = joined(words);
  if (!session.quiet)
    std::fprintf(stderr,
                 "for up to %s this loads the link to %s as much as it can, with up to 8 connections at once; other "
                 "traffic there gets slow\n",
                 to_text(Seconds{session.most_seconds}).c_str(), session.options.host.c_str());
  return finish(calibrate(session), session);
}

constexpr double default_serve_seconds = 1800;

std::string host_name()
{
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? std::string{name} : std::string{"HOST"};
}

int serve(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, {"--port", "--for", "--address", "--announce", "--token"}, {"--quiet"}, 0,
                                    "serve takes only options");
  const std::string token = arguments.has("--token") ? arguments.value("--token", "") : fresh_token();
  check_token(token);
  const double seconds = quantity(arguments, "--for", QuantityKind::duration, default_serve_seconds, 0);
  ProbeServer server{arguments.value("--address", "0.0.0.0"), whole_number(arguments, "--port", 0, 65534, default_port),
                     token};
  if (arguments.has("--announce")) { // the handle of a pipe on which the parent process waits for the port
    const int handle = std::atoi(arguments.value("--announce", "").c_str());
    Announcement announced{server.port(), {}};
    std::memcpy(announced.token.text, token.data(), token.size());
    if (handle <= 2 || ::write(handle, &announced, sizeof announced) != sizeof announced)
      throw std::runtime_error{std::string{"cannot announce the port: "} + std::strerror(errno)};
    ::close(handle);
  }
  if (!arguments.has("--quiet"))
    std::fprintf(
        stderr,
        "serving on port %d%s%s; Ctrl-C ends\nwho shows the token may fill the link of this machine with probes:\n"
        "  simcal net %s --token %s%s\n",
        server.port(),
        server.grpc_port() > 0 ? (", gRPC on " + std::to_string(server.grpc_port())).c_str() : ", built without gRPC",
        seconds > 0 ? (" for " + to_text(Seconds{seconds})).c_str() : "", host_name().c_str(), token.c_str(),
        server.port() == default_port ? "" : (" --port " + std::to_string(server.port())).c_str());
  server.serve(seconds);
  return done;
}

int list(const std::vector<std::string>& words)
{
  parse(words, {}, {}, 0, "list takes no argument");
  Options options;
  for (const auto& [name, entry] : Registry<Measurement>::instance().entries()) {
    const std::unique_ptr<Measurement> measurement = entry.create({});
    const std::string why = measurement->missing(options);
    std::printf("%-18s %s\n", name.c_str(), entry.description.c_str());
    if (why.empty())
      std::printf("%-18s   %zu cases\n", "", measurement->cases(options).size());
    else
      std::printf("%-18s   not here: %s\n", "", why.c_str());
  }
  return done;
}

void draw(const Profile& profile, const std::filesystem::path& folder, bool force)
{
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const CalibratedCurve& curve : profile.curves) {
    if (curve.points.size() < 2) // one convolution, one product: nothing grows with a size
      continue;
    replace_file(folder / (curve.name + ".svg"), svg_text(draw_curve(curve)), {.force = force, .mark = "<svg "});
  }
}

int show(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, {"--svg"}, {"--force"}, 1, "show takes one calibration file");
  const Profile profile = read_profile(arguments.positional.front());
  std::fputs(for_terminal(show_text(profile, utc_now())).c_str(), stdout);
  if (arguments.has("--svg"))
    draw(profile, arguments.value("--svg", "."), arguments.has("--force"));
  return done;
}

int diff(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, {"--limit"}, {}, 2, "diff takes two calibration files");
  const double limit = quantity(arguments, "--limit", QuantityKind::ratio, 0.03, 0);
  const Profile before = read_profile(arguments.positional[0]), after = read_profile(arguments.positional[1]);
  std::fputs(for_terminal(diff_text(before, after, limit)).c_str(), stdout);
  const std::vector<Difference> all = differences(before, after, limit);
  return std::ranges::any_of(
             all, [](const Difference& d) { return d.before && d.after && !d.within_limit && !d.within_bars; })
             ? differs
             : done;
}

int import(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, {"--out"}, {"--force"}, 1, "import takes one output file of nccl-tests");
  const std::string& file = arguments.positional.front();
  Profile profile = import_nccl_tests(whole_file(file), file);
  profile.command = joined({"import", std::filesystem::path{file}.filename().string()});
  if (arguments.has("--out"))
    replace_file(arguments.value("--out", ""), profile_text(profile), replacing(arguments.has("--force")));
  std::fputs(for_terminal(show_text(profile, utc_now())).c_str(), stdout);
  return done;
}

int rates(const std::vector<std::string>& words)
{
  const Arguments arguments = parse(words, {"--out"}, {"--force"}, 1, "rates takes one calibration file");
  const std::string text = rates_text(read_profile(arguments.positional.front()));
  if (!arguments.has("--out")) {
    std::fputs(for_terminal(text).c_str(), stdout);
    return done;
  }
  const std::string file = arguments.value("--out", "");
  replace_file(file, text, {.force = arguments.has("--force"), .mark = text.substr(0, text.find('\n') + 1)});
  std::fprintf(stderr, "written to %s; a scenario names it: measured_rates: %s\n", file.c_str(), file.c_str());
  return done;
}

int dispatch(std::vector<std::string> words)
{
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h" || words[0] == "help")) {
    std::fputs(help, stdout);
    return done;
  }
  if (!words.empty() && words[0] == "--version") {
    std::fputs(version_text("simcal").c_str(), stdout);
    return done;
  }
  const std::map<std::string, int (*)(const std::vector<std::string>&)> commands{
      {"run", run},   {"net", net},   {"serve", serve},   {"list", list},
      {"show", show}, {"diff", diff}, {"import", import}, {"rates", rates}};
  if (words.empty() || words[0].starts_with("--"))
    return run(words);
  const auto found = commands.find(words[0]);
  if (found == commands.end()) {
    throw InputError{"unknown command '" + words[0] + "'" + did_you_mean(words[0], keys_of(commands)) +
                     "; simcal --help"};
  }
  words.erase(words.begin());
  return found->second(words);
}

} // namespace
} // namespace trainyard::calibrate

int main(int count, char** words)
{
  using namespace trainyard;
  calibrate::catch_interrupts();
  try {
    return calibrate::dispatch({words + 1, words + count});
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics())
      std::fputs(for_terminal(format(diagnostic)).c_str(), stderr);
    return calibrate::bad_input;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", for_terminal(error.what()).c_str());
    return calibrate::interrupted() ? calibrate::interrupted_code : calibrate::failed;
  }
}
