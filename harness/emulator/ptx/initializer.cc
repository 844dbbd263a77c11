// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/initializer.h"

#include <bit>
#include <string>

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
      if (!lexer_.Is("}")) {
        ASSAY_RETURN_IF_ERROR(source_.Expect(","));
      }
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
    const bool is_float = IsFloat(variable_.type);
    const bool is_float_value = value.type == Type::kF32 || value.type == Type::kF64;
    if (is_float != is_float_value && variable_.type != Type::kF16) {
      // Bit types take either.
      const bool bit_type = variable_.type >= Type::kB8 && variable_.type <= Type::kB128;
      if (!bit_type) {
        return Fault("has a number of another kind than its type");
      }
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
    const bool goes_on = masked_bytes_ == byte && !variable_.addresses.empty() &&
                         variable_.addresses.back().symbol == address.symbol &&
                         variable_.addresses.back().offset_bytes + byte == element;
    if (!goes_on) {
      return Fault("has the bytes of the address of " + address.symbol + " out of order");
    }
    ++masked_bytes_;
    return {};
  }

  Source& source_;
  Lexer& lexer_;
  std::span<const std::uint64_t> dimensions_;
  Variable& variable_;
  std::uint64_t element_bytes_;
  std::uint64_t masked_bytes_ = 0;  // Of the last address, when it is written byte by byte.
};

}  // namespace

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
