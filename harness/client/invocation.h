// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_INVOCATION_H_
#define ASSAY_CLIENT_INVOCATION_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "wire/protocol.h"

namespace assay {

/// A tensor that an operation saved: a name of 1 to 63 printable characters, and its bytes as they
/// were when the reply came. An untrusted host chose both.
struct SavedTensor {
  std::string name;
  std::vector<std::byte> data;
};
using SavedTensors = std::vector<SavedTensor>;

/// What one call may save; beyond it the save callback returns NULL.
struct SaveLimits {
  std::uint32_t tensors = 64;                    ///< At most 64.
  std::uint64_t bytes = std::uint64_t{1} << 30;  ///< Of all tensors together.
};

/// A call that the host makes back into this process while it computes. The bytes are private
/// copies: the host cannot change them any more. How many buffers there are, and how long, is the
/// host's word: a handler checks it before use.
struct UpcallRequest {
  std::uint32_t id;
  std::span<const std::vector<std::byte>> inputs;
  std::span<std::vector<std::byte>> outputs;  ///< Zeroed; filled by the handler.

  /// The buffer as elements of T. A size that is no multiple of T's gives the whole elements.
  template <class T>
  [[nodiscard]] std::span<const T> Input(std::size_t index) const {
    return {reinterpret_cast<const T*>(inputs[index].data()), inputs[index].size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] std::span<T> Output(std::size_t index) const {
    return {reinterpret_cast<T*>(outputs[index].data()), outputs[index].size() / sizeof(T)};
  }
};

/// Returns the status that the host's Upcall returns there.
using UpcallHandler = std::function<int(const UpcallRequest&)>;

/// What upcalls of one call may take; a host beyond it is rejected.
struct UpcallLimits {
  std::uint64_t calls = 10'000;
  std::uint64_t bytes = std::uint64_t{64} << 20;  ///< Of the buffers of one upcall together.
};

/// Where a buffer lies in its pages.
enum class Placement {
  /// Its last byte is the last before an inaccessible page, so that reading or writing one element
  /// past the end ends the host; aligned to its element only. What tests use.
  kAgainstGuard,
  /// It starts at a page, aligned for vectors. What timings use.
  kAligned,
};

/// One call of an operation: its name and arguments, in the order of the function's parameters.
/// Holds references to the caller's memory, which must live as long as the invocation is used.
///
///     std::vector<float> x(…), y(x.size());
///     Invocation call("scale_f32");
///     call.Scalar(x.size()).Scalar(2.0f).Input(x).Output(y);
///     auto reply = host.Call(call);
///
/// Types must be those of the C function: a mismatch is a failed call that names both.
/// Reusable: each call reads the inputs again and overwrites the outputs.
class Invocation {
 public:
  /// One argument as it was given. Public for the host alone.
  struct Argument {
    wire::Parameter parameter;
    std::uint64_t bits = 0;             ///< A scalar's bytes.
    const std::byte* source = nullptr;  ///< An input, or the value before the call of an in-out.
    std::byte* destination = nullptr;   ///< An output or in-out.
    std::size_t size_bytes = 0;
    std::size_t element_bytes = 1;
  };

  explicit Invocation(std::string operation) : operation_(std::move(operation)) {}

  /// An integer, float or double, of exactly the parameter's type (size_t, not int).
  template <class T>
    requires std::is_arithmetic_v<T>
  Invocation& Scalar(T value) {
    Argument argument{{wire::ParameterKind::kScalar, wire::ElementTypeOf<T>()}};
    std::memcpy(&argument.bits, &value, sizeof value);
    return Add(argument);
  }

  /// `const T*`: a vector, array or span. Empty is allowed: the pointer is then valid but leads to
  /// nothing, or is null (EmptyIsNull).
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  Invocation& Input(R&& range) {
    Argument argument = Memory<R>(wire::ParameterKind::kInput, range);
    argument.source = reinterpret_cast<const std::byte*>(std::ranges::data(range));
    return Add(argument);
  }

  /// `T*`: holds fresh random bytes before the call. `range` takes what the host had written at
  /// the moment its reply came; it is unchanged when the call fails.
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  Invocation& Output(R&& range) {
    Argument argument = Memory<R>(wire::ParameterKind::kOutput, range);
    argument.destination = reinterpret_cast<std::byte*>(std::ranges::data(range));
    return Add(argument);
  }

  /// `T*` that holds the value of `range` before the call, and after it goes back there.
  template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::borrowed_range<R>
  Invocation& InOut(R&& range) {
    Argument argument = Memory<R>(wire::ParameterKind::kOutput, range);
    argument.destination = reinterpret_cast<std::byte*>(std::ranges::data(range));
    argument.source = argument.destination;
    return Add(argument);
  }

  /// A save callback. After a call that returned, `tensors` holds what was saved, in order.
  Invocation& Save(SavedTensors* tensors, SaveLimits limits = {});
  /// A load callback that finds these tensors (at most 64 with distinct names).
  Invocation& Load(const SavedTensors& tensors);
  Invocation& Load(SavedTensors&&) = delete;

  /// What answers the host's upcalls; without one an upcall is rejected. Not a parameter.
  Invocation& OnUpcall(UpcallHandler handler, UpcallLimits limits = {});
  /// Where all buffers of this call lie. Default: kAgainstGuard.
  Invocation& Place(Placement placement);

  /// Empty buffers of this call are null pointers.
  Invocation& EmptyIsNull();

  /// Turns every Output into an InOut: for a caller that poisons outputs itself, and so can tell
  /// which elements the host never wrote.
  Invocation& SendOutputs() {
    for (Argument& argument : arguments_) {
      if (argument.destination != nullptr) {
        argument.source = argument.destination;
      }
    }
    return *this;
  }

  [[nodiscard]] const std::string& operation() const { return operation_; }
  [[nodiscard]] std::span<const Argument> arguments() const { return arguments_; }
  /// The C parameters that it is meant for.
  [[nodiscard]] std::vector<wire::Parameter> parameters() const;
  [[nodiscard]] Placement placement() const { return placement_; }
  [[nodiscard]] bool empty_is_null() const { return empty_is_null_; }
  [[nodiscard]] SavedTensors* saved() const { return saved_; }
  [[nodiscard]] const SaveLimits& save_limits() const { return save_limits_; }
  [[nodiscard]] const SavedTensors* loads() const { return loads_; }
  [[nodiscard]] const UpcallHandler& upcall_handler() const { return upcall_handler_; }
  [[nodiscard]] const UpcallLimits& upcall_limits() const { return upcall_limits_; }

 private:
  template <class R>
  static Argument Memory(wire::ParameterKind kind, const R& range) {
    using T = std::ranges::range_value_t<R>;
    static_assert(std::is_arithmetic_v<T>);
    return {.parameter = {kind, wire::ElementTypeOf<T>()},
            .size_bytes = std::ranges::size(range) * sizeof(T),
            .element_bytes = sizeof(T)};
  }
  Invocation& Add(const Argument& argument) {
    arguments_.push_back(argument);
    return *this;
  }

  std::string operation_;
  std::vector<Argument> arguments_;
  Placement placement_ = Placement::kAgainstGuard;
  bool empty_is_null_ = false;
  SavedTensors* saved_ = nullptr;
  SaveLimits save_limits_;
  const SavedTensors* loads_ = nullptr;
  UpcallHandler upcall_handler_;
  UpcallLimits upcall_limits_;
};

}  // namespace assay

#endif  // ASSAY_CLIENT_INVOCATION_H_
