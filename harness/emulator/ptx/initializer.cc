// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/initializer.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "emulator/ptx/constant.h"
#include "emulator/ptx/parser.h"

namespace assay::gpu::ptx {
namespace {

class InitializerParser {
 public:
  InitializerParser(Source& source, std::span<const std::uint64_t> dimensions, Variable& variable)
      : source_(source),
        lexer_(source.lexer),
        dimensions_(dimensions),
        variable_(variable),
        element_bytes_(SizeOf(variable.type)) {}

  /// Reads what starts element `first` and is of the dimensions from `level` on. Returns where the
  /// last element written ends.
  Result<std::uint64_t> ParseLevel(std::size_t level, std::uint64_t first) {
    if (!lexer_.Accept("{")) {
      ASSAY_RETURN_IF_ERROR(ParseElement(first));
      return first + 1;
    }
    if (level >= dimensions_.size()) {
      return std::unexpected(source_.Fault("initialiser nests deeper than its array"));
    }
    // Behind the nested braces of an inner dimension comes the next row, however short it was.
    std::uint64_t row = 1;
    for (std::size_t inner = level + 1; inner < dimensions_.size(); ++inner) {
      row *= dimensions_[inner];
    }
    std::uint64_t next = first;
    while (!lexer_.Accept("}")) {
      const bool nested = lexer_.Is("{");
      ASSAY_ASSIGN_OR_RETURN(const std::uint64_t end, ParseLevel(level + 1, next));
      next = nested ? next + row : end;
      if (next > kMaxVariableBytes) {
        return std::unexpected(source_.Fault("initialiser of " + variable_.name + " is too long"));
      }
      ASSAY_RETURN_IF_ERROR(ExpectMore());
    }
    // The outermost list is held against the size of the whole variable.
    if (level > 0 && next - first > row * dimensions_[level]) {
      return std::unexpected(source_.Fault(
          "initialiser of " + variable_.name + " has " + std::to_string(next - first) +
          " elements in braces that stand for " + std::to_string(row * dimensions_[level])));
    }
    return next;
  }

  /// An address that is written byte by byte has to be there whole when something else comes.
  Status FinishMasked() {
    if (masked_bytes_ % kAddressBytes != 0) {
      return Fault("has an address byte by byte that is not whole");
    }
    masked_bytes_ = 0;
    return {};
  }

 private:
  static constexpr std::uint64_t kAddressBytes = 8;

  Status Fault(const std::string& what) const {
    return std::unexpected(source_.Fault("initialiser of " + variable_.name + " " + what));
  }

  // Behind an element comes a comma and another one, or the end of the list.
  Status ExpectMore() {
    if (lexer_.Is("}")) {
      return {};
    }
    ASSAY_RETURN_IF_ERROR(source_.Expect(","));
    if (lexer_.Is("}")) {
      return std::unexpected(source_.Expected("an element"));
    }
    return {};
  }

  // Whether a variable of this type may begin as `value`. Bit types take numbers, and the floats
  // that have as many bits.
  [[nodiscard]] bool Takes(const Constant& value) const {
    const Type type = variable_.type;
    const bool is_bits = type >= Type::kB8 && type <= Type::kB128;
    if (value.type != Type::kF32 && value.type != Type::kF64) {
      return !IsFloat(type) || type == Type::kF16;
    }
    return type == Type::kF16 || type == Type::kBf16 || type == Type::kF32 || type == Type::kF64 ||
           (is_bits && SizeOf(type) == SizeOf(value.type));
  }

  Status Store(std::uint64_t element, std::uint64_t bits) {
    const std::uint64_t offset = element * element_bytes_;
    if (element >= kMaxInitialBytes || offset + element_bytes_ > kMaxInitialBytes) {
      return Fault("reaches past " + std::to_string(kMaxInitialBytes >> 20U) + " MiB");
    }
    variable_.initial.resize(
        std::max<std::size_t>(variable_.initial.size(), offset + element_bytes_));
    for (std::uint32_t byte = 0; byte < element_bytes_ && byte < 8; ++byte) {
      variable_.initial[offset + byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
    }
    return {};
  }

  Status ParseElement(std::uint64_t element) {
    if (lexer_.Is(Token::Kind::kIdentifier) && !StartsConstant(lexer_)) {
      return ParseAddress(element);
    }
    ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConstant(source_));
    if (lexer_.Is("(")) {
      return ParseMaskedAddress(element, value.bits);
    }
    ASSAY_RETURN_IF_ERROR(FinishMasked());
    if (!Takes(value)) {
      return Fault("has a number of another kind than its type");
    }
    return Store(element, ConvertFloat(value, variable_.type).bits);
  }

  // `symbol`, `symbol+8` or `generic(symbol)+8`.
  Result<InitialAddress> ParseSymbol() {
    InitialAddress address;
    ASSAY_ASSIGN_OR_RETURN(std::string_view name, source_.TakeIdentifier("a symbol"));
    if (name == "generic" && lexer_.Accept("(")) {
      address.generic = true;
      ASSAY_ASSIGN_OR_RETURN(name, source_.TakeIdentifier("a symbol"));
      ASSAY_ASSIGN_OR_RETURN(address.addend, ParseAddend());
      ASSAY_RETURN_IF_ERROR(source_.Expect(")"));
    }
    address.symbol = name;
    ASSAY_ASSIGN_OR_RETURN(const std::int64_t addend, ParseAddend());
    address.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.addend) +
                                               static_cast<std::uint64_t>(addend));
    return address;
  }

