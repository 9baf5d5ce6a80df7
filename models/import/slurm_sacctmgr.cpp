// SPDX-License-Identifier: Apache-2.0
#include "models/core/key_fates.hpp"
#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <set>
#include <span>

namespace trainyard {
namespace {

/// Columns of sacctmgr(1), in their several spellings.
constexpr std::string_view no_rule = "the policy slurm has no such rule";
constexpr std::array sacctmgr_fates{
    KeyFate{"Name Priority Preempt GraceTime PreemptMode MaxWall MaxTRES MaxTRESPU MaxTRESPerUser MaxTRESPA "
            "MaxTRESPerAccount GrpTRES MaxJobsPU MaxJobsPerUser MaxJobs GrpJobs MaxSubmitPU MaxSubmitJobsPU MaxSubmit "
            "MaxSubmitJobs GrpSubmit GrpSubmitJobs Account User Par* Share Fairshare",
            used_key},
    KeyFate{"UsageFactor UsageThres UsageThreshold LimitFactor",
            "GPU time counts as it is used, and limits are those that are given"},
    KeyFate{"Flags GrpTRESMins GrpTRESRunMins GrpWall MaxTRESPerNode MaxTRESMins MaxTRESPN MaxTRESRunMinsPU "
            "MaxTRESRunMinsPA MaxTRESMinsPJ MaxJobsPA MaxJobsPerAccount MaxSubmitPA MaxSubmitJobsPA MaxJobsAccruePA "
            "MaxJobsAccruePU MaxJobsAccrue GrpJobsAccrue MinTRES MinTRESPJ MinPrioThres PreemptExemptTime QOS Def*",
            no_rule},
    KeyFate{"Descr Description ID LFT RGT WOPInfo Lineage Comment Cluster", "it is a name, and no rule"}};

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

  /// Columns with a value that nothing is made of.
  void tell(std::span<const KeyFate> fates, const char* what, const ImportPlace& place, ImportReport& report) const
  {
    for (std::size_t i = 0; i < std::min(columns_.size(), cells_.size()); ++i)
      if (const std::string_view why = fate_of(columns_[i], fates, no_rule);
          why != used_key && !cells_[i].empty() && cells_[i] != "00:00:00")
        report.ignored({"{} of {}", columns_[i], what}, why, place);
  }

private:
  const std::vector<std::string>& columns_;
  std::vector<std::string> cells_;
};

/// Limits of a QOS or an association; columns that only one of them has are empty in the other.
class LimitsOfRow
{
public:
  LimitsOfRow(const Row& row, const ImportPlace& place, ImportReport& report)
      : row_{row}, place_{place}, report_{report}
  {
  }

  BatchLimits limits() const
  {
    BatchLimits limits;
    if (const auto most = slurm_time(row_.cell({"MaxWall"}), 60))
      limits.time = Seconds{*most};
    limits.job_gpus = gpus({"MaxTRES"});
    limits.user_gpus = gpus({"MaxTRESPU", "MaxTRESPerUser"});
    limits.account_gpus = gpus({"MaxTRESPA", "MaxTRESPerAccount"});
    limits.all_gpus = gpus({"GrpTRES"});
    limits.user_jobs = jobs({"MaxJobsPU", "MaxJobsPerUser", "MaxJobs"});
    limits.all_jobs = jobs({"GrpJobs"});
    limits.user_submitted = jobs({"MaxSubmitPU", "MaxSubmitJobsPU", "MaxSubmit", "MaxSubmitJobs"});
    limits.all_submitted = jobs({"GrpSubmit", "GrpSubmitJobs"});
    return limits;
  }

private:
  /// GPUs of "cpu=32,gres/gpu=8"; 0 where it has none.
  int gpus(std::initializer_list<const char*> columns) const
  {
    const std::string text = row_.cell(columns);
    bool counted = false;
    for (const std::string& part : split_hostlist(text))
      if (part.starts_with("gres/gpu"))
        counted = true;
      else
        report_.ignored({"limits of {}", part.substr(0, part.find('='))}, "limits are those of GPUs and jobs", place_);
    return counted ? number(slurm_tres(text).gpus, *columns.begin(), text) : 0;
  }
  int jobs(std::initializer_list<const char*> columns) const
  {
    const std::string text = row_.cell(columns);
    return text.empty() ? 0 : number(number_of(text, -1), *columns.begin(), text);
  }
  /// 0 where it is none that a scenario can say.
  int number(double value, const char* column, const std::string& text) const
  {
    if (value >= 1 && value <= 1e6)
      return static_cast<int>(value);
    report_.ignored({"{} of '{}'", column, text}, "limits are whole numbers from 1 on", place_);
    return 0;
  }

