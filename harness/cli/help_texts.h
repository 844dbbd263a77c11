// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_HELP_TEXTS_H_
#define ASSAY_CLI_HELP_TEXTS_H_

namespace assay {

/// What --help says of `assay` and of each command, beside its options: the examples that end it.

inline constexpr const char* kDescription =
    "Grades the code that language models write: builds submissions in a sandbox, tests them\n"
    "against an oracle, times them against a baseline, and renders scoreboards and matchups.";

inline constexpr const char* kExamples =
    "Examples:\n"
    "  assay try my_answer --watch                  while you write: builds it, first failure\n"
    "  assay grade                                  grade what changed, then show the scoreboard\n"
    "  assay grade glm-5                            all submissions of one model\n"
    "  assay grade glm-5/layernorm_backward --force --seed 7\n"
    "  assay explain glm-5/layernorm_backward       where did its points go?\n"
    "  assay compare glm-5 qwen3.6-27b              two models, row by row\n"
    "  assay robustness                             how well do the ranks hold?\n"
    "  assay site public                            all of it to look at in a browser\n"
    "  assay new my-model layernorm_backward        a submission to begin with\n"
    "  assay collect answer.md --as my-model/kv_cache\n"
    "                                               or one made of a model's answer\n"
    "  assay check && assay report --check          what CI runs\n"
    "  assay doctor                                 what can this machine do?\n"
    "  assay cuda run prog.cu                       a CUDA program on a machine without a GPU\n\n";

inline constexpr const char* kTryExamples =
    "Examples:\n"
    "  assay try my_answer                 build it, run 20 telling cases, show the first failure\n"
    "  assay try . --watch                 again on each save, with what became different\n"
    "  assay try . --case 'Edge/f32.*'     these cases, with grading's own limits\n"
    "  assay try . --case Core.One --seed 7\n"
    "                                      one case with other inputs\n"
    "  assay try draft --challenge kv_cache --json\n"
    "                                      for scripts; the folder may have any name\n\n"
    "DIR holds submission.yaml and what it names; it may lie anywhere, and no model.yaml is "
    "needed.\n"
    "Nothing is written there, nor in a repository. It is compiled in the sandbox as grading "
    "does;\n"
    "functions that are misspelt or are not extern \"C\" are named; then those cases run that "
    "find\n"
    "the most known bugs, each call for at most 3 s. Grading runs all cases, more than once, with\n"
    "inputs of its own. Ends with 1 when something failed.";

inline constexpr const char* kGradeExamples =
    "Examples:\n"
    "  assay grade                         every submission whose evidence no longer holds\n"
    "  assay grade glm-5 qwen3.6-27b       those of two models\n"
    "  assay grade glm-5/layernorm_backward --force\n"
    "                                      one cell, whether or not its evidence holds\n"
    "  assay grade kv_cache                every model's submission to one challenge\n"
    "  assay grade 'glm-*' '*/kv_cache'    wildcards, quoted from the shell\n"
    "  assay grade --seed 7                inputs from this seed; two such runs agree\n"
    "  assay grade --require-sandbox=full  end with 4 rather than grade with less\n"
    "  assay grade --shard 2/5 --out part  one of five machines; the checkout may be read-only,\n"
    "                                      and assay merge puts the parts together\n"
    "  ASSAY_ATTEST_KEY=~/.ssh/ci assay grade --attest\n"
    "                                      sign evidence; the variable may hold the key's text\n"
    "  assay grade --json --no-progress    for scripts\n\n"
    "Evidence goes to reports/evidence/, reports to reports/. Evidence holds while the model "
    "and\n"
    "the number of the machine's cores, the compiler, the sandbox level and every file that can\n"
    "change it are the same; assay list says which file is not.";

inline constexpr const char* kMergeExamples =
    "Examples:\n"
    "  assay grade --shard 1/2 --out a   on one machine,\n"
    "  assay grade --shard 2/2 --out b   on another; then, where both folders are,\n"
    "  assay merge a b && assay report   take their evidence into reports/ and render it\n"
    "  assay merge --require-signed a b  only if keys of .ci/allowed_signers signed all of it\n\n"
    "All of it is taken or none: each file is read and checked first, and evidence that was made\n"
    "from other files than are here, that is in two folders and differs, or whose signature does\n"
    "not hold ends with 2 and leaves reports/ as it was.";

inline constexpr const char* kReportExamples =
    "Examples:\n"
    "  assay report           render reports/ from reports/evidence/; grades nothing\n"
    "  assay report --check   write nothing; end with 1 when a report is missing, was edited,\n"
    "                         or is stale, or a submission changed after it was graded\n"
    "  assay report --require-signed\n"
    "                         render only evidence that keys of .ci/allowed_signers signed\n\n"
    "Evidence that was edited by hand, or contradicts itself or the other models', is shown on "
    "the\n"
    "scoreboard with why, and is in no ranking. Both forms name it with its remedy and end with 1.";

inline constexpr const char* kCompareExamples =
    "Example:\n"
    "  assay compare glm-5 qwen3.6-27b   row by row in columns, and who wins\n"
    "  assay compare glm-5 qwen3.6-27b --markdown\n"
    "                                    the matchup that reports/matchups/ holds";

inline constexpr const char* kDiffExamples =
    "Examples:\n"
    "  assay diff HEAD~1                 what the evidence here changes of the last commit's\n"
    "  assay diff v1.0 main              of two commits\n"
    "  assay diff ../other .             of two folders that hold reports/evidence\n"
    "  assay diff HEAD --json            with every row, for scripts\n"
    "\n"
    "Both sides are scored by the rubrics as they are here. 'moved by' says which part of what a\n"
    "cell was made from is another: its submission, the challenge, the reference, the harness, "
    "the\n"
    "compiler, the machine, the sandbox's level or the seed; 'chance' where none is, 'other cells' "
    "where its rank\n"
    "alone moved.";

inline constexpr const char* kExplainExamples =
    "Examples:\n"
    "  assay explain glm-5/layernorm_backward\n"
    "                          what the compiler said, the five rows that cost most, and the\n"
    "                          evidence behind each\n"
    "  assay explain glm-5/layernorm_backward --all\n"
    "                          every row, dimension by dimension\n"
    "  assay explain glm-5/layernorm_backward edge_cases\n"
    "                          one criterion with every case it rests on\n"
    "  assay explain glm-5/layernorm_backward completeness\n"
    "                          one dimension, row by row\n"
    "  assay explain baseline/layernorm_backward\n"
    "                          an anchor, as a cell\n"
    "  assay explain glm-5     a model's average, ± and rank\n"
    "  assay explain kv_cache mutants_killed\n"
    "                          a row of every submission, and how far apart they are; without a\n"
    "                          criterion the challenge's ranking and the rows that decide it\n"
    "  assay explain glm-5_vs_qwen3.6-27b\n"
    "                          points and margin of a matchup or round, and the rows behind them\n"
    "  assay explain calibration [ROW]\n"
    "                          both edges of every published row, the counts behind kappa, the\n"
    "                          scores behind correlations and means; of one row or factor\n"
    "                          what it is measured by\n"
    "\n"
    "How often ranks hold: assay robustness. What changed: assay diff.";

inline constexpr const char* kRobustnessExamples =
    "Examples:\n"
    "  assay robustness                how often each rank holds, of each challenge and over all\n"
    "  assay robustness kv_cache       one challenge\n"
    "  assay robustness --draws 20000  finer shares\n"
    "  assay robustness --json         for scripts\n\n"
    "Three columns, each the share of tries in which a rank is as printed; of five seeds the "
    "least\n"
    "and the most. WEIGHTS: each weight of the rubric times 0.5 to 1.5. DRAWN AGAIN: other cases,\n"
    "planted bugs and times like those measured. ROW OUT: each scored row left out in its turn;\n"
    "rows that alone decide a rank are named. Then, for each row, how many pairs of submissions\n"
    "it tells apart: a row with weight that tells none either is equal for all or measures "
    "nothing.\n"
    "Nothing is graded or written, and equal evidence prints equal numbers. Definitions:\n"
    "harness/score/README.md.";

inline constexpr const char* kSiteExamples =
    "Examples:\n"
    "  assay site public                  write the site; then open public/index.html\n"
    "  assay site public                  again, after grading: only what changed is written\n"
    "  assay site /var/www/assay --json   for scripts\n\n"
    "The scoreboard, to sort and filter; any two models head to head; each number down to its "
    "case,\n"
    "sample or counter, with the command that repeats it. It is made of the evidence that reports "
    "are\n"
    "made of, needs no server and no network, and may be copied anywhere. DIR is new, empty, or a "
    "site\n"
    "that was written before; nothing else is replaced.";

inline constexpr const char* kCheckExamples =
    "Example:\n"
    "  assay check   read every challenge.yaml, rubric.yaml, model.yaml and submission.yaml\n"
    "                and show all that is wrong, with file, line, cause and remedy; so too\n"
    "                evidence that was edited\n"
    "  assay check --require-signed\n"
    "                end with 1 unless keys of .ci/allowed_signers signed every cell's evidence";

inline constexpr const char* kDoctorExamples =
    "Examples:\n"
    "  assay doctor                          tools, sandbox, whether baselines compile, memory\n"
    "                                        bandwidth, clock, round trip\n"
    "  assay doctor --require-sandbox=full   end with 4 when this machine has less";

inline constexpr const char* kListExamples =
    "Examples:\n"
    "  assay list          challenges, models and cells; for each cell its verdict, its score and\n"
    "                      whether its evidence still holds, or which file changed\n"
    "  assay list --json   the same for scripts, with every such file, and the faults of what was\n"
    "                      left out";

inline constexpr const char* kSignaturesExamples =
    "Examples:\n"
    "  assay signatures                       run the suite on each mutant whose signature no\n"
    "                                         longer holds, three times; write what it fails.\n"
    "                                         Where only cases changed: in those alone\n"
    "  assay signatures layernorm_backward --force\n"
    "                                         one challenge, every mutant\n"
    "  assay signatures --check               run nothing; end with 1 when a suite or a mutant\n"
    "                                         changed since, and name it\n\n"
    "Signatures go to reference/<challenge>/signatures.json. Reports say by them which known bug "
    "a\n"
    "failing submission is like. scripts/signatures builds the mutants first.";

inline constexpr const char* kPrExamples =
    "Examples:\n"
    "  assay pr --base main                  grade the submissions that HEAD's commits touch\n"
    "  assay pr --base origin/main --head feature --out results\n"
    "                                        comment.md, summary.md, junit.xml, results.sarif,\n"
    "                                        results.jsonl and annotations.txt go to results/\n"
    "  assay pr --base main --one-model      for contributors from outside: what touches more "
    "than\n"
    "                                        one model's folder is refused\n"
    "  assay pr --base main --gate=performance\n"
    "                                        end with 1 also when a time is worse beyond chance\n"
    "  assay pr --base main --judge=change   what does a change of harness or challenge do? A "
    "build\n"
    "                                        of the change; no result that counts\n\n"
    "Only submissions/ is taken from the change; harness, challenges, rubrics and evidence are "
    "the\n"
    "base's, and this assay must have been built from it. Where a challenge's suite or reference\n"
    "is touched, all cells of it are graded, by the base's. Commits are graded, not the working\n"
    "tree, which is left as it is. Exit code 1: a cell was accepted and no longer is, a new one "
    "is\n"
    "not accepted, or the change was refused.";

inline constexpr const char* kCudaExamples =
    "Example:\n"
    "  assay cuda run prog.cu   compile it with nvcc, run it on the emulated GPU, check it\n"
    "  assay cuda run --help    all of it\n"
    "  assay cuda check         does the emulated GPU do what this machine's does?";

inline constexpr const char* kCudaCheckExamples =
    "Examples:\n"
    "  assay cuda check                      build and run all, on a machine with a GPU and nvcc\n"
    "  assay cuda check scan reduce          two programs\n"
    "  assay cuda check --build-only folder  for a machine that has only a driver: carry the\n"
    "                                        folder there, then folder/gpu_check --run folder\n\n"
    "Builds harness/gpu/programs (kernels, and the bugs' clean twins) with NVIDIA's runtime and\n"
    "compares exit codes and output with those that the emulator's tests demand. Where ncu is,\n"
    "also counters: requests, sectors and bank conflicts with the emulator's, within tolerances.\n"
    "Without PROGRAM also the CUDA challenges: suites over baselines and mutants, verdicts beside\n"
    "the emulated GPU's, and the share of the copy's bandwidth that the baselines reach. Nothing\n"
    "is sandboxed on the real GPU. Where the challenges cannot be built, for lack of what the\n"
    "build needs, the first form runs the programs alone and says so. scripts/gpu_check builds\n"
    "assay before it calls this.\n\n"
    "Exit codes: 0 all agree, 1 something differs, 2 usage, no nvcc or what does not compile,\n"
    "3 no GPU.";

inline constexpr const char* kCudaRunExamples =
    "Examples:\n"
    "  assay cuda run prog.cu                     run it, then show counters and findings\n"
    "  assay cuda run -O3 -std=c++17 -Iinclude a.cu b.cu -- --size 1024 out.bin\n"
    "                                             flags for nvcc, arguments for the program\n"
    "  assay cuda run --gpu=a100 --lines prog.cu  on another GPU; each source line's traffic\n"
    "  assay cuda run --schedule=random --seed=7 --perturb prog.cu\n"
    "                                             is the result a matter of luck?\n"
    "  assay cuda run --error-exitcode=1 --json=report.json prog.cu\n"
    "                                             for CI\n\n"
    "What starts with - and is not listed above goes to nvcc. The program keeps standard input,\n"
    "standard output and its exit code. On the error stream follow, for each kernel, its counters\n"
    "in the terms of Nsight Compute (times are modelled, never measured), then what memcheck,\n"
    "racecheck, initcheck and synccheck found, in the words of compute-sanitizer. The file may\n"
    "also be an executable that is linked with libassay_cudart.so already.\n\n"
    "nvcc is needed and a GPU is not: in a checkout scripts/setup --cuda installs it.\n\n"
    "Exit codes: the program's, 128 + N when signal N ended it, the value of --error-exitcode\n"
    "when there are findings; 2 when there is nothing to run: a missing file, no nvcc, sources\n"
    "that do not compile.";

inline constexpr const char* kInitExamples =
    "Example:\n"
    "  assay init grades && cd grades   a repository of submissions\n"
    "  assay new my-model               a submission to each challenge, to begin with\n"
    "  assay grade                      grade what is there; reports/ says how it went";

}  // namespace assay

#endif  // ASSAY_CLI_HELP_TEXTS_H_
