// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever text is read as CUDA, its tokens are of it and in order, and a function that
// is called unused is not called so once something uses it; measures by tokens are counts, and end.
//
// Input: the files of a submission, which end with NUL.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "build/cuda_tokens.h"
#include "fuzz/fuzz_input.h"
#include "grade/device_functions.h"
#include "grade/token_measures.h"

namespace assay {
namespace {

using fuzz::Require;

void CheckTokens(std::string_view source) {
  const char* at = source.data();
  const char* const end = source.data() + source.size();
  bool in_directive = false;
  for (const CudaToken& token : CudaTokens(source)) {
    switch (token.kind) {
      case CudaToken::Kind::kDirectiveEnd:
        Require(in_directive && token.text.empty(), "a directive ends where one began");
        in_directive = false;
        continue;
      case CudaToken::Kind::kDirective:
        Require(!in_directive && (token.text == "#" || token.text == "%"),
                "a directive begins with # or %:, and in no other");
        in_directive = true;
        break;
      case CudaToken::Kind::kSign:
        Require(token.text.size() == 1, "a sign is one character");
        break;
      case CudaToken::Kind::kName:
        Require(!token.text.empty() && (token.text[0] < '0' || token.text[0] > '9'),
                "a name begins with no digit");
        break;
    }
    const std::less_equal<const char*> is_before;
    Require(is_before(at, token.text.data()), "tokens stand in the order of the source");
    at = token.text.data() + token.text.size();
    Require(is_before(at, end), "tokens are views of the source");
  }
  Require(!in_directive, "a directive has an end");
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using assay::fuzz::Require;
  assay::fuzz::FuzzInput input(data, size);
  std::vector<std::string> sources;
  while (!input.empty()) {
    sources.emplace_back(input.Until('\0'));
    assay::CheckTokens(sources.back());
    const assay::FunctionMeasures worst = assay::MeasureByTokens(sources.back());
    Require(worst.longest_lines >= 0 && worst.cognitive_complexity >= 0, "measures are counts");
    Require(worst.longest_lines <= static_cast<int>(sources.back().size()) + 1,
            "a function has no more lines and statements than its file has bytes");
  }
  const std::vector<std::string> unused = assay::UnusedDeviceFunctions(sources);
  Require(std::ranges::is_sorted(unused) && std::ranges::adjacent_find(unused) == unused.end(),
          "names are sorted, and each is there once");
  // No word but the names: the sources may have made a macro of any.
  std::string user = ";";
  for (const std::string& name : unused) {
    user += name + ";";
  }
  sources.push_back(user);
  Require(assay::UnusedDeviceFunctions(sources).empty(), "what is named elsewhere is used");
  return 0;
}
