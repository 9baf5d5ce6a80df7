// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/import/pcie_layout.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <set>
#include <sstream>

namespace trainyard {
namespace {

/// A text without the escape codes of terminals.
std::string without_escapes(const std::string& text)
{
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) == 0)
        ++i;
      continue;
    }
    result += text[i];
  }
  return result;
}

std::vector<std::string> cells(const std::string& line)
{
  std::vector<std::string> list;
  std::istringstream stream{line};
  for (std::string cell; stream >> cell;)
    list.push_back(cell);
  return list;
}

bool is_device(const std::string& name)
{
  return ((name.starts_with("GPU") || name.starts_with("NIC")) && name.size() > 3 &&
          std::isdigit(static_cast<unsigned char>(name[3])) != 0) ||
         name.starts_with("mlx");
}

/// "NIC0: mlx5_0": a line of the legend below the matrix, since NICs have numbers there.
bool is_legend(const std::vector<std::string>& row)
{
  return row.size() == 2 && row.front().starts_with("NIC") && row.front().ends_with(':');
}

bool is_relation(const std::string& cell)
{
  static const std::set<std::string> known = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "PSB"};
  return known.contains(cell) ||
         (cell.starts_with("NV") && cell.size() > 2 && std::isdigit(static_cast<unsigned char>(cell[2])) != 0);
}

/// The matrix of `nvidia-smi topo -m`. Source: nvidia-smi(1), "topo", with its legend X, SYS, NODE, PHB, PXB, PIX, NV#.
class NvidiaSmiTopo final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string head = without_escapes(std::string{file.head().substr(0, 4096)});
    return head.find("GPU0") != std::string::npos &&
           (head.find("CPU Affinity") != std::string::npos || head.find(" X ") != std::string::npos ||
            head.find("\tX") != std::string::npos);
  }
  std::string description() const override { return "nvidia-smi topo -m"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::istringstream stream{without_escapes(file.text())};
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; // relations of each GPU
    std::vector<std::string> nics;              // their names, of the legend
    int number = 0, header = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      const std::vector<std::string> row = cells(line);
      if (row.empty())
        continue;
      if (columns.empty() && is_device(row.front()) && (row.size() < 2 || is_device(row[1]) || row[1] == "CPU")) {
        for (const std::string& cell : row)
          if (is_device(cell))
            columns.push_back(cell);
        header = number;
        continue;
      }
      if (is_legend(row)) {
        nics.push_back(row[1]);
        continue;
      }
      if (columns.empty() || !is_device(row.front()))
        continue;
      if (row.size() < columns.size() + 1 ||
          !std::all_of(row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(columns.size()), is_relation)) {
        context.report.error({file.name(), number},
                             "the row of {} has no {} relations (X, NV#, PIX, PXB, PHB, NODE, SYS)", row.front(),
                             columns.size());
        continue;
      }
      rows.emplace_back(row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(columns.size()));
    }
    const auto gpus = static_cast<std::size_t>(
        std::ranges::count_if(columns, [](const std::string& name) { return name.starts_with("GPU"); }));
    if (gpus == 0 || gpus > 64 || rows.size() < gpus) {
      context.report.error({file.name(), header}, "the file has no complete matrix of GPUs");
      return;
    }
    if (!nics.empty())
      context.report.understood({file.name(), header}, "NICs {}", fmt::join(nics, ", "));
    add(file, context, columns, rows, gpus, header);
  }

