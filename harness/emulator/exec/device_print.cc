// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/device_print.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstring>

namespace assay::gpu {
namespace {

constexpr int kMostCharacters = 4096;  ///< Of a width or a precision.
constexpr std::int32_t kMostArguments = 32;

enum class Size : std::uint8_t { kInt, kChar, kShort, kLong };
enum class Source : std::uint8_t { kAbsent, kWritten, kArgument };

/// A width or a precision.
struct Extent {
  Source source = Source::kAbsent;
  int value = 0;
};

/// One `%…` of a format. conversion == 0: nothing that we know.
struct Conversion {
  std::string_view text;  ///< As it stands in the format.
  std::string flags;
  Extent width;
  Extent precision;
  Size size = Size::kInt;
  char conversion = 0;

  [[nodiscard]] bool IsInteger() const { return std::strchr("dioxXu", conversion) != nullptr; }
  [[nodiscard]] bool IsReal() const { return std::strchr("eEfFgGaA", conversion) != nullptr; }
  [[nodiscard]] std::uint32_t ArgumentBytes() const {
    return conversion == 'c' || (IsInteger() && size != Size::kLong) ? 4 : 8;
  }
};

class Scanner {
 public:
  explicit Scanner(std::string_view format) : format_(format) {}

  [[nodiscard]] bool AtEnd() const { return at_ >= format_.size(); }
  /// The text up to the next `%`.
  std::string_view Plain() {
    const std::size_t start = at_;
    at_ = std::min(format_.find('%', start), format_.size());
    return format_.substr(start, at_ - start);
  }
  /// Of the `%` that the scanner stands at.
  Conversion Next() {
    const std::size_t start = at_++;
    Conversion conversion;
    while (!AtEnd() && std::strchr("-+ #0", Peek()) != nullptr && Peek() != 0) {
      if (conversion.flags.find(Peek()) == std::string::npos) {
        conversion.flags += Peek();
      }
      ++at_;
    }
    conversion.width = ReadExtent();
    if (!AtEnd() && Peek() == '.') {
      ++at_;
      conversion.precision = ReadExtent();
      conversion.precision.source = std::max(conversion.precision.source, Source::kWritten);
    }
    conversion.size = ReadSize();
    if (!AtEnd() && Peek() != 0 && std::strchr("dioxXueEfFgGaAcspn%", Peek()) != nullptr) {
      conversion.conversion = Peek();
      ++at_;
    }
    conversion.text = format_.substr(start, at_ - start);
    return conversion;
  }

 private:
  [[nodiscard]] char Peek() const { return format_[at_]; }

  Extent ReadExtent() {
    if (!AtEnd() && Peek() == '*') {
      ++at_;
      return {.source = Source::kArgument};
    }
    Extent extent;
    for (; !AtEnd() && Peek() >= '0' && Peek() <= '9'; ++at_) {
      extent.source = Source::kWritten;
      extent.value = std::min(extent.value * 10 + (Peek() - '0'), kMostCharacters);
    }
    return extent;
  }

  Size ReadSize() {
    Size size = Size::kInt;
    for (; !AtEnd() && Peek() != 0 && std::strchr("hlzjtLq", Peek()) != nullptr; ++at_) {
      if (Peek() == 'h') {
        size = size == Size::kShort ? Size::kChar : Size::kShort;
      } else {
        size = Size::kLong;
      }
    }
    return size;
  }

