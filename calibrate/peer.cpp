// SPDX-License-Identifier: Apache-2.0
#include "calibrate/peer.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace trainyard::calibrate {

Peer::Peer(const Options& options) : most_seconds_{options.most_seconds}
{
  if (options.host.empty()) {
    local_ = std::make_unique<LocalServer>(options.program);
    host_ = "127.0.0.1";
    port_ = local_->port();
    token_ = local_->token();
  } else {
    host_ = options.host;
    port_ = options.port > 0 ? options.port : default_port;
    token_ = options.token;
  }
  control_ = greeted(&grpc_port_);
}

Socket Peer::greeted(int* grpc_port) const
{
  const std::string place = host_ + ":" + std::to_string(port_);
  Socket socket = connect_to(host_, port_, most_seconds_);
  ProbeHello hello;
  socket.read_all(&hello, sizeof hello);
  if (std::memcmp(hello.magic, ProbeHello{}.magic, sizeof hello.magic) != 0)
    throw std::runtime_error{place + " is not a 'simcal serve': it speaks another protocol"};
  if (hello.version != ProbeHello{}.version)
    throw std::runtime_error{place + " speaks version " + std::to_string(hello.version) +
                             " of the protocol, this program " + std::to_string(ProbeHello{}.version) +
                             "; use the same version of simcal on both machines"};
  ProbeToken shown;
  std::memcpy(shown.text, token_.data(), std::min(token_.size(), sizeof shown.text - 1));
  socket.write_all(&shown, sizeof shown);
  char admitted = 0;
  socket.read_all(&admitted, 1);
  if (admitted == 0)
    throw std::runtime_error{
        place + " refuses the token; give the one that 'simcal serve' printed when it started: --token TOKEN"};
  if (grpc_port != nullptr)
    *grpc_port = static_cast<int>(hello.grpc_port);
  return socket;
}

Socket Peer::connect() const
{
  return greeted(nullptr);
}

double Peer::server_cpu_seconds()
{
  const ProbeRequest request{.operation = ProbeOperation::usage};
  control_.write_all(&request, sizeof request);
  double seconds = 0;
  control_.read_all(&seconds, sizeof seconds);
  return seconds;
}

namespace {

/// Time of the smallest size: where a link lets bursts pass at once, the lines through larger sizes do not meet zero at
/// the latency.
Bounded smallest_time(const MeasuredCurve& curve)
{
  const std::vector<SampledPoint> points = curve.sampled();
  return points.empty() ? Bounded{} : bounded_median(points.front().seconds);
}

} // namespace

double stream_bytes(const Options& options)
{
  const double rate = options.line_rate > 0 ? options.line_rate : 1e9;
  return std::min(options.quick ? 16e6 : 64e6, rate * 0.15);
}

void conclude_transport(const std::string& name, const MeasuredCurves& curves, const Options& options, Profile& profile)
{
  const std::string where = options.host.empty() ? "two processes on one machine" : "to another machine";
  const std::string prefix = "transport." + name + ".";
  if (const auto found = curves.find(name + ".one_way"); found != curves.end())
    add_constant(profile, prefix + "latency", "s", smallest_time(found->second), found->second,
                 "half of the round trip of small messages, " + where);
  if (const auto found = curves.find(name + ".push"); found != curves.end()) {
    const Bounded rate = fit_of(curves, name + ".push").rate;
    if (options.line_rate > 0)
      add_constant(profile, prefix + "efficiency", "1", scaled(rate, 1 / options.line_rate), found->second,
                   "payload rate of one stream over the line rate of " + to_string(options.line_rate * 8e-6) +
                       " Mbit/s, " + where);
    else
      add_constant(profile, prefix + "stream_limit", "B/s", rate, found->second,
                   "payload rate of one stream, " + where);
  }
  if (const auto found = curves.find(name + ".streams"); found != curves.end() && options.line_rate <= 0) {
    Bounded best;
    for (const SampledPoint& point : found->second.sampled())
      if (const Bounded time = bounded_median(point.seconds); time.low > 0)
        if (const Bounded rate = scaled(inverse(time), point.size * stream_bytes(options)); rate.value > best.value)
          best = rate;
    add_constant(profile, prefix + "endpoint_limit", "B/s", best, found->second,
                 "payload that one server process receives from several workers at once, " + where);
  }
  if (const auto found = curves.find(name + ".cpu"); found != curves.end())
    add_constant(profile, prefix + "cpu_per_byte", "s/B", inverse(rate_at_largest(found->second)), found->second,
                 "CPU time per payload byte, mean of both ends, " + where);
  for (CalibratedCurve& curve : profile.curves)
    if (curve.name == name + ".push" && options.line_rate > 0) {
      curve.roof = options.line_rate;
      curve.roof_source = "line rate";
    }
}

} // namespace trainyard::calibrate