  Result<std::int64_t> ParseAddend() {
    if (!lexer_.Is("+") && !lexer_.Is("-")) {
      return 0;
    }
    ASSAY_ASSIGN_OR_RETURN(const Constant value, ParseConstant(source_));
    return static_cast<std::int64_t>(value.bits);
  }

  Status ParseAddress(std::uint64_t element) {
    ASSAY_RETURN_IF_ERROR(FinishMasked());
    ASSAY_ASSIGN_OR_RETURN(InitialAddress address, ParseSymbol());
    if (element_bytes_ != kAddressBytes) {
      return Fault("puts the address of " + address.symbol + " into " +
                   std::to_string(element_bytes_) + " bytes; addresses have 8");
    }
    ASSAY_RETURN_IF_ERROR(Store(element, 0));
    address.offset_bytes = element * element_bytes_;
    variable_.addresses.push_back(std::move(address));
    return {};
  }

  // Byte i of the address of a symbol: 0xFF with 8·i zero bits behind it, and the symbol.
  Status ParseMaskedAddress(std::uint64_t element, std::uint64_t mask) {
    ASSAY_RETURN_IF_ERROR(source_.Expect("("));
    ASSAY_ASSIGN_OR_RETURN(InitialAddress address, ParseSymbol());
    ASSAY_RETURN_IF_ERROR(source_.Expect(")"));
    ASSAY_RETURN_IF_ERROR(Store(element, 0));
    const auto byte = static_cast<std::uint64_t>(std::countr_zero(mask)) / 8;
    const bool is_byte = mask != 0 && mask == (std::uint64_t{0xff} << (8 * byte));
    if (!is_byte || element_bytes_ != 1) {
      return Fault("masks the address of " + address.symbol + " with what is not a byte of it");
    }
    if (byte == 0) {
      ASSAY_RETURN_IF_ERROR(FinishMasked());
      address.offset_bytes = element;
      variable_.addresses.push_back(std::move(address));
      masked_bytes_ = 1;
      return {};
    }
    if (masked_bytes_ != byte || !GoesOn(address, element - byte)) {
      return Fault("has the bytes of the address of " + address.symbol + " out of order");
    }
    ++masked_bytes_;
    return {};
  }

  // Whether `address`, at `offset_bytes` as a whole, is the one whose bytes were last written.
  [[nodiscard]] bool GoesOn(const InitialAddress& address, std::uint64_t offset_bytes) const {
    if (variable_.addresses.empty()) {
      return false;
    }
    const InitialAddress& last = variable_.addresses.back();
    return last.symbol == address.symbol && last.addend == address.addend &&
           last.generic == address.generic && last.offset_bytes == offset_bytes;
  }

  Source& source_;
  Lexer& lexer_;
  std::span<const std::uint64_t> dimensions_;
  Variable& variable_;
  std::uint64_t element_bytes_;
  std::uint64_t masked_bytes_ = 0;  // Of the last address, when it is written byte by byte.
};

// Counts what the first list of each depth has.
class ListCounter {
 public:
  explicit ListCounter(std::span<std::uint64_t> counts)
      : counts_(counts), is_counted_(counts.size()) {}

  void See(const Token& token, bool opens, bool closes) {
    const bool is_within = depth_ > 0 && depth_ <= counts_.size();
    if (is_within && !is_counted_[depth_ - 1] && token.text == ",") {
      ++counts_[depth_ - 1];
    }
    if (closes && is_within) {
      is_counted_[depth_ - 1] = true;
    }
    depth_ += opens ? 1U : 0U;
    depth_ -= closes ? 1U : 0U;
    if (opens && depth_ <= counts_.size() && !is_counted_[depth_ - 1]) {
      counts_[depth_ - 1] = 1;
    }
  }
  [[nodiscard]] std::size_t depth() const { return depth_; }

 private:
  std::span<std::uint64_t> counts_;
  std::vector<bool> is_counted_;
  std::size_t depth_ = 0;
};

}  // namespace

void CountInnerDimensions(Lexer lexer, std::span<std::uint64_t> dimensions) {
  const auto inner = dimensions.subspan(std::min<std::size_t>(dimensions.size(), 1));
  if (std::ranges::find(inner, 0U) == inner.end() || !lexer.Is("{")) {
    return;
  }
  std::vector<std::uint64_t> counts(dimensions.size());
  ListCounter counter(counts);
  do {
    counter.See(lexer.token(), lexer.Is("{"), lexer.Is("}"));
    lexer.Advance();
  } while (counter.depth() > 0 && !lexer.Is(Token::Kind::kEnd));
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    dimensions[i] = dimensions[i] == 0 ? counts[i] : dimensions[i];
  }
}

Result<std::uint64_t> ParseInitializer(Source& source, std::span<const std::uint64_t> dimensions,
                                       Variable& variable) {
  InitializerParser parser(source, dimensions, variable);
  ASSAY_ASSIGN_OR_RETURN(const std::uint64_t end, parser.ParseLevel(0, 0));
  ASSAY_RETURN_IF_ERROR(parser.FinishMasked());
  std::uint64_t row = 1;
  for (const std::uint64_t dimension : dimensions.subspan(dimensions.empty() ? 0 : 1)) {
    row *= dimension;
  }
  return row == 0 ? 0 : (end + row - 1) / row;
}

}  // namespace assay::gpu::ptx