  std::string_view format_;
  std::size_t at_ = 0;
};

/// Takes arguments off the buffer, each at the next multiple of its size.
class Arguments {
 public:
  explicit Arguments(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> Take(std::uint32_t size_bytes) {
    const std::size_t start = (at_ + size_bytes - 1) / size_bytes * size_bytes;
    if (count_ == kMostArguments || start + size_bytes > bytes_.size()) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + start, size_bytes);
    at_ = start + size_bytes;
    ++count_;
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::int32_t count_ = 0;
};

/// Fills in a `*`. False: there is no argument for it.
bool Resolve(Extent& extent, Arguments& arguments) {
  if (extent.source != Source::kArgument) {
    return true;
  }
  const auto value = arguments.Take(4);
  if (!value) {
    return false;
  }
  const auto number = static_cast<std::int32_t>(*value);
  extent.value = std::clamp(number, -kMostCharacters, kMostCharacters);
  return true;
}

/// snprintf with the flags, width and precision of `conversion`, and `tail` ("lld") behind them.
template <class T>
std::string Print(const Conversion& conversion, const char* tail, T value) {
  std::string format = "%" + conversion.flags;
  if (conversion.width.source != Source::kAbsent) {
    // A negative one reads as the flag `-` and a width, as it has to.
    format += std::to_string(conversion.width.value);
  }
  if (conversion.precision.source != Source::kAbsent && conversion.precision.value >= 0) {
    format += "." + std::to_string(conversion.precision.value);
  }
  format += tail;
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length <= 0) {
    return {};
  }
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

std::string PrintInteger(const Conversion& conversion, std::uint64_t bits) {
  const char tail[] = {'l', 'l', conversion.conversion, '\0'};
  const bool is_signed = conversion.conversion == 'd' || conversion.conversion == 'i';
  long long value = 0;
  switch (conversion.size) {
    case Size::kChar:
      value = is_signed ? static_cast<signed char>(bits) : static_cast<unsigned char>(bits);
      break;
    case Size::kShort:
      value = is_signed ? static_cast<std::int16_t>(bits) : static_cast<std::uint16_t>(bits);
      break;
    case Size::kInt:
      value = is_signed ? static_cast<std::int32_t>(bits)
                        : static_cast<long long>(static_cast<std::uint32_t>(bits));
      break;
    case Size::kLong:
      value = static_cast<long long>(bits);
      break;
  }
  return Print(conversion, tail, value);
}

std::string PrintString(
    const Conversion& conversion, std::uint64_t address,
    const std::function<std::optional<std::string>(std::uint64_t)>& read_string) {
  if (address == 0) {
    return Print(conversion, "s", "(null)");
  }
  const std::optional<std::string> text = read_string(address);
  if (!text) {
    return Print(conversion, "s", "(not a readable string)");
  }
  return Print(conversion, "s", text->c_str());
}

std::string PrintOne(const Conversion& conversion, std::uint64_t bits,
                     const std::function<std::optional<std::string>(std::uint64_t)>& read_string) {
  if (conversion.IsInteger()) {
    return PrintInteger(conversion, bits);
  }
  if (conversion.IsReal()) {
    const char tail[] = {conversion.conversion, '\0'};
    return Print(conversion, tail, std::bit_cast<double>(bits));
  }
  switch (conversion.conversion) {
    case 'c':
      return Print(conversion, "c", static_cast<int>(static_cast<unsigned char>(bits)));
    case 's':
      return PrintString(conversion, bits, read_string);
    case 'p':
      // NOLINTNEXTLINE(performance-no-int-to-ptr): printed, never followed.
      return Print(conversion, "p", reinterpret_cast<const void*>(bits));
    default:
      return std::string(conversion.text);
  }
}

}  // namespace

DevicePrintArguments ArgumentsOf(std::string_view format) {
  DevicePrintArguments needed;
  const auto add = [&](std::uint32_t size_bytes) {
    if (needed.count == kMostArguments) {
      return;
    }
    needed.size_bytes = (needed.size_bytes + size_bytes - 1) / size_bytes * size_bytes + size_bytes;
    ++needed.count;
  };
  for (Scanner scanner(format);;) {
    scanner.Plain();
    if (scanner.AtEnd()) {
      return needed;
    }
    const Conversion conversion = scanner.Next();
    if (conversion.conversion == 0 || conversion.conversion == '%') {
      continue;
    }
    if (conversion.width.source == Source::kArgument) {
      add(4);
    }
    if (conversion.precision.source == Source::kArgument) {
      add(4);
    }
    add(conversion.ArgumentBytes());
  }
}

std::string FormatDevicePrint(
    std::string_view format, std::span<const std::byte> arguments,
    const std::function<std::optional<std::string>(std::uint64_t address)>& read_string) {
  Arguments left(arguments);
  std::string text;
  for (Scanner scanner(format);;) {
    text += scanner.Plain();
    if (scanner.AtEnd()) {
      return text;
    }
    Conversion conversion = scanner.Next();
    if (conversion.conversion == '%') {
      text += '%';
      continue;
    }
    std::optional<std::uint64_t> bits;
    if (conversion.conversion != 0 && Resolve(conversion.width, left) &&
        Resolve(conversion.precision, left)) {
      bits = left.Take(conversion.ArgumentBytes());
    }
    text += bits ? PrintOne(conversion, *bits, read_string) : std::string(conversion.text);
  }
}

}  // namespace assay::gpu