private:
  /// What the matrix says of the links between GPUs.
  struct Wires {
    std::multiset<int> links; // NVLinks of the first GPU's pairs
    int most = 0;             // NVLinks of a pair
    int of_gpu = 0;           // NVLinks of the first GPU, to all others
    bool switched = false;    // by NVSwitch: every pair shows all of them
    int edges = 0;            // pairs with NVLinks
    int across = 0;           // pairs on two sockets
    int switches = 0;         // groups of GPUs below one root port; 0: each has its own
  };

  static Wires wires_of(const std::vector<std::vector<std::string>>& rows, std::size_t gpus)
  {
    Wires wires;
    for (std::size_t i = 0; i < gpus; ++i)
      for (std::size_t k = i + 1; k < gpus; ++k) {
        const std::string& how = rows[i][k];
        if (how.starts_with("NV")) {
          const int count = static_cast<int>(std::clamp(number_of(how.substr(2), 1), 1.0, 64.0));
          wires.most = std::max(wires.most, count);
          ++wires.edges;
          if (i == 0)
            wires.links.insert(count);
        } else if (how == "SYS" || how == "SOC") {
          ++wires.across;
        }
      }
    const auto first_of_switch = [&](std::size_t i) {
      return std::ranges::none_of(rows[i].begin(), rows[i].begin() + static_cast<std::ptrdiff_t>(i),
                                  [](const std::string& how) { return how == "PIX" || how == "PXB"; });
    };
    for (std::size_t i = 0; i < gpus; ++i)
      wires.switches += first_of_switch(i) ? 1 : 0;
    if (wires.switches == static_cast<int>(gpus))
      wires.switches = 0;
    const int sum = std::accumulate(wires.links.begin(), wires.links.end(), 0);
    const bool even =
        wires.edges == static_cast<int>(gpus * (gpus - 1) / 2) && sum == wires.most * (static_cast<int>(gpus) - 1);
    const bool board = gpus == 4 && (sum == 6 || sum == 12 || sum == 18); // of four GPUs, wired to each other
    wires.switched = even && wires.edges > 0 && !board && (gpus > 4 || wires.most >= 6);
    wires.of_gpu = wires.switched ? wires.most : sum;
    return wires;
  }

  /// The layout inside a machine that comes nearest to these wires, as `intra:` of a scenario.
  static std::string wiring_of(const Wires& wires, std::size_t gpus, int generation, const std::string& pcie,
                               const ImportPlace& place, ImportReport& report)
  {
    std::string intra;
    const bool pairs = wires.edges > 0 && wires.edges == static_cast<int>(gpus / 2) && gpus > 2;
    if (wires.switched) {
      intra = fmt::format("nvswitch, generation: {}, links_per_gpu: {}", generation, wires.most);
      report.understood(place, "NVSwitch: NV{} between all GPUs", wires.most);
    } else if (pairs) {
      intra = fmt::format("nvlink_pairs, generation: {}, links_per_pair: {}", generation, wires.most);
      report.understood(place, "pairs of GPUs with {} NVLinks", wires.most);
    } else if (wires.edges > 0 && gpus == 8) {
      intra = "nvlink_cube_mesh, generation: 2";
      report.understood(place, "NVLink mesh of {} edges (DGX-1)", wires.edges);
    } else if (wires.edges >= static_cast<int>(gpus) - 1) {
      intra = fmt::format("nvswitch, generation: {}, links_per_gpu: {}", generation, std::max(1, wires.of_gpu));
      report.assumed({"every GPU reaches every other with its {} NVLinks", wires.of_gpu},
                     "a mesh of this shape is not modelled edge by edge", place);
    } else {
      if (wires.edges > 0)
        report.assumed({"NVLinks of {} are left out", counted(wires.edges, "pair")},
                       "the other GPUs have none, and a ring of all passes over PCIe", place);
      const int sockets = wires.across > 0 ? 2 : 1;
      intra = fmt::format("{}, sockets: {}, switches_per_socket: {}", pcie, sockets,
                          (wires.switches + sockets - 1) / sockets);
      report.understood(place, "PCIe only: {}", sockets > 1 ? "two sockets" : "one socket");
    }
    return intra;
  }

  static void add(const InputFile& file, ImportContext& context, const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows, std::size_t gpus, int header)
  {
    const ImportPlace place{file.name(), header};
    const std::size_t nics = columns.size() - gpus;
    const Wires wires = wires_of(rows, gpus);
    context.report.understood(place, "{}, {}", counted(gpus, "GPU"), counted(nics, "NIC"));
    DraftMachines machine{.name = "node",
                          .count = std::max(1, context.options.nodes),
                          .gpus = static_cast<int>(gpus),
                          .note = to_text(place)};
    machine.nics = std::min(static_cast<int>(nics), 64);
    const int generation = wires.of_gpu >= 18 ? 4 : wires.of_gpu > 6 ? 3 : 2; // a V100 has six
    std::string gpu = generation == 4      ? "H100-SXM5"
                      : wires.of_gpu >= 12 ? "A100-SXM4-40GB"
                      : generation == 3    ? "A800-SXM4-80GB"
                      : wires.most == 6    ? "V100-SXM3-32GB"
                                           : "V100-SXM2-16GB";
    if (!context.options.gpu.empty())
      gpu = context.options.gpu;
    if (wires.edges > 0)
      context.report.assumed("GPUs are " + gpu,
                             context.options.gpu.empty()
                                 ? fmt::format("the matrix does not name the GPU type; {} NVLinks fit this one{}",
                                               wires.of_gpu,
                                               gpu.starts_with("A800") ? ", and H800-SXM5 as well (--gpu)" : "")
                                 : "given by --gpu",
                             place);
    else
      gpu = context.unknown_gpu(place, "the matrix does not name the GPU type");
    machine.gpu = gpu;
    machine.intra = wiring_of(wires, gpus, generation, pcie_layout(context.catalogue, gpu), place, context.report);
    if (wires.edges > 0)
      context.report.assumed("an NVLink carries 25 GB/s each way",
                             "the matrix counts links; the rate is that of the generation", place);
    context.report.ignored("CPU and NUMA affinity", "processes are always close to their GPUs here", place);
    context.draft.machines.push_back(std::move(machine));
    context.draft.ask("how fast is all-reduce inside this machine?");
  }
};

TY_REGISTER(Importer, NvidiaSmiTopo, "nvidia-smi-topo",
            "nvidia-smi topo -m: NVLinks and PCIe distances of one machine");

} // namespace
} // namespace trainyard
