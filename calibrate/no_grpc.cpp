// SPDX-License-Identifier: Apache-2.0
// Replaces the gRPC service where the library is missing, so that the rest builds and reports it.
#include "calibrate/measurement.hpp"
#include "calibrate/probe_server.hpp"

namespace trainyard::calibrate {

GrpcServer start_grpc_server(const std::string&, int, const std::string&)
{
  return {};
}

namespace {

class NoGrpc final : public Measurement
{
public:
  std::string missing(const Options&) const override
  {
    return "built without gRPC (Debian: libgrpc++-dev, protobuf-compiler-grpc, pkg-config)";
  }
  std::vector<Case> cases(const Options&) const override { return {}; }
  Samples measure(const Case&, const Options&) override { return {}; }
  void conclude(const MeasuredCurves&, const Options&, Profile&) const override {}
};

TY_REGISTER(Measurement, NoGrpc, "grpc", "gRPC: not in this build");

} // namespace
} // namespace trainyard::calibrate
