// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_MODEL_SPEC_H_
#define ASSAY_SPEC_MODEL_SPEC_H_

#include <filesystem>
#include <string>

#include "spec/checked.h"

namespace assay {

/// `submissions/<id>/model.yaml`.
struct ModelSpec {
  std::filesystem::path directory;
  std::string id;               ///< The name of the directory.
  std::string name;             ///< As reports print it: plain text without markdown.
  bool reconstruction = false;  ///< Written by this project from a published description.
  std::string source;           ///< Where the submissions come from.
  bool operator==(const ModelSpec&) const = default;
};

[[nodiscard]] Checked<ModelSpec> ReadModel(const std::filesystem::path& directory);

}  // namespace assay

#endif  // ASSAY_SPEC_MODEL_SPEC_H_
