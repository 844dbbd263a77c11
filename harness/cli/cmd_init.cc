// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"

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
)";

constexpr std::string_view kIgnored = "/.assay/\n";

struct Entry {
  std::string_view name;
  std::string_view content;  ///< Of a folder: none.
};
constexpr std::array<Entry, 4> kEntries = {
    {{"submissions", ""}, {"reports", ""}, {"README.md", kReadme}, {".gitignore", kIgnored}}};

Status CheckNothingIsThere(const fs::path& directory) {
  std::vector<std::string> there;
  std::error_code failure;
  for (const Entry& entry : kEntries) {
    if (fs::symlink_status(directory / entry.name, failure).type() != fs::file_type::not_found) {
      there.emplace_back(entry.name);
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
  ASSAY_RETURN_IF_ERROR(CheckNothingIsThere(directory));
  for (const Entry& entry : kEntries) {
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
               "there\n",
               options.directory.string());
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