  const Row& row_;
  const ImportPlace& place_;
  ImportReport& report_;
};

std::string head_line(const InputFile& file)
{
  const std::string_view head = file.head();
  return std::string{head.substr(0, std::min(head.find('\n'), head.size()))};
}

/// Calls @p use with every line below the head and its place.
template <class Use>
void for_rows(const InputFile& file, const Use& use)
{
  std::string text = file.text();
  std::erase(text, '\r');
  std::vector<std::string> columns;
  for_each_line(text, [&](std::string_view line, std::int64_t number) {
    if (number == 1)
      columns = split(line, '|');
    else if (!line.empty())
      use(Row{columns, split(line, '|')}, ImportPlace{file.name(), static_cast<int>(number)});
  });
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
  std::vector<KeyTable> keys() const override { return {{"Name|Priority|Preempt|KEY\na|1||7\n", sacctmgr_fates}}; }

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
      if (const std::string mode = lower_case(row.cell({"PreemptMode"})); !mode.empty())
        read_preempt_mode(mode, fmt::format("QOS {}", qos.name), qos.preempt_mode, place, context.report);
      qos.limits = LimitsOfRow{row, place, context.report}.limits();
      context.report.understood("QOS " + qos.name, place);
      row.tell(sacctmgr_fates, "QOS", place, context.report);
      put_rule(context.draft.batch.rules.qos, std::move(qos));
    });
  }
};

bool has_limits(const BatchLimits& limits)
{
  return is_finite(limits.time) || limits.job_gpus + limits.user_jobs + limits.all_gpus + limits.all_jobs > 0 ||
         limits.user_submitted + limits.all_submitted > 0;
}

/// `sacctmgr -P show assoc`: shares and limits of accounts and users, and the tree of accounts where a column
/// ParentName or the option `tree` (accounts stand further right than their parents) says it. Source: sacctmgr(1),
/// "ASSOCIATIONS".
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
  std::vector<KeyTable> keys() const override { return {{"Account|User|Share|KEY\na||1|7\n", sacctmgr_fates}}; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::vector<Share> shares;
    BatchRules tree;
    bool has_tree = false;
    std::map<std::size_t, std::string> above; // accounts over the present line, by their indentation
    for_rows(file, [&](const Row& row, const ImportPlace& place) {
      const std::string indented = row.cell({"Account"});
      const std::string account{trimmed(indented)}, user{trimmed(row.cell({"User"}))};
      if (!row.cell({"Partition"}).empty()) {
        context.report.ignored("associations of single partitions", "accounts and users have all partitions", place);
        return;
      }
      row.tell(sacctmgr_fates, "accounts and users", place, context.report);
      if (account.empty())
        return;
      if (tree.association(account, user) != nullptr) {
        context.report.ignored("accounts and users that were given before", "they are of another cluster", place);
        return;
      }
      BatchAssociation one{.account = account,
                           .user = user,
                           .parent = std::string{trimmed(row.cell({"Par Name", "ParentName"}))},
                           .limits = LimitsOfRow{row, place, context.report}.limits()};
      if (user.empty()) {
        above.erase(above.lower_bound(indented.find_first_not_of(' ')), above.end());
        if (one.parent.empty() && !above.empty())
          one.parent = above.rbegin()->second;
        above[indented.find_first_not_of(' ')] = account;
        has_tree = has_tree || !one.parent.empty();
      }
      if (one.parent == BatchAssociation::root || !user.empty())
        one.parent.clear();
      tree.associations.push_back(std::move(one));
      if (account != BatchAssociation::root)
        shares.push_back({account, user, row.cell({"Share", "Fairshare"}), place});
    });
    if (!has_tree)
      context.report.assumed("every account stands directly below the root",
                             "the file has no tree; `sacctmgr -P show assoc tree` prints it", {file.name(), 1});
    const std::set<std::string> owners = owners_of(context.draft), with_jobs = with_jobs_below(tree, owners);
    take_shares(shares, owners, with_jobs, context);
    take_tree(tree, owners, with_jobs, context);
  }

