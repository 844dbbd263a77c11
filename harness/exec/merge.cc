// SPDX-License-Identifier: Apache-2.0
#include "exec/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "evidence/json.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10'000;  // Of one folder.
constexpr std::size_t kLargestList_bytes = std::size_t{1} << 20;
constexpr std::size_t kMostBytes = std::size_t{512} << 20;  // Of all folders.

Error Refuse(const fs::path& where, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = where.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

// What a path below reports/evidence/ can be.
enum class Kind { kEvidence, kSignature, kInputs, kForeign };

Kind KindOf(const fs::path& relative) {
  const std::string folder = relative.parent_path().string();
  const fs::path name = relative.filename();
  if (!IsId(folder)) {
    return Kind::kForeign;
  }
  if (folder == "inputs") {
    return name.extension() == ".txt" && IsId(name.stem().string()) ? Kind::kInputs
                                                                    : Kind::kForeign;
  }
  const bool is_signature = name.extension() == ".sig";
  const fs::path evidence = is_signature ? name.stem() : name;
  if (evidence.extension() != ".json" || !IsId(evidence.stem().string())) {
    return Kind::kForeign;
  }
  return is_signature ? Kind::kSignature : Kind::kEvidence;
}

// Evidence of one cell in one folder.
struct Found {
  fs::path folder;
  std::string json;
  std::string signature;  ///< Empty: there is none.
  Evidence evidence;
  Attestation attestation;
};

// Gathers what the folders hold, and what is wrong with it.
class Merger {
 public:
  Merger(const Repository& repository, InputReader& reader, Unsigned is_unsigned)
      : repository_(repository), reader_(reader), is_unsigned_(is_unsigned) {}

  void ReadFolder(const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure)) {
      faults_.push_back(
          Refuse(folder, "is no folder", "name folders that assay grade --out wrote"));
      return;
    }
    for (const fs::path part : {"reports", "reports/evidence"}) {
      const fs::file_status status = fs::symlink_status(folder / part, failure);
      if (!fs::exists(status)) {
        return;  // A shard without cells to grade.
      }
      if (!fs::is_directory(status)) {
        faults_.push_back(
            Refuse(folder / part, "is no folder", "name folders that assay grade --out wrote"));
        return;
      }
    }
    for (const fs::path& relative : List(folder / "reports" / "evidence")) {
      ReadEntry(folder, relative);
    }
  }

  Checked<MergePlan> Finish() {
    MergePlan plan;
    for (const auto& [id, found] : cells_) {
      Add(id, found, plan);
    }
    CheckAgainstKept();
    if (!faults_.empty()) {
      return std::unexpected(std::move(faults_));
    }
    return plan;
  }

 private:
  // Every entry but folders, which must be ours too.
  std::vector<fs::path> List(const fs::path& evidence) {
    std::vector<fs::path> entries;
    std::error_code failure;
    for (fs::recursive_directory_iterator it(evidence, failure), end; !failure && it != end;
         it.increment(failure)) {
      if (entries.size() == kMostFiles || it.depth() > 1) {
        faults_.push_back(Refuse(
            evidence, fmt::format("holds more than {} files, or folders in folders", kMostFiles),
            "name folders that assay grade --out wrote"));
        return {};
      }
      if (!fs::is_directory(it->symlink_status(failure))) {
        entries.push_back(it->path().lexically_relative(evidence));
      }
    }
    if (failure) {
      faults_.push_back(
          Refuse(evidence, "cannot be listed: " + failure.message(), "make it readable"));
    }
    std::ranges::sort(entries);
    return entries;
  }

  // The content of a file that may be anything; nothing, and a fault, where it is not to be had.
  std::optional<std::string> Read(const fs::path& file, std::size_t limit_bytes) {
    std::error_code failure;
    if (!fs::is_regular_file(fs::symlink_status(file, failure))) {
      faults_.push_back(Refuse(file, "is no regular file", "remove it"));
      return std::nullopt;
    }
    auto content = ReadFile(file, std::min(limit_bytes, kMostBytes - bytes_));
    if (!content) {
      faults_.push_back(std::move(content).error());
      return std::nullopt;
    }
    bytes_ += content->size();
    return *std::move(content);
  }

  void ReadEntry(const fs::path& folder, const fs::path& relative) {
    const fs::path file = folder / "reports" / "evidence" / relative;
    switch (KindOf(relative)) {
      case Kind::kEvidence:
        ReadCell(folder, file,
                 {.model = relative.stem().string(), .challenge = relative.parent_path().string()});
        return;
      case Kind::kSignature: {
        // Read with its evidence.
        const fs::path evidence = fs::path(file).replace_extension();
        std::error_code failure;
        if (!fs::exists(fs::symlink_status(evidence, failure))) {
          faults_.push_back(Refuse(file, "is the signature of evidence that is not there",
                                   "remove it, or bring the evidence"));
        }
        return;
      }
      case Kind::kInputs:
        ReadInputs(file);
        return;
      case Kind::kForeign:
        break;
    }
    faults_.push_back(Refuse(file, "is nothing that assay grade --out writes",
                             "remove it; if a run was killed there, run it again"));
  }

  // Lists are not taken: this repository has its own, by which the digests are checked.
  void ReadInputs(const fs::path& file) {
    const auto text = Read(file, kLargestList_bytes);
    if (text && (Sha256(*text) != file.stem() || !ParseFileDigests(*text))) {
      faults_.push_back(Refuse(file, "is not the list of inputs that its name says", "remove it"));
    }
  }

  void ReadCell(const fs::path& folder, const fs::path& file, const CellId& id) {
    auto json = Read(file, kLargestEvidence_bytes);
    if (!json) {
      return;
    }
    auto evidence = ParseEvidence(*json, file, id);
    if (!evidence) {
      faults_.push_back(std::move(evidence).error());
      return;
    }
    if (EvidenceToJson(*evidence) != *json) {
      faults_.push_back(Refuse(file, "is not written as Assay writes evidence",
                               "take the file as assay grade --out wrote it"));
      return;
    }
    Found found{.folder = folder,
                .json = *std::move(json),
                .signature = {},
                .evidence = *std::move(evidence),
                .attestation = {}};
    if (!ReadSignature(file, found)) {
      return;
    }
    const auto [there, is_new] = cells_.try_emplace(id, std::move(found));
    if (!is_new && there->second.json != found.json) {
      faults_.push_back(Refuse(file,
                               fmt::format("differs from {}: one cell was graded twice",
                                           EvidencePath(there->second.folder, id).string()),
                               "merge one of the two folders"));
    }
  }

  // False where a fault was found.
  bool ReadSignature(const fs::path& file, Found& found) {
    auto attestation = ReadAttestation(repository_.root, found.folder, found.evidence);
    if (!attestation) {
      faults_.push_back(std::move(attestation).error());
      return false;
    }
    found.attestation = *std::move(attestation);
    const bool is_signed = found.attestation.state == Attestation::State::kSigned;
    if (found.attestation.state == Attestation::State::kRefused ||
        (!is_signed && is_unsigned_ == Unsigned::kRefused)) {
      faults_.push_back(Refuse(file, "is " + ToString(found.attestation),
                               "grade it with assay grade --attest and a key that counts"));
      return false;
    }
    const fs::path signature = AttestationPath(file);
    if (!IsThere(signature).value_or(true)) {
      return true;
    }
    auto text = Read(signature, kLargestAttestation_bytes);
    found.signature = text.value_or("");
    return text.has_value();
  }

  void Add(const CellId& id, const Found& found, MergePlan& plan) {
    const fs::path file = EvidencePath(found.folder, id);
    const SubmissionSpec* const submission = FindSubmission(repository_, id);
    const ModelSpec* const model = FindModel(repository_, id.model);
    if (submission == nullptr || model == nullptr) {
      const bool is_gone =
          !IsThere(repository_.root / "submissions" / id.model / id.challenge).value_or(true);
      faults_.push_back(
          is_gone ? Refuse(file, "is of a submission that this repository does not have",
                           "merge where it was graded, or remove it")
                  : Refuse(file,
                           "is of a submission that is at fault here, or whose model.yaml or "
                           "challenge is",
                           "set that right, as assay check says, and merge again"));
      return;
    }
    const auto inputs = reader_.Read(repository_.root, *submission);
    if (!inputs) {
      faults_.push_back(inputs.error());
      return;
    }
    if (const auto changes = ChangesSince(found.folder, found.evidence, *inputs);
        !changes.empty()) {
      faults_.push_back(
          Refuse(file, fmt::format("was made from other files than are here: {}", Summary(changes)),
                 "merge into the commit that was graded, with Assay built from it"));
      return;
    }
    if (found.evidence.model_name != model->name ||
        found.evidence.reconstruction != model->reconstruction) {
      faults_.push_back(Refuse(file, "does not name its model as model.yaml does",
                               "merge into the commit that was graded"));
      return;
    }
    AddTo(plan, id, found, *inputs);
  }

  // Of evidence that may be taken: what becomes of it.
  void AddTo(MergePlan& plan, const CellId& id, const Found& found, const CellInputs& inputs) {
    const std::string path = EvidencePath("", id).string();
    const std::string signature = AttestationPath(path).string();
    const auto there = LoadEvidence(repository_.root, id);
    const bool holds = there && *there && (*there)->digests == found.evidence.digests &&
                       (*there)->verdict != Verdict::kJudgeError;
    MergedCell cell{.cell = id,
                    .folder = found.folder,
                    .verdict = found.evidence.verdict,
                    .attestation = found.attestation};
    if (holds && found.evidence.verdict == Verdict::kJudgeError) {
      cell.action = MergedCell::Action::kLeftOut;
    } else if (ReadFile(repository_.root / path, kLargestEvidence_bytes) == found.json &&
               ReadFile(repository_.root / signature).value_or("") == found.signature) {
      cell.action = MergedCell::Action::kSame;
    } else {
      for (const FileDigests* const part :
           {&inputs.submission, &inputs.challenge, &inputs.reference, &inputs.harness}) {
        const std::string text = ToText(*part);
        plan.files[fmt::format("reports/evidence/inputs/{}.txt", Sha256(text))] = text;
      }
      plan.files[path] = found.json;
      if (!found.signature.empty()) {
        plan.files[signature] = found.signature;
      } else {
        plan.stale_signatures.push_back(signature);
      }
    }
    plan.cells.push_back(std::move(cell));
  }

  // What would lie in the repository must agree, as `assay check` will ask.
  void CheckAgainstKept() {
    std::vector<Evidence> all;
    auto stored = LoadAllEvidence(repository_.root);
    if (!stored) {
      faults_.push_back(std::move(stored).error());
      return;
    }
    for (Evidence& kept : stored->cells) {
      if (!cells_.contains({.model = kept.model, .challenge = kept.challenge})) {
        all.push_back(std::move(kept));
      }
    }
    for (const auto& [id, found] : cells_) {
      all.push_back(found.evidence);
    }
    for (UnsoundEvidence& contradicted : CheckAgainstEachOther("", all)) {
      faults_.push_back(std::move(contradicted.fault));
    }
  }

  const Repository& repository_;
  InputReader& reader_;
  Unsigned is_unsigned_;
  std::map<CellId, Found> cells_;
  std::size_t bytes_ = 0;
  Errors faults_;
};

