// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer's inputs once each, without a fuzzing engine: what ctest does with each corpus, in
// every preset and with every compiler. An input that breaks something ends the process: its name
// is printed before it is run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER|FILE\n", argv[0]);
    return 2;
  }
  std::size_t inputs = 0;
  const auto run = [&inputs](const std::filesystem::path& path) {
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    // Of exactly its size, so that a sanitizer sees what is read behind its end.
    const std::string content(std::istreambuf_iterator<char>(file), {});
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    LLVMFuzzerTestOneInput(bytes, content.size());
    ++inputs;
  };
  if (std::filesystem::is_directory(argv[1])) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      run(entry.path());
    }
  } else if (std::filesystem::exists(argv[1])) {
    run(argv[1]);
  }
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
