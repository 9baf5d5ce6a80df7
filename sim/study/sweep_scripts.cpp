// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep_scripts.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <stdexcept>

namespace trainyard {
namespace {

/// A name that Kubernetes accepts: lower case letters, digits and '-', at most 50 characters.
std::string label(const std::string& name)
{
  std::string text;
  for (const char c : name)
    text += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  while (!text.empty() && text.front() == '-')
    text.erase(text.begin());
  text.resize(std::min<std::size_t>(text.size(), 50));
  while (!text.empty() && text.back() == '-')
    text.pop_back();
  return text.empty() ? "sweep" : text;
}

std::string shards_glob(const std::string& output)
{
  const std::filesystem::path file{output};
  return (file.parent_path() / (file.stem().string() + ".shard-*" + file.extension().string())).string();
}

std::string in_json(const std::string& text)
{
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + "\"";
}

} // namespace

std::string sweep_script(const std::string& kind, const SweepScript& script)
{
  const std::uint64_t last = script.shards - 1;
  const std::string merge = fmt::format("simrun merge {} -o {}", shards_glob(script.output), script.output);
  if (kind == "slurm")
    return fmt::format(
        "#!/bin/bash\n"
        "#SBATCH --job-name=sweep-{}\n"
        "#SBATCH --array=0-{}\n"
        "#SBATCH --cpus-per-task=1\n"
        "#SBATCH --time=01:00:00\n"
        "# The {} below is fixed, so you can submit only the failed numbers again (sbatch --array=3,7 …).\n"
        "# When all are done:  {}\n"
        "srun {} -j \"${{SLURM_CPUS_PER_TASK:-1}}\" --shard \"${{SLURM_ARRAY_TASK_ID}}/{}\" -o {}\n",
        label(script.name), last, script.shards, merge, script.command, script.shards, script.output);
  if (kind == "parallel")
    return fmt::format(
        "#!/bin/bash\n"
        "# GNU parallel; --resume starts only the shards that have not ended. For several machines add --sshlogin and "
        "a shared folder.\n"
        "mkdir -p \"$(dirname '{}')\"\n"
        "seq 0 {} | parallel --joblog '{}.joblog' --resume '{} -j 1 --shard {{}}/{} -o {}' && {}\n",
        script.output, last, script.output,
        [&] {
          std::string inner;
          for (const char c : script.command)
            inner += c == '\'' ? std::string{"'\\''"} : std::string{c};
          return inner;
        }(),
        script.shards, script.output, merge);
  if (kind == "pbs")
    return fmt::format(
        "#!/bin/bash\n"
        "#PBS -N sweep-{}\n"
        "{}"
        "#PBS -l select=1:ncpus=1,walltime=01:00:00\n"
        "# OpenPBS and PBS Pro; Torque writes #PBS -t 0-{} and PBS_ARRAYID. The {} below is fixed, so you "
        "can submit only the failed numbers again.\n"
        "# When all are done:  {}\n"
        "cd \"$PBS_O_WORKDIR\" || exit 1\n"
        "{} -j 1 --shard \"${{PBS_ARRAY_INDEX:-0}}/{}\" -o {}\n",
        label(script.name), last > 0 ? fmt::format("#PBS -J 0-{}\n", last) : "", last, script.shards, merge,
        script.command, script.shards, script.output);
  if (kind == "flux")
    return fmt::format(
        "#!/bin/bash\n"
        "# Flux: one job a shard; run it inside an instance (flux alloc, flux start, flux batch). The {} "
        "below is fixed, so you can submit only the failed numbers again (--cc=3,7).\n"
        "flux submit --cc=0-{} --job-name=sweep-{} --cores=1 --time-limit=1h --wait \\\n"
        "  {} -j 1 --shard '{{cc}}/{}' -o {} &&\n"
        "  {}\n",
        script.shards, last, label(script.name), script.command, script.shards, script.output, merge);
  if (kind == "kubernetes" || kind == "k8s")
    return fmt::format("# An indexed Job: each pod computes one shard into a shared volume. Checked only against the "
                       "schema of the API.\n"
                       "# When all are done, where the volume is mounted:  {}\n"
                       "apiVersion: batch/v1\n"
                       "kind: Job\n"
                       "metadata:\n"
                       "  name: sweep-{}\n"
                       "spec:\n"
                       "  completionMode: Indexed\n"
                       "  completions: {}\n"
                       "  parallelism: {}\n"
                       "  backoffLimitPerIndex: 3\n"
                       "  template:\n"
                       "    spec:\n"
                       "      restartPolicy: Never\n"
                       "      containers:\n"
                       "        - name: simrun\n"
                       "          image: simrun:1 # an image with simrun and the scenario\n"
                       "          command: [\"sh\", \"-c\", {}]\n"
                       "          resources:\n"
                       "            requests: {{cpu: \"1\", memory: 1Gi}}\n"
                       "          volumeMounts:\n"
                       "            - {{name: results, mountPath: /results}}\n"
                       "      volumes:\n"
                       "        - name: results\n"
                       "          persistentVolumeClaim: {{claimName: sweep-results}}\n",
                       merge, label(script.name), script.shards, std::min<std::uint64_t>(script.shards, 8),
                       in_json(fmt::format("{} -j 1 --shard auto/{} -o /results/{}", script.command, script.shards,
                                           std::filesystem::path{script.output}.filename().string())));
  throw std::logic_error{"unknown script " + kind};
}

} // namespace trainyard
