// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_DEVICE_INVOCATION_H_
#define ASSAY_GPU_SUITE_DEVICE_INVOCATION_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace assay::gpu {

/// One call of a CUDA operation: its name and arguments in the order of the adapter's function,
/// where each device pointer is a std::uint64_t. Refers to the caller's memory, like Invocation.
///
///     DeviceInvocation call("softmax_topk_f32");
///     call.Scalar(rows).Scalar(vocabulary).Scalar(k).Rows(x, vocabulary, stride).Scalar(stride)
///         .Output(probabilities).Output(indices).Scratch(bytes).Scalar(bytes).Scalar(kind);
///     for (const std::string_view role : Schedules()) {
///       CallOnDeviceExpecting(0, role, call);
///       …
///     }
class DeviceInvocation {
 public:
  /// A scalar's bytes and wire type are those of T.
  struct ScalarArgument {
    std::variant<std::uint64_t, std::int64_t, std::uint32_t, std::int32_t, float, double> value;
  };
  /// Rows of `row_bytes`, `stride_bytes` apart on the device; what lies between them is not
  /// written. Each buffer lies `offset_bytes` behind an address that is aligned to 256 bytes.
  struct InputArgument {
    std::span<const std::byte> data;  ///< Rows one after the other, without gaps.
    std::uint64_t row_bytes = 0;
    std::uint64_t stride_bytes = 0;
    std::uint64_t offset_bytes = 0;
  };
  struct OutputArgument {
    std::span<std::byte> data;
    std::uint64_t offset_bytes = 0;
  };
  /// As an output that holds `data` before the call.
  struct InOutArgument {
    std::span<std::byte> data;
    std::uint64_t offset_bytes = 0;
  };
  struct ScratchArgument {
    std::uint64_t size_bytes = 0;  ///< 0: a null pointer.
  };
  using Argument =
      std::variant<ScalarArgument, InputArgument, OutputArgument, InOutArgument, ScratchArgument>;

  explicit DeviceInvocation(std::string operation) : operation_(std::move(operation)) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  DeviceInvocation& Scalar(T value) {
    return Add(ScalarArgument{value});
  }

  /// `const T*`, dense.
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  DeviceInvocation& Input(R&& range, std::uint64_t offset_bytes = 0) {
    const auto bytes = std::as_bytes(std::span(range));
    return Add(InputArgument{bytes, bytes.size(), bytes.size(), offset_bytes});
  }

  /// `const T*` to rows of `row_elements`, which lie `stride_elements` apart. `range` is dense.
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  DeviceInvocation& Rows(R&& range, std::size_t row_elements, std::size_t stride_elements,
                         std::uint64_t offset_bytes = 0) {
    constexpr std::size_t kSize = sizeof(std::ranges::range_value_t<R>);
    return Add(InputArgument{std::as_bytes(std::span(range)), row_elements * kSize,
                             stride_elements * kSize, offset_bytes});
  }

  /// `T*`: after the call `range` holds what was written.
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  DeviceInvocation& Output(R&& range, std::uint64_t offset_bytes = 0) {
    return Add(OutputArgument{std::as_writable_bytes(std::span(range)), offset_bytes});
  }

  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  DeviceInvocation& InOut(R&& range, std::uint64_t offset_bytes = 0) {
    return Add(InOutArgument{std::as_writable_bytes(std::span(range)), offset_bytes});
  }

  /// `void*` to uninitialised device memory, aligned to 256 bytes.
  DeviceInvocation& Scratch(std::uint64_t size_bytes) { return Add(ScratchArgument{size_bytes}); }

  /// Empty inputs and outputs of this call are null pointers.
  DeviceInvocation& EmptyIsNull() {
    empty_is_null_ = true;
    return *this;
  }

  [[nodiscard]] const std::string& operation() const { return operation_; }
  [[nodiscard]] std::span<const Argument> arguments() const { return arguments_; }
  [[nodiscard]] bool empty_is_null() const { return empty_is_null_; }
  /// The StreamKind of an operation on a stream: its last argument, a std::uint32_t. Nothing: it
  /// has none.
  [[nodiscard]] std::optional<std::uint32_t> stream_kind() const {
    const auto* last =
        arguments_.empty() ? nullptr : std::get_if<ScalarArgument>(&arguments_.back());
    const auto* kind = last == nullptr ? nullptr : std::get_if<std::uint32_t>(&last->value);
    return kind == nullptr ? std::nullopt : std::optional(*kind);
  }

 private:
  DeviceInvocation& Add(Argument argument) {
    arguments_.push_back(argument);
    return *this;
  }

  std::string operation_;
  std::vector<Argument> arguments_;
  bool empty_is_null_ = false;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_DEVICE_INVOCATION_H_
