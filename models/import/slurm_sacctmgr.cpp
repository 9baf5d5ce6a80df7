// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace trainyard {
namespace {

/// A line of a table with columns between bars; columns stand in any order.
class Row
{
public:
  Row(const std::vector<std::string>& columns, std::vector<std::string> cells)
      : columns_{columns}, cells_{std::move(cells)}
  {
  }
  /// Of the first of these columns that the table has.
  std::string cell(std::initializer_list<const char*> names) const
  {
    for (const char* name : names)
      if (const auto found = std::ranges::find(columns_, name); found != columns_.end()) {
        const auto at = static_cast<std::size_t>(found - columns_.begin());
        return at < cells_.size() ? cells_[at] : "";
      }
    return "";
  }

private:
  const std::vector<std::string>& columns_;
  std::vector<std::string> cells_;
};

std::vector<std::string> split_bars(const std::string& line)
{
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == '|')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  return cells;
}

/// GPUs of "cpu=32,gres/gpu=8"; 0 where it has none.
int gpus_of(const std::string& text)
{
  const double gpus = slurm_tres(text).gpus;
  return gpus > 0 && gpus <= 1e6 ? static_cast<int>(gpus) : 0;
}

int count_in(const std::string& text)
{
  return static_cast<int>(std::clamp(number_of(text, 0), 0.0, 1e6));
}

std::string head_line(const InputFile& file)
{
  const std::string_view head = file.head();
  return std::string{head.substr(0, std::min(head.find('\n'), head.size()))};
}

/// Calls @p use with every line below the head and its place.
template <class Use>
void for_rows(const InputFile& file, const Use& use)
{
  std::istringstream stream{file.text()};
  std::string text;
  std::getline(stream, text);
  const std::vector<std::string> columns = split_bars(text);
  for (int line = 2; std::getline(stream, text); ++line)
    if (!text.empty())
      use(Row{columns, split_bars(text)}, ImportPlace{file.name(), line});
}

/// `sacctmgr -P show qos`: qualities of service with their limits. Source: sacctmgr(1), "QOS".
class SacctmgrQos final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string line = head_line(file);
    return line.starts_with("Name|") && line.find("|Preempt") != std::string::npos;
  }
  int rank() const override { return 2; }
  std::string description() const override { return "Slurm's QOS: sacctmgr -P show qos"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for_rows(file, [&](const Row& row, const ImportPlace& place) {
      BatchQos qos;
      qos.name = row.cell({"Name"});
      if (qos.name.empty())
        return;
      qos.priority = std::clamp(number_of(row.cell({"Priority"}), 0), 0.0, 4294967293.0);
      if (const std::string preempts = row.cell({"Preempt"}); !preempts.empty())
        qos.preempts = split_hostlist(preempts);
      if (const auto grace = slurm_time(row.cell({"GraceTime"})))
        qos.grace = Seconds{*grace};
      if (const auto most = slurm_time(row.cell({"MaxWall"}), 60))
        qos.limits.time = Seconds{*most};
      qos.limits.job_gpus = gpus_of(row.cell({"MaxTRES"}));
      qos.limits.user_gpus = gpus_of(row.cell({"MaxTRESPU", "MaxTRESPerUser"}));
      qos.limits.account_gpus = gpus_of(row.cell({"MaxTRESPA", "MaxTRESPerAccount"}));
      qos.limits.all_gpus = gpus_of(row.cell({"GrpTRES"}));
      qos.limits.user_jobs = count_in(row.cell({"MaxJobsPU", "MaxJobsPerUser"}));
      qos.limits.all_jobs = count_in(row.cell({"GrpJobs"}));
      context.report.understood("QOS " + qos.name, place);
      for (const char* column :
           {"Flags", "GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxTRESPerNode", "MaxTRESMins", "MaxJobsPA",
            "MaxSubmitPU", "MaxSubmitPA", "GrpSubmit", "MinTRES", "PreemptExemptTime"})
        if (const std::string given = row.cell({column}); !given.empty() && given != "00:00:00")
          context.report.ignored(fmt::format("{} of QOS", column), "the policy slurm has no such rule", place);
      put_rule(context.draft.batch.rules.qos, std::move(qos));
    });
  }
};

/// `sacctmgr -P show assoc`: shares of accounts and users. Source: sacctmgr(1), "ASSOCIATIONS".
class SacctmgrAssociations final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string line = head_line(file);
    return line.find("Account|User|") != std::string::npos &&
           (line.find("|Share") != std::string::npos || line.find("|Fairshare") != std::string::npos);
  }
  int rank() const override { return 11; } // what uses the shares must have jobs of these names
  std::string description() const override { return "Slurm's accounts and users: sacctmgr -P show assoc"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::map<std::string, std::string> shares; // by account, or account.user
    for_rows(file, [&](const Row& row, const ImportPlace& place) {
      const std::string account = row.cell({"Account"}), user = row.cell({"User"});
      const std::string share = row.cell({"Share", "Fairshare"});
      for (const char* column : {"GrpJobs", "GrpTRES", "GrpTRESMins", "MaxJobs", "MaxTRES", "MaxWall", "MaxTRESMins"})
        if (!row.cell({column}).empty())
          context.report.ignored(fmt::format("{} of accounts and users", column),
                                 "limits are those of partitions and QOS", place);
      if (account.empty() || account == "root")
        return;
      if (share == "parent") {
        context.report.ignored("the share 'parent'", "the user has a share of 1", place);
        return;
      }
      const std::string owner = user.empty() ? account : account + "." + user;
      if (!context.draft.owners.empty() && !context.draft.owners.contains(owner)) {
        context.report.ignored(fmt::format("shares of {} without jobs", user.empty() ? "accounts" : "users"),
                               "they have no usage", place);
        return;
      }
      shares[owner] = fmt::format("{:g}", std::max(number_of(share, 1), 0.0));
      context.report.understood(fmt::format("shares of {}", user.empty() ? "accounts" : "users"), place);
    });
    std::string text;
    for (const auto& [name, share] : shares)
      if (share != "1")
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, share);
    if (!text.empty())
      context.draft.batch.policy["shares"] = yaml_text(text);
  }
};

TY_REGISTER(Importer, SacctmgrQos, "sacctmgr-qos", "Slurm's QOS: sacctmgr -P show qos");
TY_REGISTER(Importer, SacctmgrAssociations, "sacctmgr-assoc", "Slurm's accounts and users: sacctmgr -P show assoc");

} // namespace
} // namespace trainyard
