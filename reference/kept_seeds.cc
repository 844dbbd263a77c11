// SPDX-License-Identifier: Apache-2.0
#include "kept_seeds.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "chosen_cases.h"

namespace assay {
namespace {

KeptSeed ParseLine(const std::string& line, const std::filesystem::path& file) {
  std::istringstream words(line);
  std::string seed;
  KeptSeed kept;
  words >> seed >> kept.subject;
  const char* const end = seed.data() + seed.size();
  const auto [parsed, failure] = std::from_chars(seed.data(), end, kept.seed);
  if (failure != std::errc{} || parsed != end || kept.subject.empty()) {
    throw std::runtime_error(
        fmt::format("{}: \"{}\" is no kept seed; write <seed> <baseline, mutant or "
                    "verdict/control> [<case>...]",
                    file.string(), line));
  }
  for (std::string name; words >> name;) {
    kept.cases.push_back(name);
  }
  return kept;
}

}  // namespace

std::vector<KeptSeed> KeptSeedsIn(const std::filesystem::path& reference) {
  const std::filesystem::path file = reference / kKeptSeedsFile;
  std::vector<KeptSeed> seeds;
  for (const std::string& line : LinesByHand(file)) {
    seeds.push_back(ParseLine(line, file));
  }
  return seeds;
}

bool IsOfControl(const KeptSeed& kept) { return kept.subject.contains('/'); }

std::string PlaceOf(const KeptSeed& kept) {
  return fmt::format("{}: {} {}", kKeptSeedsFile, kept.seed, kept.subject);
}

}  // namespace assay
