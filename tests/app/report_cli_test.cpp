// SPDX-License-Identifier: Apache-2.0
/// Reports as a reader meets them: the question, one sentence that answers it, and what it rests on.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;

struct ReportLine : tests::CommandLine {
};

// 8 layers' worth of a step is no figure of ours: what is looked for are the words around the figures.
TEST_F(ReportLine, OfADividedTransformerAnswersItsQuestion)
{
  write("m.yaml",
        "question: how fast?\ncluster:\n  node_types: {w: {gpu: H100-SXM5, gpus: 8}}\n"
        "  nodes: [{name: w, type: w, count: 2}]\n  network: {link: IB-NDR}\n"
        "jobs: [{name: j, model: llama3_8b, workers: 16, precision: bf16, training: {parallel: {tp: 2, dp: 8, "
        "zero: 1, global_batch: 64}}}]\nrun: {fidelity: closed_form}\n");
  const Outcome run = shell("simrun m.yaml -o out && simrun report out -o r.html && cat r.html");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("<h1>m"), HasSubstr("how fast?"), HasSubstr("llama3_8b on 16 H100-SXM5 (TP2 PP1 DP8"),
                    HasSubstr("of the step is compute"), HasSubstr("update of the parameters"),
                    HasSubstr(" of 79.6 GiB"), Not(HasSubstr("schema_version")), Not(HasSubstr("on - GPUs"))));
}

TEST_F(ReportLine, OfAJobWithFailuresHasThemAndTheBestInterval)
{
  write("f.yaml", "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                  "  nodes: [{name: w, type: w, count: 3}]\n  network: {link: 25GbE}\n"
                  "jobs: [{name: j, model: resnet50, batch_per_gpu: 32, workers: 2, steps: 100000}]\n"
                  "checkpoints: {save: 10 s, restart: 1 min}\nfaults: {mtbf: {node: 5 h, mttr: 1 h}}\n"
                  "run: {fidelity: fluid}\n");
  const Outcome run = shell("simrun f.yaml -o out && simrun report out -o r.html -o r.pdf && cat r.html");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr(">done</th>"), HasSubstr(">goodput</th>"), HasSubstr("Daly"), HasSubstr("redone work")));
}

// The questions of shipped scenarios, answered below their tables. Young: sqrt(2 x 60 s x 86,400 s) = 3,220 s loses the
// least. Notebooks use a tenth and a twentieth of what they hold. One job of `isolation` fails without requests, and
// that variant then wins nothing. Names of orchestrators change nothing.
TEST_F(ReportLine, OfServicesAnswersTheQuestion)
{
  for (const auto& [name, answer] : std::vector<std::pair<std::string, std::string>>{
           {"checkpoint_restart", "\ninterval=3220 s ends first, after "},
           {"interactive_tenants", "notebook-bob uses 0.4999 of the 10 GPU-h that it holds (5 %)"},
           {"isolation", "\nnot compared: variant=no limits large, where a service failed or did not end.\n"},
           {"orchestrators_same", "\nall 7 points end with the same figures.\n"},
           {"image_pull", "\nvariant=mirror starts first: each service runs 25.0 s after its arrival"},
           {"rendezvous", "training of 'train' starts at 90.0 s, 90.0 s after the job has its GPUs"}})
    EXPECT_THAT(shell("simrun " + name + " --no-files").out, HasSubstr(answer)) << name;
}

} // namespace
} // namespace trainyard
