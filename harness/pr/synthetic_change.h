// SPDX-License-Identifier: Apache-2.0
// Changes that nobody made, for the tests of what is written about them.
#ifndef ASSAY_PR_SYNTHETIC_CHANGE_H_
#define ASSAY_PR_SYNTHETIC_CHANGE_H_

#include <string>
#include <vector>

#include "pr/assess.h"
#include "score/challenge_view.h"

namespace assay {

struct SyntheticChange {
  Change change;
  Challenges challenges;
  std::vector<Evidence> others = {};  ///< Of cells that the change does not touch.

  [[nodiscard]] Assessment AssessIt(ChangeGate gate) const;
};

/// A cell of challenges[0] of `MakeChallenge`: two cases, of which the second fails.
[[nodiscard]] ChangedCell SyntheticCell(const std::string& model, const std::string& challenge);
[[nodiscard]] SyntheticChange OneFailingCell();

/// Every text as long as it may be: what limits are held against.
[[nodiscard]] SyntheticChange LargestChange(int models, int challenges);

/// All that a submission or a branch can say is `text`, or as bad as can be.
[[nodiscard]] SyntheticChange ChangeThatSays(const std::string& text);
[[nodiscard]] SyntheticChange HostileChange();

/// Changes as they come: what someone who changes the comment has to look at.
struct NamedChange {
  std::string name;  ///< As a file's: `compile_error`.
  SyntheticChange synthetic;
};
[[nodiscard]] std::vector<NamedChange> ChangesToLookAt();

}  // namespace assay

#endif  // ASSAY_PR_SYNTHETIC_CHANGE_H_