// RepositoryLock removes those that a killed run leaves.
fs::path StagedPath(const fs::path& target) { return target.string() + ".tmp.merged"; }

Status WriteStaged(const fs::path& root, const MergePlan& plan) {
  for (const auto& [path, content] : plan.files) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(StagedPath(root / path), content));
  }
  return {};
}

Status CannotWrite(const fs::path& path, const std::error_code& failure) {
  return std::unexpected(Refuse(path, "cannot be replaced: " + failure.message(),
                                "make the folder writable and run the same command again"));
}

}  // namespace

Checked<MergePlan> PlanMerge(const Repository& repository, InputReader& reader,
                             const std::vector<fs::path>& folders, Unsigned is_unsigned) {
  Merger merger(repository, reader, is_unsigned);
  for (const fs::path& folder : folders) {
    merger.ReadFolder(folder);
  }
  return merger.Finish();
}

Status CarryOut(const fs::path& root, const MergePlan& plan) {
  std::error_code failure;
  if (auto written = WriteStaged(root, plan); !written) {
    for (const auto& [path, content] : plan.files) {
      fs::remove(StagedPath(root / path), failure);
    }
    return written;
  }
  for (const std::string& path : plan.stale_signatures) {
    if (!fs::remove(root / path, failure) && failure) {
      return CannotWrite(root / path, failure);
    }
  }
  for (const auto& [path, content] : plan.files) {
    fs::rename(StagedPath(root / path), root / path, failure);
    if (failure) {
      return CannotWrite(root / path, failure);
    }
  }
  return {};
}

}  // namespace assay
