// SPDX-License-Identifier: Apache-2.0
#include "spec/model_spec.h"

#include <fmt/format.h>

#include "base/text.h"
#include "spec/yaml_reader.h"

namespace assay {

Checked<ModelSpec> ReadModel(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "model.yaml";
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  ModelSpec model;
  model.directory = directory;
  model.id = directory.filename().string();
  if (!IsId(model.id)) {
    faults.Add(0, fmt::format("the directory's name \"{}\" is no id", model.id),
               "rename it; use a to z, 0 to 9, \".\", \"_\" and \"-\"");
  }
  MapReader reader(*root, "", faults);
  ReadSchema(reader, faults);
  model.name = reader.Text("name", TextForm::kName, Presence::kRequired);
  model.reconstruction = reader.Flag("reconstruction", Presence::kRequired);
  model.source = reader.Text("source", TextForm::kProse, Presence::kRequired);
  reader.RejectUnknownKeys();
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return model;
}

}  // namespace assay
