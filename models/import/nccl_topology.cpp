// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/import/pcie_layout.hpp"
#include "models/import/xml.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace trainyard {
namespace {

/// GPUs by PCI device number. Source: the PCI ID Repository (pci-ids.ucw.cz), vendor 10de.
std::string gpu_of_device(const std::string& device)
{
  static const std::map<std::string, std::string> devices = {{"0x102d", "K80"},
                                                             {"0x13f2", "M60"},
                                                             {"0x15f8", "P100-PCIe"},
                                                             {"0x15f9", "P100-SXM2"},
                                                             {"0x17fd", "M40"},
                                                             {"0x1b38", "P40"},
                                                             {"0x1db1", "V100-SXM2-16GB"},
                                                             {"0x1db4", "V100-PCIe-16GB"},
                                                             {"0x1db5", "V100-SXM2-32GB"},
                                                             {"0x1db6", "V100-PCIe-32GB"},
                                                             {"0x1db8", "V100-SXM3-32GB"},
                                                             {"0x1eb8", "T4"},
                                                             {"0x20b0", "A100-SXM4-40GB"},
                                                             {"0x20b2", "A100-SXM4-80GB"},
                                                             {"0x20b5", "A100-PCIe-80GB"},
                                                             {"0x20f1", "A100-PCIe-40GB"},
                                                             {"0x2330", "H100-SXM5"},
                                                             {"0x2331", "H100-PCIe"},
                                                             {"0x2335", "H200-SXM"},
                                                             {"0x26b9", "L40S"},
                                                             {"0x27b8", "L4"},
                                                             {"0x2901", "B200-SXM"}};
  const auto found = devices.find(device);
  return found == devices.end() ? std::string{} : found->second;
}

/// GPUs by compute capability, the commonest board of each. Source: NVIDIA, "CUDA GPUs" (compute capability).
std::string gpu_of_capability(int sm)
{
  static const std::map<int, std::string> known = {{37, "K80"},
                                                   {52, "M40"},
                                                   {60, "P100-SXM2"},
                                                   {61, "P40"},
                                                   {70, "V100-SXM2-16GB"},
                                                   {75, "T4"},
                                                   {80, "A100-SXM4-40GB"},
                                                   {86, "RTX-3090"},
                                                   {89, "L40S"},
                                                   {90, "H100-SXM5"},
                                                   {100, "B200-SXM"}};
  const auto found = known.find(sm);
  return found == known.end() ? std::string{} : found->second;
}

struct Found {
  int sockets = 0;
  int pci = 0;
  int switches = 0;
  int gpus = 0;
  int gpus_by_class = 0;
  int nics = 0;
  int nics_by_class = 0;
  std::map<double, std::pair<int, int>> nics_by_mbit; // how many, and the line of the first
  double nic_mbit = 0;
  double nic_mbit_by_device = 0;
  double pcie_GTps = 0; // of GPUs
  int pcie_width = 0;
  int first_gpu_line = 0;
  int first_nic_line = 0;
  std::string gpu;
  std::set<std::string> nvlink_targets;
  int nvlinks_of_first = 0;
  int nvlink_edges = 0;
  bool nvswitch = false;
  bool gdr = false;
};

/// The file that NCCL reads (NCCL_TOPO_FILE) and writes (NCCL_TOPO_DUMP_FILE). Source: NCCL, src/graph/xml.cc and
/// topo.cc.
class NcclTopology final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.has("<system") && (file.has("<cpu") || file.has("<pci"));
  }
  std::string description() const override { return "NCCL topology of one machine"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    tinyxml2::XMLDocument xml;
    const tinyxml2::XMLElement* system = parse_xml(xml, file, "system", context);
    if (system == nullptr)
      return;
    if (const std::string version = attribute(*system, "version"); version != "1")
      context.report.warning({file.name(), system->GetLineNum()},
                             "version '{}' of the topology is not known; it is read as 1", version);
    Found found;
    walk(*system, 0, file, context, found);
    const ImportPlace whole{file.name(), system->GetLineNum()};
    if (found.nic_mbit == 0 && found.nic_mbit_by_device > 0) {
      found.nic_mbit = found.nic_mbit_by_device;
      context.report.assumed("NICs of 100 Gbit/s", "the PCI device number is that of AWS's Elastic Fabric Adapter",
                             {file.name(), found.first_nic_line});
    }
    context.report.understood(whole, "{}, {}, {} of them switches", counted(found.sockets, "CPU socket"),
                              counted(found.pci, "PCI element"), found.switches);
    const int gpus = found.gpus > 0 ? found.gpus : found.gpus_by_class;
    leave_slow_nics(found, file, context.report);
    const int nics = found.nics > 0 ? found.nics : found.nics_by_class;
    if (gpus == 0 && nics == 0 && found.pci == 0)
      context.report.ignored("the whole file", "it lists no PCI elements", whole);
    if (gpus == 0) {
      context.report.error(
          whole, "found no GPU: the file has neither <gpu> elements nor PCI classes (0x0302..); dump the topology "
                 "of a running job with NCCL_TOPO_DUMP_FILE instead");
      return;
    }
    if (gpus > 64) {
      context.report.error(whole, "{} GPUs are more than one machine has", gpus);
      return;
    }
    add(found, gpus, nics, file, context);
  }

