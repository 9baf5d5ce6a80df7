// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/hardware.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Which operations the transports offered at a time: one dated table, transport -> (operation, device) -> "yes", "no",
/// "?".
struct Era {
  std::string name; // a year
  std::string description;
  std::string framework; // that jobs run under where the scenario names none
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::string>> supports;
  std::string source;
};

/// A training framework from one version on: what it costs the host, and how its users compute.
struct Framework {
  std::string name; // "pytorch-2"
  std::string description;
  std::string product;       // "pytorch": what the scenario's `framework: {name: …}` says
  std::string from;          // first version, "2.0"
  Seconds host_per_operator; // that the host needs to start one operator
  std::string precision;     // number format that its users choose on GPUs with matrix units
  KernelHabits kernels;
  /// What it does by itself, by training mode and setting, as scenarios write it: parameter_server, transport → "zmq".
  std::map<std::string, std::map<std::string, std::string>> training{};
  Provenance provenance = Provenance::assumed;
  std::string source;
};

/// All hardware that is known by name, sorted.
struct Catalogue {
  std::map<std::string, Gpu> gpus;
  std::map<std::string, Gpu> cpus; // one socket with all its cores: rates, bandwidth and capacity of its memory
  std::map<std::string, LinkType> links;
  std::map<std::string, Transport> transports; // with the operations of the newest era
  std::map<std::string, Era> eras;
  std::map<std::string, Framework> frameworks;

  std::vector<std::string> gpu_names() const;
  std::vector<std::string> cpu_names() const;
  std::vector<std::string> link_names() const;
  std::vector<std::string> transport_names() const;
  std::vector<std::string> era_names() const;

  /// Gives the transports the operations of an era. Throws std::invalid_argument, with a suggestion, for an unknown
  /// one.
  void use_era(const std::string& era);
};

/// Reads the files below `<folder>/models/hardware/catalogue/{gpus,cpus,links,transports,frameworks,eras}`; one file
/// each, named after its entry.
///
/// Throws InputError with all faults (unknown key, number without unit, missing source).
Catalogue load_catalogue(const std::filesystem::path& data_folder);

} // namespace trainyard
