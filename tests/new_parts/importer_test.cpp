// SPDX-License-Identifier: Apache-2.0
/// A new importer is this one file: `simrun import` recognises its files by their content.
#include "tests/import/import_support.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace trainyard {
namespace {

/// "machines 4 gpus 8".
class Inventory final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return file.head().starts_with("machines "); }
  std::string description() const override { return "inventory"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    DraftMachines machines;
    machines.name = "node";
    if (std::sscanf(file.text().c_str(), "machines %d gpus %d", &machines.count, &machines.gpus) != 2) {
      context.report.error({file.name(), 1}, "expected 'machines COUNT gpus COUNT'");
      return;
    }
    machines.gpu = context.unknown_gpu({file.name(), 1}, "the inventory does not name it");
    context.draft.machines.push_back(machines);
    context.report.understood(counted(machines.count, "machine"), {file.name(), 1});
  }
};

TY_REGISTER(Importer, Inventory, "inventory", "list of machines");

TEST(NewPart, AnImporterIsFoundByTheContentOfTheFile)
{
  const ImportResult result = tests::import_texts({{"a.txt", "machines 4 gpus 8\n"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.gpus(), 32); // 4 x 8
  EXPECT_EQ(result.report.files.at(0).format, "inventory");
  EXPECT_NE(tests::find_entry(result.report.assumed(), "the inventory does not name it"), nullptr);
  EXPECT_EQ(tests::check_errors(result), "");
}

} // namespace
} // namespace trainyard