private:
  /// As a row says it; "parent" is a share too.
  struct Share {
    std::string account, user, share;
    ImportPlace place;
  };

  /// Accounts that have jobs, and users as ACCOUNT.USER.
  static std::set<std::string> owners_of(const Draft& draft)
  {
    std::set<std::string> owners = draft.owners;
    for (const DraftQueueJob& job : draft.queue_jobs) {
      owners.insert(job.team);
      owners.insert(job.team + "." + job.user);
    }
    return owners;
  }

  /// Accounts that have jobs, and all above them; every account where the files have no jobs.
  static std::set<std::string> with_jobs_below(const BatchRules& tree, const std::set<std::string>& owners)
  {
    std::set<std::string> accounts;
    for (const BatchAssociation& one : tree.associations)
      if (one.user.empty() && (owners.empty() || owners.contains(one.account)))
        for (std::string name = one.account; !name.empty() && accounts.insert(name).second;)
          name = tree.above(name);
    return accounts;
  }

  static void take_shares(const std::vector<Share>& shares, const std::set<std::string>& owners,
                          const std::set<std::string>& with_jobs, ImportContext& context)
  {
    std::map<std::string, std::string> kept; // other than 1, by account, or account.user
    for (const auto& [account, user, share, place] : shares) {
      const std::string owner = user.empty() ? account : fmt::format("{}.{}", account, user);
      if (share == "parent") {
        context.report.ignored({"the share 'parent' of {}", user.empty() ? "accounts" : "users"},
                               "they have a share of 1", place);
        continue;
      }
      if (user.empty() ? !with_jobs.contains(account) : !owners.empty() && !owners.contains(owner)) {
        context.report.ignored({"shares of {} without jobs", user.empty() ? "accounts" : "users"}, "they have no usage",
                               place);
        continue;
      }
      if (const std::string number = fmt::format("{:g}", std::max(number_of(share, 1), 0.0)); number != "1")
        kept[owner] = number;
      context.report.understood(place, "shares of {}", user.empty() ? "accounts" : "users");
    }
    std::string text;
    for (const auto& [name, share] : kept)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, share);
    if (!text.empty())
      context.draft.batch.policy["shares"] = yaml_text(text);
  }

  /// Of those who have jobs: their limits, and the accounts that stand below or above another than the root.
  static void take_tree(const BatchRules& tree, const std::set<std::string>& owners,
                        const std::set<std::string>& with_jobs, ImportContext& context)
  {
    std::set<std::string> parents; // of accounts that are kept
    for (const BatchAssociation& one : tree.associations)
      if (one.user.empty() && with_jobs.contains(one.account))
        parents.insert(one.parent);
    std::vector<BatchAssociation> kept;
    int limited = 0;
    for (const BatchAssociation& one : tree.associations) {
      const bool limits = has_limits(one.limits);
      const bool is_kept =
          one.user.empty()
              ? with_jobs.contains(one.account) && (limits || !one.parent.empty() || parents.contains(one.account))
              : limits && (owners.empty() || owners.contains(one.account + "." + one.user));
      if (!is_kept)
        continue;
      limited += limits ? 1 : 0;
      kept.push_back(one);
      if (!one.parent.empty() && tree.association(one.parent) == nullptr) {
        context.report.assumed({"account {} stands directly below the root", one.account},
                               {"the file does not list the account above it, {}", one.parent});
        kept.back().parent.clear();
      }
    }
    if (limited > 0)
      context.report.understood(fmt::format("limits of accounts and users: {}", limited));
    if (kept.size() > static_cast<std::size_t>(limited))
      context.report.understood("tree of accounts");
    context.draft.batch.rules.associations = std::move(kept);
  }
};

TY_REGISTER(Importer, SacctmgrQos, "sacctmgr-qos", "Slurm's QOS: sacctmgr -P show qos");
TY_REGISTER(Importer, SacctmgrAssociations, "sacctmgr-assoc", "Slurm's accounts and users: sacctmgr -P show assoc");

} // namespace
} // namespace trainyard
