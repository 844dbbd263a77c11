// SPDX-License-Identifier: Apache-2.0
#include "grade/size_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

constexpr const char* kObjcopyPath = "/usr/bin/objcopy";
constexpr const char* kCopy = "object.o";
constexpr std::string_view kLineBegins = "# assay: size ";

// Before the functions. FNV-1a over the bytes of what makes a size.
constexpr std::string_view kRecorder = R"(
#include "interface.h"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace {

std::uint64_t seen[kMostSizes];
int count = 0;
std::atomic_flag busy;

void Note(std::uint64_t size) {
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  bool known = count == kMostSizes;
  for (int i = 0; i < count && !known; ++i) known = seen[i] == size;
  if (!known) {
    seen[count++] = size;
    char line[64];
    const int length = std::snprintf(line, sizeof line, "\n%s%d\n", kLineBegins, count);
    if (write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) {
    }
  }
  busy.clear(std::memory_order_release);
}

void Mix(std::uint64_t& hash, const void* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  }
}

template <class T>
void MixArgument(std::uint64_t& hash, const T& argument) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    Mix(hash, &argument, sizeof argument);
  } else if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_pointer_t<T>;
    if constexpr (std::is_const_v<Target> && std::is_class_v<Target>) {
      if constexpr (requires { sizeof(Target); }) {
        if (argument != nullptr) Mix(hash, argument, sizeof(Target));
      }
    }
  }
}

template <int kFunction, auto kReal>
struct Recorded;
template <int kFunction, class Result, class... Arguments, Result (*kReal)(Arguments...)>
struct Recorded<kFunction, kReal> {
  static Result Call(Arguments... arguments) {
    std::uint64_t hash = 0xcbf29ce484222325;
    Mix(hash, &function, sizeof function);
    (MixArgument(hash, arguments), ...);
    Note(hash);
    return kReal(arguments...);
  }
  static constexpr int function = kFunction;
};

}  // namespace
)";

ToolStep Objcopy(std::string what, const std::filesystem::path& object,
                 const std::vector<std::string>& options, SandboxLevel level,
                 std::filesystem::path output_directory) {
  ToolStep tool{.what = std::move(what),
                .argv = {kObjcopyPath},
                .mounts = {},
                .output_directory = std::move(output_directory)};
  tool.argv.insert(tool.argv.end(), options.begin(), options.end());
  tool.argv.push_back(Show(
      tool, level, {.outside = object, .inside = "/inputs/object.o", .access = Access::kReadOnly}));
  tool.argv.push_back(ShowOutput(tool, level, kCopy));
  return tool;
}

}  // namespace

std::string SizeRecorderSource(const std::vector<std::string>& functions) {
  std::string source = fmt::format(
      "static constexpr int kMostSizes = {};\nstatic constexpr char kLineBegins[] = \"{}\";\n{}",
      kMostSizes, kLineBegins, kRecorder);
  source += "\nextern \"C\" {\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    // The linker takes what the resolver returns for the function. Weak: a submission may leave a
    // function out.
    source += fmt::format(
        "__attribute__((weak)) __typeof__({0}) assay_real_{0};\n"
        "__typeof__(&{0}) assay_resolve_{0}() {{ return &Recorded<{1}, &assay_real_{0}>::Call; }}\n"
        "__typeof__({0}) {0} __attribute__((ifunc(\"assay_resolve_{0}\")));\n",
        functions[i], i);
  }
  return source + "}\n";
}

ToolStep ToRenameTool(const std::filesystem::path& object,
                      const std::vector<std::string>& functions, SandboxLevel level,
                      std::filesystem::path output_directory) {
  std::vector<std::string> options;
  options.reserve(functions.size());
  for (const std::string& function : functions) {
    options.push_back(fmt::format("--redefine-sym={0}=assay_real_{0}", function));
  }
  return Objcopy("renaming the interface's functions", object, options, level,
                 std::move(output_directory));
}

ToolStep ToWeakenTool(const std::filesystem::path& object, SandboxLevel level,
                      std::filesystem::path output_directory) {
  return Objcopy("making a benchmark's definitions weak", object, {"--weaken"}, level,
                 std::move(output_directory));
}

std::filesystem::path CopiedObjectOf(const ToolStep& step) { return step.output_directory / kCopy; }

int CountSizes(std::string_view output) {
  int sizes = 0;
  for (const std::string& line : SplitLines(output)) {
    if (!line.starts_with(kLineBegins)) {
      continue;
    }
    int size = 0;
    const char* const end = line.data() + line.size();
    const auto [read, failure] = std::from_chars(line.data() + kLineBegins.size(), end, size);
    if (failure == std::errc() && read == end) {
      sizes = std::max(sizes, size);
    }
  }
  return std::min(sizes, kMostSizes);
}

}  // namespace assay
