// SPDX-License-Identifier: Apache-2.0
#include "exec/build_stamp.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "exec/input_changes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestProduct_bytes = std::size_t{1} << 30;

fs::path Of(const InputPlaces& places, const std::string& challenge, std::string_view extension) {
  return places.folder / (challenge + std::string(extension));
}

Error OutOfDate(std::string where, std::string cause) {
  return {.kind = ErrorKind::kConfiguration,
          .where = std::move(where),
          .cause = std::move(cause),
          .remedy = "run scripts/grade, which builds it, or build the target assay_all"};
}

Result<FileDigests> ReadDigests(const fs::path& path) {
  ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  auto files = ParseFileDigests(text);
  if (!files) {
    return std::unexpected(OutOfDate(path.string(), "is no list of digests"));
  }
  return *std::move(files);
}

/// Make's escape of a path in a rule.
std::string InRule(const fs::path& path) {
  std::string escaped;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#' || c == '\\') {
      escaped += '\\';
    }
    escaped += c == '$' ? "$$" : std::string(1, c);
  }
  return escaped;
}

Result<FileDigests> DigestProducts(const InputPlaces& places, const std::string& challenge) {
  ASSAY_ASSIGN_OR_RETURN(const std::string products, ReadFile(Of(places, challenge, ".products")));
  FileDigests digests;
  for (const std::string& product : SplitLines(products)) {
    ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(product, kLargestProduct_bytes));
    digests.emplace(fs::path(product).lexically_relative(places.folder.parent_path()).string(),
                    Sha256(content));
  }
  return digests;
}

/// Whatever lies where this build puts mutants is graded against: that of a mutant which is no more
/// must not.
Status CheckNoOtherMutants(const fs::path& build, const FileDigests& built) {
  std::set<fs::path> folders;
  for (const auto& [product, sha256] : built) {
    if (const fs::path folder = fs::path(product).parent_path(); folder.filename() == "mutants") {
      folders.insert(folder);
    }
  }
  for (const fs::path& folder : folders) {
    std::error_code failure;
    for (fs::directory_iterator it(build / folder, failure), end; !failure && it != end;
         it.increment(failure)) {
      const std::string name = it->path().filename().string();
      const bool is_mutant =
          (name.ends_with("_host") && !name.ends_with("_real_host")) || name.ends_with(".a");
      if (is_mutant && !built.contains((folder / name).string())) {
        return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                     .where = it->path().string(),
                                     .cause = "is of a mutant that this build does not have",
                                     .remedy = "remove it: it is left of an earlier build"});
      }
    }
  }
  return {};
}

Status CheckProducts(const InputPlaces& places, const std::string& challenge) {
  ASSAY_ASSIGN_OR_RETURN(const FileDigests built, ReadDigests(Of(places, challenge, ".built")));
  ASSAY_RETURN_IF_ERROR(CheckNoOtherMutants(places.folder.parent_path(), built));
  for (const auto& [product, sha256] : built) {
    const fs::path path = places.folder.parent_path() / product;
    const auto content = ReadFile(path, kLargestProduct_bytes);
    if (!content || Sha256(*content) != sha256) {
      return std::unexpected(OutOfDate(
          path.string(), fmt::format("is not what the last whole build of {} left", challenge)));
    }
  }
  return {};
}

}  // namespace

Status WriteBuildStamp(const InputPlaces& places, const std::string& challenge) {
  ASSAY_ASSIGN_OR_RETURN(const FileDigests built, DigestProducts(places, challenge));
  InputReader reader(places);
  ASSAY_ASSIGN_OR_RETURN(const FileDigests digests, reader.ReadChallenge(challenge));
  const fs::path stamp = Of(places, challenge, ".digests");
  std::string rule = InRule(stamp) + ":";
  for (const auto& [path, sha256] : digests) {
    rule += " \\\n " + InRule(places.sources / path);
  }
  ASSAY_RETURN_IF_ERROR(WriteFileAtomically(Of(places, challenge, ".d"), rule + "\n"));
  ASSAY_RETURN_IF_ERROR(WriteFileAtomically(Of(places, challenge, ".built"), ToText(built)));
  return WriteFileAtomically(stamp, ToText(digests));
}

Status CheckBuildStamp(InputReader& reader, const std::string& challenge) {
  const InputPlaces& places = reader.places();
  std::error_code failure;
  if (!fs::exists(Of(places, challenge, ".sources"), failure)) {
    return {};
  }
  for (const std::string_view extension : {".digests", ".built"}) {
    if (const fs::path path = Of(places, challenge, extension); !fs::exists(path, failure)) {
      return std::unexpected(OutOfDate(path.string(), "does not exist: the build did not end"));
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const FileDigests then, ReadDigests(Of(places, challenge, ".digests")));
  ASSAY_ASSIGN_OR_RETURN(const FileDigests now, reader.ReadChallenge(challenge));
  if (const std::vector<std::string> changes = ChangesBetween(then, now); !changes.empty()) {
    return std::unexpected(
        OutOfDate("", fmt::format("{} since {} was built", Summary(changes), challenge)));
  }
  return CheckProducts(places, challenge);
}

}  // namespace assay
