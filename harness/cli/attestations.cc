// SPDX-License-Identifier: Apache-2.0
#include "cli/attestations.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "evidence/json.h"
#include "exec/evidence_store.h"
#include "report/plain_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Whether that of the plan is what lies below `out`.
bool LiesBelow(const fs::path& out, const PlannedCell& cell) {
  const auto found = LoadEvidence(out, IdOf(cell));
  return found && *found && EvidenceToJson(**found) == EvidenceToJson(*cell.evidence);
}

}  // namespace

Status DistrustUnsigned(Attesting attesting, const fs::path& root, const fs::path& out,
                        std::vector<PlannedCell>& plan) {
  for (PlannedCell& cell : plan) {
    if (!cell.reason.empty() || !cell.evidence) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(
        const Attestation found,
        ReadAttestation(root, LiesBelow(out, cell) ? out : root, *cell.evidence));
    if (found.state == Attestation::State::kRefused ||
        (attesting == Attesting::kOn && found.state != Attestation::State::kSigned)) {
      cell.reason = "its evidence is " + ToString(found);
    }
  }
  return {};
}

Result<std::vector<CellAttestation>> ReadAttestations(const std::filesystem::path& root,
                                                      const std::vector<Evidence>& cells) {
  std::vector<CellAttestation> read;
  for (const Evidence& evidence : cells) {
    ASSAY_ASSIGN_OR_RETURN(Attestation attestation, ReadAttestation(root, root, evidence));
    read.push_back({.cell = {.model = evidence.model, .challenge = evidence.challenge},
                    .attestation = std::move(attestation)});
  }
  return read;
}

Errors RefusedSignatures(const std::vector<CellAttestation>& cells) {
  Errors errors;
  for (const CellAttestation& one : cells) {
    if (one.attestation.state == Attestation::State::kRefused) {
      errors.push_back({.kind = ErrorKind::kConfiguration,
                        .where = EvidencePath("", one.cell).string(),
                        .cause = one.attestation.reason,
                        .remedy = "take evidence and signature back as they were, or grade the "
                                  "cell again"});
    }
  }
  return errors;
}

int CheckSigned(const std::vector<CellAttestation>& cells, SignedGate gate, Console& console) {
  if (gate == SignedGate::kOff) {
    return static_cast<int>(ExitCode::kDone);
  }
  ExitCode exit_code = ExitCode::kDone;
  for (const CellAttestation& one : cells) {
    if (one.attestation.state != Attestation::State::kSigned) {
      fmt::print(console.err, "assay: {}: is {}; grade it with assay grade --attest\n",
                 EvidencePath("", one.cell).string(), PlainLine(ToString(one.attestation)));
      exit_code = ExitCode::kGateFailed;
    }
  }
  return static_cast<int>(exit_code);
}

void PrintAttestations(const std::filesystem::path& root, const std::vector<CellAttestation>& cells,
                       Console& console) {
  std::error_code failure;
  const bool somebody_signs = std::filesystem::exists(AllowedSignersPath(root), failure) ||
                              std::ranges::any_of(cells, [](const CellAttestation& one) {
                                return one.attestation != Attestation{};
                              });
  if (!somebody_signs) {
    return;
  }
  for (const CellAttestation& one : cells) {
    fmt::print(console.out, "{}: {}\n", ToString(one.cell), PlainLine(ToString(one.attestation)));
  }
}

nlohmann::json AttestationsToJson(const std::vector<CellAttestation>& cells) {
  nlohmann::json json = nlohmann::json::array();
  for (const CellAttestation& one : cells) {
    json.push_back({{"model", one.cell.model},
                    {"challenge", one.cell.challenge},
                    {"state", ToString(one.attestation.state)},
                    {"signer", one.attestation.signer},
                    {"reason", one.attestation.reason}});
  }
  return json;
}

}  // namespace assay
