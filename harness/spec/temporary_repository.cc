// SPDX-License-Identifier: Apache-2.0
#include "spec/temporary_repository.h"

#include <fstream>
#include <stdexcept>
#include <string>

#include "base/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A test that cannot set itself up must stop, not go on with half a repository.
template <class T>
T ValueOrThrow(Result<T> result) {
  if (!result) {
    throw std::runtime_error(ToString(result.error()));
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

}  // namespace

TemporaryRepository::TemporaryRepository()
    : folder_(ValueOrThrow(TemporaryDirectory::Create(fs::temp_directory_path(), "repository"))) {
  Write("challenges/adder/challenge.yaml", kAdderChallenge);
  Write("challenges/adder/rubric.yaml", kAdderRubric);
  for (const char* const name : {"PROMPT.md", "interface.h", "adapter.cc", "bench.cc"}) {
    Write(fs::path("challenges/adder") / name, "");
  }
  for (const std::string model : {"right", "wrong"}) {
    const fs::path directory = fs::path("submissions") / model;
    Write(directory / "model.yaml",
          "schema: 1\nname: The " + model + " one\nreconstruction: false\nsource: A test.\n");
    Write(directory / "adder/submission.yaml", kAdderSubmission);
    Write(directory / "adder/add.cc", "// " + model + "\n");
    Write(directory / "adder/add.h", "");
    Write(directory / "adder/tests/add_test.cc", "");
    Write(directory / "adder/tests/add_bench.cc", "");
  }
}

void TemporaryRepository::Write(const fs::path& path, std::string_view content) const {
  // Not through base/file.h: tests need no fsync, and hostile names must be possible.
  fs::create_directories((root() / path).parent_path());
  std::ofstream file(root() / path, std::ios::binary);
  file << content;
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

void TemporaryRepository::Replace(const fs::path& path, std::string_view from,
                                  std::string_view to) const {
  std::string content = ValueOrThrow(ReadFile(root() / path));
  const std::size_t at = content.find(from);
  if (at == std::string::npos || content.find(from, at + 1) != std::string::npos) {
    throw std::runtime_error(path.string() + " does not hold once: " + std::string(from));
  }
  Write(path, content.replace(at, from.size(), to));
}

}  // namespace assay
