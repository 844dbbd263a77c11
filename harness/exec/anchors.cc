// SPDX-License-Identifier: Apache-2.0
#include "exec/anchors.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "exec/evidence_store.h"

namespace assay {

namespace fs = std::filesystem;

Result<std::vector<Evidence>> LoadAnchors(const fs::path& root, std::string_view challenge) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator it(root / "reports" / "anchors" / challenge, failure), end;
       !failure && it != end; it.increment(failure)) {
    if (it->path().extension() == ".json" && IsId(it->path().stem().string())) {
      files.push_back(it->path());
    }
  }
  std::ranges::sort(files);
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
