// SPDX-License-Identifier: Apache-2.0
#include "spec/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The folders of `directory`, sorted by name. A missing folder has none.
std::vector<fs::path> ListFolders(const fs::path& directory) {
  std::vector<fs::path> folders;
  std::error_code failure;
  for (fs::directory_iterator it(directory, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      folders.push_back(it->path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

class Loader {
 public:
  Loader(const fs::path& root, const fs::path& sources) : root_(root), sources_(sources) {
    loaded_.repository.root = root;
    loaded_.repository.sources = sources;
  }

  LoadedRepository Load() {
    for (const fs::path& directory : ListFolders(sources_ / "challenges")) {
      if (!IsLink(directory)) {
        LoadChallenge(directory);
      }
    }
    for (const fs::path& directory : ListFolders(root_ / "submissions")) {
      if (!IsLink(directory)) {
        LoadModel(directory);
      }
    }
    return std::move(loaded_);
  }

 private:
  // A link would let files of elsewhere pass for the repository's: a fault.
  bool IsLink(const fs::path& directory) {
    std::error_code failure;
    if (!fs::is_symlink(fs::symlink_status(directory, failure))) {
      return false;
    }
    Report({{.kind = ErrorKind::kConfiguration,
             .where = directory.string(),
             .cause = "is a symbolic link",
             .remedy = "replace it by the directory that it points to"}});
    return true;
  }

  void LoadChallenge(const fs::path& directory) {
    known_challenges_.push_back(directory.filename().string());
    auto challenge = ReadChallenge(directory);
    if (!challenge) {
      Report(challenge.error());
      return;
    }
    auto rubric = ReadRubric(*challenge);
    if (rubric) {
      loaded_.repository.rubrics.push_back(std::move(*rubric));
    } else if (fs::exists(directory / "rubric.yaml")) {
      Report(rubric.error());
    }
    loaded_.repository.challenges.push_back(std::move(*challenge));
  }

  void LoadModel(const fs::path& directory) {
    auto model = ReadModel(directory);
    if (model) {
      loaded_.repository.models.push_back(*model);
    } else {
      Report(model.error());
    }
    const std::string id = directory.filename().string();
    for (const fs::path& folder : ListFolders(directory)) {
      LoadSubmission(folder, id);
    }
  }

  void LoadSubmission(const fs::path& directory, const std::string& model) {
    const std::string id = directory.filename().string();
    const ChallengeSpec* const challenge = FindChallenge(loaded_.repository, id);
    if (challenge == nullptr) {
      const bool exists = std::ranges::find(known_challenges_, id) != known_challenges_.end();
      if (!exists) {
        Report({{.kind = ErrorKind::kConfiguration,
                 .where = directory.string(),
                 .cause = fmt::format("there is no challenge \"{}\"", id),
                 .remedy = SuggestOneOf(id, known_challenges_)}});
      }
      return;  // A challenge at fault is reported once, in its own file.
    }
    auto submission = ReadSubmission(directory, *challenge, model);
    if (submission) {
      loaded_.repository.submissions.push_back(std::move(*submission));
    } else {
      Report(submission.error());
    }
  }

  void Report(const Errors& errors) {
    for (Error error : errors) {
      for (const fs::path& folder : {root_, sources_}) {
        if (const std::string prefix = (folder / "").string(); error.where.starts_with(prefix)) {
          error.where.erase(0, prefix.size());
        }
      }
      loaded_.faults.push_back(std::move(error));
    }
  }

  fs::path root_;
  fs::path sources_;
  LoadedRepository loaded_;
  std::vector<std::string> known_challenges_;
};

template <class T, class Projection>
const T* FindBy(const std::vector<T>& things, std::string_view id, Projection projection) {
  const auto found = std::ranges::find(things, id, projection);
  return found == things.end() ? nullptr : &*found;
}

}  // namespace

std::string ToString(const CellId& cell) { return cell.model + "/" + cell.challenge; }

bool IsRoot(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "challenges", ignored) ||
         fs::is_directory(folder / "submissions", ignored);
}

Result<fs::path> FindRoot(const fs::path& start) {
  std::error_code failure;
  fs::path folder = fs::weakly_canonical(start, failure);
  for (; !failure; folder = folder.parent_path()) {
    if (IsRoot(folder)) {
      return folder;
    }
    if (folder == folder.parent_path()) {
      break;
    }
  }
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = start.string(),
                               .cause = "no folder at or above it holds \"submissions/\"",
                               .remedy = "give a repository of submissions as --root; "
                                         "assay init DIR makes one"});
}

LoadedRepository LoadRepository(const fs::path& root, const fs::path& sources) {
  return Loader(root, sources).Load();
}

LoadedRepository LoadRepository(const fs::path& root) { return LoadRepository(root, root); }

Errors CheckRepository(const fs::path& root) {
  LoadedRepository loaded = LoadRepository(root);
  return std::move(loaded.faults);
}

const ChallengeSpec* FindChallenge(const Repository& repository, std::string_view id) {
  return FindBy(repository.challenges, id, &ChallengeSpec::id);
}

const Rubric* FindRubric(const Repository& repository, std::string_view challenge) {
  return FindBy(repository.rubrics, challenge, &Rubric::challenge);
}

const ModelSpec* FindModel(const Repository& repository, std::string_view id) {
  return FindBy(repository.models, id, &ModelSpec::id);
}

const SubmissionSpec* FindSubmission(const Repository& repository, const CellId& cell) {
  const auto found = std::ranges::find_if(repository.submissions, [&](const SubmissionSpec& s) {
    return s.model == cell.model && s.challenge == cell.challenge;
  });
  return found == repository.submissions.end() ? nullptr : &*found;
}

fs::path EvidencePath(const fs::path& root, const CellId& cell) {
  return root / "reports" / "evidence" / cell.challenge / (cell.model + ".json");
}

}  // namespace assay
