// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ATTESTATIONS_H_
#define ASSAY_CLI_ATTESTATIONS_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "cli/console.h"
#include "evidence/evidence.h"
#include "exec/attestation.h"
#include "exec/executor.h"
#include "spec/repository.h"

namespace assay {

/// Whether a command fails when a cell is not signed.
enum class SignedGate { kOff, kEveryCell };

/// Whether `grade` signs the evidence that it writes.
enum class Attesting { kOff, kOn };

/// Of a plan for `root` whose evidence goes below `out`: evidence whose signature does not hold is
/// graded again; and where the run signs, so is what nobody signed whose key counts. It lends its
/// word to nothing that it did not see.
[[nodiscard]] Status DistrustUnsigned(Attesting attesting, const std::filesystem::path& root,
                                      const std::filesystem::path& out,
                                      std::vector<PlannedCell>& plan);

struct CellAttestation {
  CellId cell;
  Attestation attestation;
};

/// Who signed each of `cells`, which are the evidence of the repository `root`.
[[nodiscard]] Result<std::vector<CellAttestation>> ReadAttestations(
    const std::filesystem::path& root, const std::vector<Evidence>& cells);

/// An error for each whose signature does not hold: what it says of its cell is not what was
/// signed.
[[nodiscard]] Errors RefusedSignatures(const std::vector<CellAttestation>& cells);

/// How a command ends as far as signatures go: 1, and each cell that is not signed by name, where
/// `gate` asks for them; else 0.
[[nodiscard]] int CheckSigned(const std::vector<CellAttestation>& cells, SignedGate gate,
                              Console& console);

/// One line a cell; nothing where nobody signs here.
void PrintAttestations(const std::filesystem::path& root, const std::vector<CellAttestation>& cells,
                       Console& console);

/// `[{"model", "challenge", "state", "signer", "reason"}]`
[[nodiscard]] nlohmann::json AttestationsToJson(const std::vector<CellAttestation>& cells);

}  // namespace assay

#endif  // ASSAY_CLI_ATTESTATIONS_H_
