// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_ADAPTER_H_
#define ASSAY_HOST_ADAPTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "wire/protocol.h"

/// What an adapter includes: it binds the C functions of a challenge's interface to operations
/// that the grader calls by name. An adapter decides nothing; models may read it.
///
///     #include "host/adapter.h"
///     #include "interface.h"
///     #pragma weak my_function          // a submission may leave it out
///     ASSAY_OPERATION("my_function", my_function);
///
/// The parameter types say what travels how:
///
///     integers, float, double           a scalar, by value
///     const T*                          an input: read-only memory
///     T*                                an output, or an input that is changed in place
///     assay_save_fn, void*              saves tensors for a later call in another process
///     assay_load_fn, void*              finds saved tensors
///
/// The function returns int (a status) or void (status 0). Anything else does not compile; it
/// needs a wrapper function in the adapter. A function that is declared weak and is not there is
/// missing from the table of operations, which the grader reads as "not implemented".

/// Asks for memory that a later call will find under `name`; aligned to 64 bytes, nullptr over a
/// limit. Challenges repeat these two types in their interface.h under names of their own.
typedef void* (*assay_save_fn)(void* context, const char* name, std::size_t bytes);
/// Finds saved memory, aligned to 64 bytes, and its size; nullptr when the name is unknown.
typedef const void* (*assay_load_fn)(void* context, const char* name, std::size_t* bytes);

namespace assay::host {

/// What save and load do in this process: arguments of an operation with such parameters. With
/// another context than that of the call both give nothing.
void* Save(void* context, const char* name, std::size_t bytes);
const void* Load(void* context, const char* name, std::size_t* bytes);
/// The context of the call that runs: never null, and one of two, each for two calls in turn. So
/// who hands on none, or that of a call before, or takes the next call with one for the same call,
/// is found out.
void* Context();

/// One argument as it arrived: a scalar's bytes, or a pointer into shared memory.
union Argument {
  std::uint64_t bits;
  void* pointer;
};

/// A function behind a name, as the table of operations holds it.
struct Operation {
  const char* name;  ///< Of static storage.
  const wire::Parameter* parameters;
  std::size_t parameter_count;
  /// Calls the function with one Argument for each parameter; returns its status.
  int (*invoke)(const Argument* arguments);
};

/// Adds an operation to this process's table; ASSAY_OPERATION calls it before main. Ends the
/// process with a message when the table is full or the name is taken, empty or too long.
void Register(const Operation& operation);

struct Bytes {
  const void* data;
  std::size_t size;
};
struct MutableBytes {
  void* data;
  std::size_t size;
};

/// Asks the grader to compute something in its own process: sends `inputs`, waits, fills `outputs`,
/// and returns the status of the handler there. What `id` and the buffers mean is between the
/// adapter and the suite. Only from the thread that runs the operation, and during it. More buffers
/// or bytes than the suite made room for end the process with a message.
int Upcall(std::uint32_t id, std::initializer_list<Bytes> inputs,
           std::initializer_list<MutableBytes> outputs);

namespace internal {

/// How one C parameter maps to the wire. A save or load callback takes the `void*` behind it along.
template <class T>
struct Binding {
  static_assert(std::is_arithmetic_v<T>, "an operation cannot have a parameter of this type");
  static constexpr wire::Parameter kParameter{wire::ParameterKind::kScalar,
                                              wire::ElementTypeOf<T>()};
  static T Get(const Argument& argument) {
    T value;
    std::memcpy(&value, &argument.bits, sizeof value);
    return value;
  }
};

template <class T>
struct Binding<T*> {
  static constexpr wire::Parameter kParameter{
      std::is_const_v<T> ? wire::ParameterKind::kInput : wire::ParameterKind::kOutput,
      wire::ElementTypeOf<std::remove_const_t<T>>()};
  static T* Get(const Argument& argument) { return static_cast<T*>(argument.pointer); }
};

template <>
struct Binding<assay_save_fn> {
  static constexpr wire::Parameter kParameter{wire::ParameterKind::kSave, wire::ElementType::kU8};
  static assay_save_fn Get(const Argument&) { return Save; }
};

template <>
struct Binding<assay_load_fn> {
  static constexpr wire::Parameter kParameter{wire::ParameterKind::kLoad, wire::ElementType::kU8};
  static assay_load_fn Get(const Argument&) { return Load; }
};

/// The context behind a callback: nothing travels for it.
template <>
struct Binding<void*> {
  static void* Get(const Argument&) { return Context(); }
};

template <class Function>
struct Signature;

template <class R, class... P>
struct Signature<R (*)(P...)> {
  static_assert(std::is_same_v<R, int> || std::is_void_v<R>, "return int (a status) or void");

