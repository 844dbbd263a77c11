// SPDX-License-Identifier: Apache-2.0
#include "exec/anchors.h"

#include <string>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "exec/evidence_store.h"

namespace assay {

namespace fs = std::filesystem;

Result<std::vector<Evidence>> LoadAnchors(const fs::path& root, std::string_view challenge) {
  ASSAY_ASSIGN_OR_RETURN(std::vector<fs::path> files,
                         ListEvidenceFolder(root / "reports" / "anchors" / challenge));
  std::erase_if(files, [](const fs::path& file) {
    return file.extension() != ".json" || !IsId(file.stem().string());
  });
  std::vector<Evidence> anchors;
  for (const fs::path& file : files) {
    ASSAY_ASSIGN_OR_RETURN(const std::string json, ReadFile(file, kLargestEvidence_bytes));
    const CellId anchor{.model = file.stem().string(), .challenge = std::string(challenge)};
    ASSAY_ASSIGN_OR_RETURN(Evidence evidence, ParseEvidence(json, file, anchor));
    anchors.push_back(std::move(evidence));
  }
  return anchors;
}

}  // namespace assay
