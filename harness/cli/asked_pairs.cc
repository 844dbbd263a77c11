// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "spec/yaml_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string ReadModel(MapReader& reader, std::string_view key, const Repository& repository,
                      FileFaults& faults) {
  std::string model = reader.Text(key, TextForm::kId, Presence::kRequired);
  const bool is_known =
      std::ranges::find(repository.models, model, &ModelSpec::id) != repository.models.end();
  if (!model.empty() && !is_known) {
    faults.Add(reader.LineOf(key), fmt::format("there is no model \"{}\"", model),
               "write the name of a folder in submissions/");
  }
  return model;
}

Checked<std::vector<ModelPair>> ReadPairs(const fs::path& file, const Repository& repository) {
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  MapReader reader(*root, "", faults);
  ReadSchema(reader, faults);
  std::vector<ModelPair> pairs;
  reader.ForEach("pairs", Presence::kRequired, [&](const YamlNode& node, const std::string& name) {
    MapReader pair(node, name + ".", faults);
    std::string a = ReadModel(pair, "a", repository, faults);
    std::string b = ReadModel(pair, "b", repository, faults);
    pair.RejectUnknownKeys();
    pairs.push_back({.a = std::move(a), .b = std::move(b)});
  });
  reader.RejectUnknownKeys();
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return pairs;
}

}  // namespace

Checked<std::vector<ModelPair>> ReadAskedPairs(const Repository& repository,
                                               const std::vector<PublishedStudy>& studies) {
  std::vector<ModelPair> pairs;
  const fs::path file = repository.root / "reports" / "pairs.yaml";
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored))) {
    auto read = ReadPairs(file, repository);
    if (!read) {
      return read;
    }
    pairs = *std::move(read);
  }
  for (const PublishedStudy& study : studies) {
    for (const PublishedMatchup& matchup : study.matchups) {
      pairs.push_back({.a = matchup.a, .b = matchup.b});
    }
  }
  return pairs;
}

}  // namespace assay