  template <class T>
  static constexpr bool kTravels = !std::is_same_v<T, void*>;
  static constexpr std::size_t kCount = (std::size_t{0} + ... + (kTravels<P> ? 1 : 0));
  static_assert(kCount <= wire::kMaxParameters, "too many parameters");

  static constexpr std::array<wire::Parameter, kCount> kParameters = [] {
    std::array<wire::Parameter, kCount> parameters{};
    [[maybe_unused]] std::size_t next = 0;
    (
        [&] {
          if constexpr (kTravels<P>) {
            parameters[next++] = Binding<P>::kParameter;
          }
        }(),
        ...);
    return parameters;
  }();

  /// Each `void*` follows a callback: any other would arrive as null without a word.
  static constexpr bool kContextsFollowCallbacks = [] {
    [[maybe_unused]] bool after_callback = false;  // Not used where there are no parameters.
    bool good = true;
    ((good = good && (kTravels<P> || after_callback),
      after_callback = std::is_same_v<P, assay_save_fn> || std::is_same_v<P, assay_load_fn>),
     ...);
    return good;
  }();
  static_assert(kContextsFollowCallbacks, "a void* parameter must follow a save or load callback");

  /// Which argument each C parameter reads. A context reads the one of the callback before it,
  /// and ignores it.
  static constexpr std::array<std::size_t, sizeof...(P) + 1> kIndices = [] {
    std::array<std::size_t, sizeof...(P) + 1> indices{};
    [[maybe_unused]] std::size_t parameter = 0;
    [[maybe_unused]] std::size_t next = 0;
    ((indices[parameter++] = kTravels<P> ? next++ : next - 1), ...);
    return indices;
  }();

  template <R (*kFunction)(P...)>
  static int Invoke(const Argument* arguments) {
    return InvokeAt<kFunction>(arguments, std::index_sequence_for<P...>{});
  }

  template <R (*kFunction)(P...), std::size_t... kI>
  static int InvokeAt([[maybe_unused]] const Argument* arguments, std::index_sequence<kI...>) {
    if constexpr (std::is_void_v<R>) {
      kFunction(Binding<P>::Get(arguments[kIndices[kI]])...);
      return 0;
    } else {
      return kFunction(Binding<P>::Get(arguments[kIndices[kI]])...);
    }
  }
};

/// Whether a function that may be declared weak is there. A function, not an expression in the
/// macro: there the compiler warns that the address of a function that is not weak is never null.
template <class Function>
bool IsPresent(Function* function) {
  return function != nullptr;
}

template <auto kFunction>
struct Registration {
  using Types = Signature<decltype(kFunction)>;
  Registration(const char* name, bool present) {
    if (present) {
      Register(
          {name, Types::kParameters.data(), Types::kCount, &Types::template Invoke<kFunction>});
    }
  }
};

}  // namespace internal
}  // namespace assay::host

#define ASSAY_HOST_CONCAT_INNER(a, b) a##b
#define ASSAY_HOST_CONCAT(a, b) ASSAY_HOST_CONCAT_INNER(a, b)

/// Binds `function` to the operation `name` if `needed`, a weak function, is there. For wrappers.
#define ASSAY_OPERATION_IF(needed, name, function)                                 \
  static const ::assay::host::internal::Registration<&function> ASSAY_HOST_CONCAT( \
      assay_registration_, __LINE__)(name, ::assay::host::internal::IsPresent(&(needed)))

/// Binds `function` to the operation `name`, if it is there.
#define ASSAY_OPERATION(name, function) ASSAY_OPERATION_IF(function, name, function)

#endif  // ASSAY_HOST_ADAPTER_H_
