// SPDX-License-Identifier: Apache-2.0
#include "published/study_store.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "published/study_check.h"
#include "published/study_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> ListStudies(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  if (!fs::exists(folder, failure)) {
    return files;
  }
  fs::directory_iterator it(folder, failure);
  for (; !failure && it != fs::directory_iterator(); it.increment(failure)) {
    if (it->path().extension() == ".yaml") {
      files.push_back(it->path());
    }
  }
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot be listed: " + failure.message(),
                                 .remedy = "make it readable"});
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

LoadedStudies LoadStudies(const Repository& repository) {
  LoadedStudies loaded;
  const auto files = ListStudies(repository.root / "reports" / "published");
  if (!files) {
    loaded.unreadable.push_back(files.error());
    return loaded;
  }
  for (const fs::path& file : *files) {
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(file, ignored))) {
      loaded.unreadable.push_back({.kind = ErrorKind::kConfiguration,
                                   .where = file.string(),
                                   .cause = "is a symbolic link",
                                   .remedy = "replace it by the file that it points to"});
      continue;
    }
    auto study = ReadStudy(file);
    if (!study) {
      loaded.unreadable.insert(loaded.unreadable.end(), study.error().begin(), study.error().end());
      continue;
    }
    const Errors unfit = CheckStudy(*study, repository);
    loaded.unfit.insert(loaded.unfit.end(), unfit.begin(), unfit.end());
    loaded.studies.push_back(*std::move(study));
  }
  return loaded;
}

}  // namespace assay
