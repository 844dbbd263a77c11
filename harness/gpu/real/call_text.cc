// SPDX-License-Identifier: Apache-2.0
#include "gpu/real/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace assay::gpu::real {
namespace {

std::unexpected<Error> Bad(std::string_view word, std::string cause) {
  return std::unexpected(Error{
      .kind = ErrorKind::kConfiguration,
      .where = std::string(word),
      .cause = std::move(cause),
      .remedy = "write u64=N, u64=scratch, in=TYPE:N, out=TYPE:N, scratch=N, "
                "scratch=OPERATION(N,…) or stream=N; harness/gpu/real/README.md says what they are",
  });
}

Result<std::uint64_t> ParseNumber(std::string_view word, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    return Bad(word, fmt::format("\"{}\" is not a number", text));
  }
  return value;
}

struct Elements {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

/// `TYPE:N`, of at most 2^40 bytes.
Result<Elements> ParseElements(std::string_view word, std::string_view text,
                               std::span<const std::string_view> types) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 37;
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (colon == std::string_view::npos || std::ranges::find(types, type) == types.end()) {
    return Bad(word, fmt::format("\"{}\" is no type and count; types are {}", text,
                                 fmt::join(types, ", ")));
  }
  ASSAY_ASSIGN_OR_RETURN(const std::uint64_t count, ParseNumber(word, text.substr(colon + 1)));
  if (count == 0 || count > kMost) {
    return Bad(word, fmt::format("{} elements are not between 1 and {}", count, kMost));
  }
  return Elements{.bytes = type.ends_with("64") ? std::uint64_t{8} : std::uint64_t{4},
                  .count = count};
}

Result<CallArgument> ParseScratch(std::string_view word, std::string_view text) {
  ScratchArgument scratch;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) {
    ASSAY_ASSIGN_OR_RETURN(scratch.bytes, ParseNumber(word, text));
    return scratch;
  }
  if (open == 0 || !text.ends_with(')')) {
    return Bad(word, "an operation and its numbers in brackets were expected");
  }
  scratch.operation = text.substr(0, open);
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    ASSAY_ASSIGN_OR_RETURN(const std::uint64_t number, ParseNumber(word, rest.substr(0, comma)));
    scratch.arguments.push_back(number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return scratch;
}

Result<CallArgument> ParseArgument(std::string_view word) {
  constexpr std::string_view kInputs[] = {"f32", "f64"};
  constexpr std::string_view kOutputs[] = {"f32", "f64", "i32", "i64"};
  const std::size_t equals = word.find('=');
  const std::string_view kind = word.substr(0, equals);
  const std::string_view text =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (kind == "u64" && text == "scratch") {
    return ScratchBytesArgument{};
  }
  if (kind == "u64") {
    ASSAY_ASSIGN_OR_RETURN(const std::uint64_t value, ParseNumber(word, text));
    return NumberArgument{value};
  }
  if (kind == "in") {
    ASSAY_ASSIGN_OR_RETURN(const Elements elements, ParseElements(word, text, kInputs));
    return InputArgument{.element_bytes = elements.bytes, .count = elements.count};
  }
  if (kind == "out") {
    ASSAY_ASSIGN_OR_RETURN(const Elements elements, ParseElements(word, text, kOutputs));
    return OutputArgument{.element_bytes = elements.bytes, .count = elements.count};
  }
  if (kind == "scratch") {
    return ParseScratch(word, text);
  }
  if (kind == "stream") {
    ASSAY_ASSIGN_OR_RETURN(const std::uint64_t value, ParseNumber(word, text));
    if (value > 1) {
      return Bad(word, "streams are of kind 0 (default) or 1 (non-blocking)");
    }
    return StreamArgument{static_cast<std::uint32_t>(value)};
  }
  return Bad(word, fmt::format("\"{}\" is no kind of argument", kind));
}

}  // namespace

Result<CallText> ParseCall(std::span<const std::string_view> words) {
  if (words.empty() || words[0].empty()) {
    return Bad("the call", "no operation is named");
  }
  CallText call{.operation = std::string(words[0]), .arguments = {}};
  bool has_scratch = false;
  for (const std::string_view word : words.subspan(1)) {
    ASSAY_ASSIGN_OR_RETURN(CallArgument argument, ParseArgument(word));
    if (std::holds_alternative<ScratchArgument>(argument) && std::exchange(has_scratch, true)) {
      return Bad(word, "a call has one scratch");
    }
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

}  // namespace assay::gpu::real
