// SPDX-License-Identifier: Apache-2.0
// Writes the comment and the summary of every synthetic change, to be rendered and looked at.
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "pr/result_set.h"
#include "pr/synthetic_change.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: pr_pages DIR\n\nWrites <change>.comment.md and <change>.summary.md.\n",
               stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const assay::NamedChange& named : assay::ChangesToLookAt()) {
    const assay::Assessment assessment = named.synthetic.AssessIt(assay::ChangeGate::kCorrectness);
    for (const auto& [kind, text] :
         {std::pair("comment", assay::CommentMarkdown(named.synthetic.change, assessment)),
          std::pair("summary", assay::SummaryMarkdown(named.synthetic.change, assessment))}) {
      const auto path = folder / (named.name + "." + kind + ".md");
      if (const auto written = assay::WriteFileAtomically(path, text); !written) {
        std::fputs((assay::ToString(written.error()) + "\n").c_str(), stderr);
        return 3;
      }
    }
  }
  return 0;
}
