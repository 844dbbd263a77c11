// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/submission_draft.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReadme = R"(# Submissions graded by Assay

```
submissions/<model>/model.yaml                     name, and where it is from
submissions/<model>/<challenge>/submission.yaml    sources, tests, benchmarks, answers, claims
submissions/<model>/<challenge>/...                the sources
reports/                                           made by `assay grade`; never edited
```

`assay list` names the challenges. A `model.yaml`:

```yaml
schema: 1
name: GLM-5               # as printed in reports
reconstruction: false     # true: written by someone else than the model
source: where it is from
```

A `submission.yaml`, of which only `schema` and `sources` are needed:

```yaml
schema: 1
sources: [layernorm.cc]           # compiled; headers beside them are found
tests: [tests/test_layernorm.cc]  # programs; exit status 0 = pass
```

`assay check` names every fault of every file; `assay grade` grades what is new or changed and writes
`reports/scoreboard.md`. `man assay` has the rest.

CI grades pull requests (`.github/workflows/`, `.gitlab-ci.yml`). On GitHub put the owner of Assay's
repository in place of `_owner_` there, and its release's commit in place of the version if you like;
then a pull request gets a comment and a check, and the main branch a pull request with the reports.
)";

constexpr std::string_view kIgnored = "/.assay/\n";

struct Entry {
  std::string name;
  std::string content;  ///< Of a folder: none.
};

// What CI does with the new repository: name there, and below `scripts/ci/init`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWorkflows = {
    {{".github/workflows/grade.yml", "grade.yml"},
     {".github/workflows/comment.yml", "comment.yml"},
     {".github/workflows/scoreboard.yml", "scoreboard.yml"},
     {".gitlab-ci.yml", "gitlab-ci.yml"}}};

Result<std::vector<Entry>> EntriesOf(const Installation& installation) {
  std::vector<Entry> entries = {{.name = "submissions", .content = ""},
                                {.name = "reports", .content = ""},
                                {.name = "README.md", .content = std::string(kReadme)},
                                {.name = ".gitignore", .content = std::string(kIgnored)}};
  for (const auto& [name, source] : kWorkflows) {
    ASSAY_ASSIGN_OR_RETURN(std::string content,
                           ReadFile(installation.sources / "scripts/ci/init" / source));
    entries.push_back({.name = std::string(name), .content = std::move(content)});
  }
  return entries;
}

Status CheckNothingIsThere(const fs::path& directory, const std::vector<Entry>& entries) {
  std::vector<std::string> there;
  for (const Entry& entry : entries) {
    ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(directory / entry.name));
    if (is_there) {
      there.push_back(entry.name);
    }
  }
  if (there.empty()) {
    return {};
  }
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = directory.string(),
                               .cause = "holds " + Join(there, ", ") + " already",
                               .remedy = "name a folder without them; nothing is overwritten"});
}

Status MakeFolder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot be made: " + failure.message(),
                                 .remedy = "name a folder that you may write"});
  }
  return {};
}

Status MakeRepository(const fs::path& directory) {
  ASSAY_ASSIGN_OR_RETURN(const Installation installation, ThisInstallation());
  ASSAY_ASSIGN_OR_RETURN(const std::vector<Entry> entries, EntriesOf(installation));
  ASSAY_RETURN_IF_ERROR(CheckNothingIsThere(directory, entries));
  for (const Entry& entry : entries) {
    const fs::path path = directory / entry.name;
    ASSAY_RETURN_IF_ERROR(entry.content.empty() ? MakeFolder(path)
                                                : WriteFileAtomically(path, entry.content));
  }
  return {};
}

}  // namespace

int RunInit(const InitOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  if (const Status made = MakeRepository(options.directory); !made) {
    return Fail(console, format, {}, {made.error()});
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"made", options.directory.string()}});
  } else {
    fmt::print(console.out,
               "made {0}: put submissions into {0}/submissions, then run assay grade "
               "there\n"
               "for CI: put the owner of Assay's repository in place of _owner_ in "
               "{0}/.github/workflows,\nor read {0}/.gitlab-ci.yml\n",
               options.directory.string());
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
