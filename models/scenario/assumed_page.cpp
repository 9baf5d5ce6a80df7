// SPDX-License-Identifier: Apache-2.0
#include "models/core/quantity_text.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/schema.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {
namespace {

std::string cell(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

} // namespace

std::string assumed_page(const nlohmann::ordered_json& schema, const Catalogue& catalogue)
{
  std::string out = "# What is assumed when you say little\n\n"
                    "Written by `simrun schema --assumed` from what the reader of scenario files uses; do not edit.\n\n"
                    "A result ends with a line `assumed: …`, which names those of the following that it rests on. "
                    "`simrun check FILE --explain` "
                    "lists every default of a file with its source, and `simrun schema --markdown` all keys.\n\n"
                    "## Keys whose defaults change answers\n\n"
                    "| Left out | Taken | It changes |\n|---|---|---|\n";
  for (const Assumption& assumption : assumptions())
    if (std::optional<std::string> taken = taken_value(assumption, schema); taken) {
      if (const std::string_view here = ", see docs/assumed.md"; taken->ends_with(here))
        taken->replace(taken->size() - here.size(), here.size(), " (tables below)");
      out += fmt::format("| `{}` | {} | {} |\n", assumption.path, cell(*taken), assumption.effect);
    }
  out += "\n## Frameworks\n\n"
         "`framework: {name: pytorch, version: \"2.3\"}` chooses one; `cuda_graphs: true` there makes the host's time "
         "per operator 0, `channels_last` how images lie in memory: with their channels first, matrix units need them "
         "turned around for each convolution (a PyTorch step of VGG-16 on an H100 takes 50 % longer). The "
         "precision counts where all GPUs of the cluster have matrix units for 16-bit numbers, else it is fp32. It is "
         "fp32 for the modes "
         "`one_collective` and `generic`, and for jobs on CPUs.\n\n"
         "| Framework | From version | `host_per_operator` | `precision` | `channels_last` | Provenance | Source "
         "|\n|---|---|---|---|---|---|---|\n";
  for (const auto& [name, framework] : catalogue.frameworks)
    out += fmt::format("| {} | {} {} | {} | {} | {} | {} | {} |\n", framework.description, framework.product,
                       framework.from, to_text(framework.host_per_operator), framework.precision,
                       framework.kernels.channels_last,
                       framework.provenance == Provenance::measured ? "measured" : "assumed", cell(framework.source));
  out += "\n## Eras\n\n| `era` | Framework |\n|---|---|\n";
  for (const auto& [name, era] : catalogue.eras)
    out += fmt::format("| {} | {} |\n", name, catalogue.frameworks.at(era.framework).description);
  out += "\n## By GPU, where neither `framework` nor `era` is given\n\n"
         "A GPU with bf16 has been sold since 2020 and is taken to run what the newest era runs; the others the "
         "oldest. With GPUs of both "
         "kinds in a cluster, the newer ones decide.\n\n"
         "| GPU | Framework | `host_per_operator` | `precision` |\n|---|---|---|---|\n";
  for (const auto& [name, gpu] : catalogue.gpus) {
    const AssumedFramework assumed = assume_framework(catalogue, {}, {name});
    out += fmt::format("| {} | {} | {} | {} |\n", name, assumed.framework.description,
                       to_text(assumed.framework.host_per_operator), default_precision(assumed, catalogue, {name}));
  }
  out += "\n## Machines, by GPU\n\n"
         "What a machine has that does not say. A machine with fewer GPUs has its part of the network cards, cores and "
         "memory; with one GPU "
         "only it is a PCIe tree. Empty: 1 network card on the network's link, 16 cores, 64 GB.\n\n"
         "| GPU | Wiring | NVLink | PCIe | Between sockets | GPUs | Network cards | Cores | Memory | Source "
         "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  const auto number = [](int value) { return value > 0 ? std::to_string(value) : std::string{}; };
  for (const auto& [name, gpu] : catalogue.gpus) {
    const Board& board = gpu.board;
    const std::string nvlink =
        board.nvlinks > 0 ? fmt::format("{} of generation {}", board.nvlinks, board.nvlink_generation) : std::string{};
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, board.intra, nvlink, board.pcie,
                       board.peers.value() > 0 ? to_text(board.peers) : std::string{}, number(board.gpus),
                       board.nics > 0 ? fmt::format("{} x {}", board.nics, board.nic) : std::string{},
                       number(board.cpu_cores), board.memory.value() > 0 ? to_text(board.memory) : std::string{},
                       cell(board.source));
  }
  return out;
}

} // namespace trainyard
