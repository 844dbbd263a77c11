// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SELECT_CELLS_H_
#define ASSAY_CLI_SELECT_CELLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "score/challenge_view.h"
#include "spec/repository.h"

namespace assay {

/// The cells that `words` name, sorted, each once; all cells when there are no words. A word is
/// `MODEL`, `CHALLENGE` (a model of that name goes first) or `MODEL/CHALLENGE`, and may have the
/// wildcards of a shell. Errors: a word that names nothing, with the nearest name; and every fault
/// of a file that belongs to a selected cell. Faults of other cells do not stand in the way.
[[nodiscard]] Checked<std::vector<CellId>> SelectCells(const LoadedRepository& loaded,
                                                       const std::vector<std::string>& words);

/// `MODEL/CHALLENGE` taken apart; the challenge is empty for a model alone.
[[nodiscard]] CellId ParseCell(std::string_view word);

/// Faults of files below `challenges/`: those that stand in the way of every report.
[[nodiscard]] Errors ChallengeFaults(const LoadedRepository& loaded);

/// Every challenge with its rubric, the signatures of its mutants and the reviews of its
/// submissions. Signatures that cannot be read and reviews at fault are an error.
[[nodiscard]] Result<Challenges> ReadViews(const Repository& repository);

}  // namespace assay

#endif  // ASSAY_CLI_SELECT_CELLS_H_