private:
  static void walk(const tinyxml2::XMLElement& element, int depth, const InputFile& file, ImportContext& context,
                   Found& found)
  {
    if (depth > 60)
      return;
    for (const tinyxml2::XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view name = child->Name();
      const ImportPlace place{file.name(), child->GetLineNum()};
      if (name == "cpu") {
        ++found.sockets;
      } else if (name == "pci") {
        ++found.pci;
        const std::string kind = attribute(*child, "class");
        if (kind.starts_with("0x0302") || kind.starts_with("0x0300")) {
          ++found.gpus_by_class;
          remember_gpu(*child, found);
        } else if (kind.starts_with("0x0200") || kind.starts_with("0x0207")) {
          ++found.nics_by_class;
          if (found.first_nic_line == 0)
            found.first_nic_line = place.line;
          if (attribute(*child, "vendor") == "0x1d0f" && attribute(*child, "device").starts_with("0xefa"))
            found.nic_mbit_by_device =
                100'000; // Source: AWS, "Elastic Fabric Adapter": 4 x 100 Gbit/s in p4d, 32 x 100 in p5
        } else if (kind.starts_with("0x0604")) {
          ++found.switches;
        } else if (kind.empty()) {
          context.report.ignored("PCI element without a class", "a bus number alone does not say what it is", place);
        } else {
          context.report.ignored("PCI class " + kind, "neither GPU, NIC nor switch", place);
        }
      } else if (name == "gpu") {
        ++found.gpus;
        if (found.first_gpu_line == 0)
          found.first_gpu_line = place.line;
        const int sm = static_cast<int>(std::clamp(number_of(attribute(*child, "sm"), 0), 0.0, 1000.0));
        if (found.gpu.empty())
          found.gpu = gpu_of_capability(sm);
        found.gdr = found.gdr || attribute(*child, "gdr") == "1";
      } else if (name == "net") {
        ++found.nics;
        if (found.first_nic_line == 0)
          found.first_nic_line = place.line;
        const double mbit = std::clamp(number_of(attribute(*child, "speed"), 0), 0.0, 1e7);
        found.nic_mbit = std::max(found.nic_mbit, mbit);
        ++found.nics_by_mbit.try_emplace(mbit, 0, place.line).first->second.first;
      } else if (name == "nvlink") {
        ++found.nvlink_edges;
        found.nvswitch = found.nvswitch || attribute(*child, "tclass").starts_with("0x0680");
        if (found.gpus <= 1)
          found.nvlinks_of_first += static_cast<int>(std::clamp(number_of(attribute(*child, "count"), 0), 0.0, 64.0));
        found.nvlink_targets.insert(attribute(*child, "target"));
      } else if (name != "nic") {
        context.report.ignored("element <" + std::string{name} + ">", "not modelled", place);
      }
      walk(*child, depth + 1, file, context, found);
    }
  }

  /// The NICs of a machine have one rate: that of the fastest.
  static void leave_slow_nics(Found& found, const InputFile& file, ImportReport& report)
  {
    if (found.nics_by_mbit.size() < 2)
      return;
    for (const auto& [mbit, some] : found.nics_by_mbit) {
      if (mbit == 0 || mbit == found.nic_mbit)
        continue;
      found.nics -= some.first;
      report.ignored({"{} of {:g} Gbit/s", counted(some.first, "NIC"), mbit / 1000},
                     "the NICs of a machine have one rate here, that of the fastest", {file.name(), some.second});
    }
    found.first_nic_line = found.nics_by_mbit.at(found.nic_mbit).second;
  }

  static void remember_gpu(const tinyxml2::XMLElement& element, Found& found)
  {
    if (found.first_gpu_line == 0)
      found.first_gpu_line = element.GetLineNum();
    if (const std::string gpu = gpu_of_device(attribute(element, "device")); !gpu.empty())
      found.gpu = gpu;
    const std::string speed = attribute(element, "link_speed");
    found.pcie_GTps = number_of(speed.substr(0, speed.find(' ')), 0);
    found.pcie_width = static_cast<int>(std::clamp(number_of(attribute(element, "link_width"), 16), 1.0, 64.0));
  }

  static void add(const Found& found, int gpus, int nics, const InputFile& file, ImportContext& context)
  {
    const ImportPlace gpu_place{file.name(), found.first_gpu_line};
    const ImportPlace nic_place{file.name(), found.first_nic_line};
    DraftMachines machine{
        .name = "node", .count = std::max(1, context.options.nodes), .gpus = gpus, .note = file.name()};
    if (!context.options.gpu.empty())
      machine.gpu = context.options.gpu;
    else if (!found.gpu.empty())
      machine.gpu = found.gpu;
    else
      machine.gpu = context.unknown_gpu(gpu_place, "the file gives neither device nor compute capability");
    context.report.understood(gpu_place, "{} GPUs{}", gpus, found.gpus == 0 ? " (by their PCI class)" : "");
    if (!found.gpu.empty() && context.options.gpu.empty())
      context.report.assumed("GPUs are " + machine.gpu,
                             found.gpus > 0 ? "their compute capability fits this board and others"
                                            : "by the PCI device number",
                             gpu_place);
    machine.nics = std::min(nics, 64);
    if (nics > 0)
      context.report.understood(nic_place, "{}{}", counted(nics, "NIC"),
                                found.nic_mbit > 0 ? fmt::format(" of {:g} Gbit/s", found.nic_mbit / 1000)
                                                   : " (by their PCI class)");
    if (found.nic_mbit > 0) {
      machine.nic_bandwidth = fmt::format("{:g} Gbit/s", found.nic_mbit / 1000);
      context.draft.network.bandwidth = machine.nic_bandwidth;
      context.draft.network.latency = "2 us";
      context.draft.network.note = to_text(nic_place);
      context.report.assumed("a network hop takes 2 us", "the file gives 0 or no value", nic_place);
    }
    const int sockets = std::clamp(found.sockets, 1, 16);
    const int per_socket = std::clamp(found.switches / sockets, 0, 16);
    // 8, 16, 32 GT/s a lane: PCIe 3, 4, 5. Source: PCI-SIG, PCI Express base specification.
    const std::string pcie = found.pcie_GTps > 24 ? "PCIe5-x16" : found.pcie_GTps > 12 ? "PCIe4-x16" : "PCIe3-x16";
    if (found.pcie_width != 16 && found.pcie_width != 0)
      context.report.ignored({"PCIe width {}", found.pcie_width}, "GPU links are assumed to have 16 lanes", gpu_place);
    const std::string shape =
        fmt::format(", sockets: {}, switches_per_socket: {}, pcie: {}", sockets, per_socket, pcie);
    context.report.understood(gpu_place, "PCIe tree: {}, {} below each, GPUs on {}", counted(sockets, "socket"),
                              counted(per_socket, "switch"), pcie);
    const auto is = [&](const char* begin) { return machine.gpu.starts_with(begin); };
    const int generation = is("P100") ? 1 : is("V100") ? 2 : is("A100") ? 3 : is("B200") || is("GB200") ? 5 : 4;
    if (found.nvswitch) {
      machine.intra = fmt::format("nvswitch, generation: {}", std::max(2, generation));
      context.report.understood("GPUs joined by NVSwitch", gpu_place);
    } else if (found.nvlink_edges > 0) {
      const bool mesh = gpus == 8 && generation <= 2;
      const bool pairs = found.nvlink_edges == gpus;
      machine.intra = mesh    ? fmt::format("nvlink_cube_mesh, generation: {}", generation)
                      : pairs ? fmt::format("nvlink_pairs, generation: {}, links_per_pair: {}", std::max(1, generation),
                                            std::max(1, found.nvlinks_of_first))
                              : fmt::format("nvswitch, generation: {}, links_per_gpu: {}", std::max(2, generation),
                                            std::max(1, found.nvlinks_of_first));
      context.report.understood(gpu_place, "{} NVLinks from the first GPU", found.nvlinks_of_first);
      if (!mesh && !pairs)
        context.report.assumed("a GPU reaches every other GPU at the total rate of its NVLinks",
                               "a mesh of this shape is not modelled edge by edge", gpu_place);
    } else if (machine.gpu.find("SXM") != std::string::npos) {
      machine.intra = generation <= 2 && gpus == 8 ? fmt::format("nvlink_cube_mesh, generation: {}", generation)
                                                   : fmt::format("nvswitch, generation: {}", std::max(2, generation));
      context.report.assumed({"GPUs are joined by NVLink ({})", machine.intra},
                             "the file lists no NVLinks (NCCL finds them itself), and this board has them", gpu_place);
    } else {
      machine.intra = pcie_layout(context.catalogue, machine.gpu);
    }
    machine.intra += shape;
    context.draft.machines.push_back(std::move(machine));
    context.draft.ask("how fast is all-reduce inside this machine, and does computation hide the exchange?");
  }
};

TY_REGISTER(Importer, NcclTopology, "nccl-topology", "NCCL topology XML: sockets, PCIe switches, GPUs, NICs, NVLinks");

} // namespace
} // namespace trainyard
