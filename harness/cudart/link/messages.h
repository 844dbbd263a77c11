// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_LINK_MESSAGES_H_
#define ASSAY_CUDART_LINK_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "emulator/core/device_link.h"
#include "emulator/model/gpu_model.h"
#include "wire/protocol.h"

/// What a host's CUDA runtime and the device on the trusted side say to each other: one message
/// out, one reply back, for each call of a DeviceLink. README.md has the table. Numbers are in
/// native order and unaligned; a text or a list has its length as u32 in front.
namespace assay::gpu::remote {

enum class Call : std::uint32_t {
  kModel = 1,
  kModuleText,
  kLoadModule,
  kUnloadModule,
  kFindKernel,
  kFindVariable,
  kAllocate,
  kFree,
  kCopyToDevice,
  kCopyFromDevice,
  kCopyOnDevice,
  kFill,
  kAllocationOf,
  kMemory,
  kLaunch,
  kLacks,
};

// Limits. A request beyond one of them is malformed, except where DeviceServer says otherwise.
inline constexpr std::size_t kMaxMessageBytes = wire::kDeviceMessageBytes;
/// Of a copy, or of a module's text, in one message; longer ones are several messages.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxModuleBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxNameBytes = std::size_t{32} << 10;
inline constexpr std::size_t kMaxLackBytes = 1024;         ///< Of printable ASCII.
inline constexpr std::size_t kMaxParameterBytes = 32'764;  ///< CUDA 12.1's limit.
inline constexpr std::size_t kMaxDetailBytes = 4096;       ///< Longer texts of errors are cut.

/// Builds a message.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>* message) : message_(message) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  Writer& Number(T value) {
    return Bytes(std::as_bytes(std::span(&value, 1)));
  }
  Writer& Bytes(std::span<const std::byte> bytes);
  Writer& Text(std::string_view text) {
    return Number(static_cast<std::uint32_t>(text.size())).Bytes(std::as_bytes(std::span(text)));
  }

 private:
  std::vector<std::byte>* message_;
};

/// Takes a message apart. Once something was not there, or too long, nothing more is.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> message) : rest_(message) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  T Number() {
    T value{};
    if (const auto bytes = Bytes(sizeof value); bytes.size() == sizeof value) {
      std::memcpy(&value, bytes.data(), sizeof value);
    }
    return value;
  }
  /// A view of the message.
  std::span<const std::byte> Bytes(std::size_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const auto bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }
  /// A view of the message.
  std::string_view Text(std::size_t most_bytes) {
    const auto size = Number<std::uint32_t>();
    if (size > most_bytes) {
      failed_ = true;
    }
    const auto bytes = Bytes(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// The length of a list, of which each element takes at least `least_bytes` of what is left.
  std::size_t Count(std::size_t least_bytes) {
    const auto count = Number<std::uint32_t>();
    if (count > rest_.size() / least_bytes) {
      failed_ = true;
    }
    return failed_ ? 0 : count;
  }
  [[nodiscard]] std::size_t left_bytes() const { return rest_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }
  /// Whether all was there, and nothing more.
  [[nodiscard]] bool IsDone() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

void Write(Writer& writer, const GpuModel& model);
[[nodiscard]] GpuModel ReadModel(Reader& reader);
void Write(Writer& writer, const KernelInfo& kernel);
[[nodiscard]] KernelInfo ReadKernel(Reader& reader);
void Write(Writer& writer, const LaunchRequest& request);
[[nodiscard]] LaunchRequest ReadLaunch(Reader& reader);
void Write(Writer& writer, const LaunchOutcome& outcome);
[[nodiscard]] LaunchOutcome ReadOutcome(Reader& reader);

}  // namespace assay::gpu::remote

#endif  // ASSAY_CUDART_LINK_MESSAGES_H_
