// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_WIRE_PROTOCOL_H_
#define ASSAY_WIRE_PROTOCOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What travels between a client (trusted) and a host (hostile), byte for byte. README.md has the
/// tables and the drawing. Included by code in the sandbox: needs nothing but the C++ library.
///
/// Both ends are built for the same machine from the same sources, so numbers are in native order
/// and structures are shared as they are; kVersion guards against a stale host executable.
namespace assay::wire {

inline constexpr std::uint32_t kMagic = 0x59415341;  // "ASAY"
inline constexpr std::uint32_t kVersion = 3;

/// The descriptors a host starts with, beside 0 (/dev/null), 1 and 2 (captured text).
inline constexpr int kControlFd = 3;
inline constexpr int kInputsFd = 4;
inline constexpr int kOutputsFd = 5;
inline constexpr int kDeviceFd = 6;  ///< Only in a host that has a device.

inline constexpr std::size_t kPageBytes = 4096;
/// Alignment of saved and loaded tensors, and of buffers placed for speed.
inline constexpr std::size_t kAlignmentBytes = 64;

// Limits. A message beyond one of them is malformed.
inline constexpr std::size_t kNameBytes = 64;  ///< With the terminating NUL: 63 characters.
inline constexpr std::size_t kMaxOperations = 64;
inline constexpr std::size_t kMaxParameters = 32;
inline constexpr std::size_t kMaxRegions = 256;       ///< Accessible parts of the arenas.
inline constexpr std::size_t kMaxTensors = 64;        ///< Saved by, or loaded into, one call.
inline constexpr std::size_t kMaxUpcallBuffers = 16;  ///< Inputs and outputs together.
inline constexpr std::size_t kFrameBytes = std::size_t{16} << 10;  ///< Largest frame, either way.
/// Address space of each arena. Sparse: only pages in use take memory.
inline constexpr std::uint64_t kArenaBytes = std::uint64_t{8} << 30;
/// Longest message to or from a device, and the size of the memory that carries the long ones.
inline constexpr std::uint64_t kDeviceMessageBytes = std::uint64_t{2} << 20;

enum class ElementType : std::uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };

/// How one parameter of an operation travels.
enum class ParameterKind : std::uint8_t {
  kScalar = 1,  ///< By value, in the low bytes of Argument::value.
  kInput,       ///< Read-only memory of the inputs arena.
  kOutput,      ///< Writable memory of the outputs arena; holds poison or a value before the call.
  kSave,        ///< A callback and its context: saves tensors. No element type (kU8).
  kLoad,        ///< A callback and its context: finds saved tensors. No element type (kU8).
};

struct Parameter {
  ParameterKind kind;
  ElementType type;
  bool operator==(const Parameter&) const = default;
};

/// The element type that T travels as. bool travels as u8, enums do not travel.
template <class T>
consteval ElementType ElementTypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return ElementType::kF32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ElementType::kF64;
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                  "only integers, float and double travel between client and host");
    constexpr int kLog2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ElementType>(2 * kLog2 + (std::is_signed_v<T> ? 0 : 1));
  }
}

// ---- Frames -------------------------------------------------------------------------------------

enum class FrameType : std::uint32_t {
  // client → host
  kLayout = 1,
  kCall,
  kUpcallReply,
  kExit,
  // host → client
  kHello,
  kDone,
  kUpcall,
  kReturn,
  // to and from the device of a host that has one
  kDeviceReply,  ///< client → host
  kDeviceCall,   ///< host → client
};

struct FrameHeader {
  FrameType type;
  std::uint32_t length_bytes;  ///< Of the whole frame with this header.
};

/// One accessible part of an arena; all that no region names is inaccessible.
struct Region {
  std::uint64_t offset_bytes;       ///< Multiple of kPageBytes.
  std::uint64_t size_bytes;         ///< Multiple of kPageBytes, not 0.
  std::uint64_t data_offset_bytes;  ///< Of the argument within the arena; the rest is slack, which
  std::uint64_t data_bytes;         ///< a sanitized host poisons.
  std::uint64_t populate_bytes;     ///< Fault in this much of it now. Multiple of kPageBytes.
  std::uint8_t writable;            ///< 0: inputs arena, read-only. 1: outputs arena.
  std::uint8_t reserved[7];
  bool operator==(const Region&) const = default;
};

/// kLayout: replaces the accessible parts of both arenas. Answered by kDone.
struct LayoutFrame {
  FrameHeader header;
  std::uint64_t count;
  Region regions[kMaxRegions];
};

/// Of memory: a null pointer.
inline constexpr std::uint64_t kNullOffset_bytes = ~std::uint64_t{0};

/// An argument of a call, in the order of the operation's parameters. For kSave and kLoad 0.
struct Argument {
  std::uint64_t value;  ///< Scalar: its bytes. Memory: offset in its arena, or kNullOffset_bytes.
};

/// A named tensor: in the inputs arena (loads) or relative to the save area (saves).
struct Tensor {
  char name[kNameBytes];
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
};

/// kCall. Answered by kReturn, after any number of kUpcall.
struct CallFrame {
  FrameHeader header;
  std::uint32_t operation;
  std::uint32_t argument_count;
  std::uint32_t load_count;
  std::uint32_t save_limit_count;   ///< Tensors that may be saved.
  std::uint64_t save_limit_bytes;   ///< Of all saved tensors together.
  std::uint64_t save_offset_bytes;  ///< The save area, in the outputs arena.
  std::uint64_t
      save_bytes;  ///< Size of it, with room for what lies between. 0: nothing may be saved.
  std::uint64_t upcall_offset_bytes;  ///< The area that carries upcalls' buffers, likewise.
  std::uint64_t upcall_bytes;
  Argument arguments[kMaxParameters];
  Tensor loads[kMaxTensors];  ///< Last, so that a call without loads is short.
};

/// kUpcallReply: outputs are in the upcall area where kUpcall said they would be.
struct UpcallReplyFrame {
  FrameHeader header;
  std::int32_t status;
  std::uint32_t reserved;
};

/// kDeviceCall and kDeviceReply: one message to or from the device. What it means is between the
/// ends: cudart/link and gpu/server. Up to kInlineBytes it is here, longer ones are at the start of
/// device memory.
struct DeviceFrame {
  static constexpr std::size_t kInlineBytes = kFrameBytes - 16;
  FrameHeader header;
  std::uint64_t size_bytes;  ///< Of the message, at most kDeviceMessageBytes.
  std::byte message[kInlineBytes];
};

/// kExit and kDone.
struct PlainFrame {
  FrameHeader header;
};

struct OperationEntry {
  char name[kNameBytes];
  std::uint32_t parameter_count;
  Parameter parameters[kMaxParameters];
};

/// kHello: the first message of a conversation.
struct HelloFrame {
  FrameHeader header;
  std::uint32_t version;
  std::uint32_t count;
  OperationEntry operations[kMaxOperations];
};

/// A buffer of an upcall, relative to the upcall area.
struct UpcallBuffer {
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
};

/// kUpcall. The inputs come first in `buffers`.
struct UpcallFrame {
  FrameHeader header;
  std::uint32_t id;
  std::uint32_t input_count;
  std::uint32_t output_count;
  std::uint32_t reserved;
  UpcallBuffer buffers[kMaxUpcallBuffers];
};

/// kReturn.
struct ReturnFrame {
  FrameHeader header;
  std::int32_t status;
  std::uint32_t saved_count;
  Tensor saved[kMaxTensors];
};

/// The bytes of a frame whose last member is an array of which `count` elements are used.
#define ASSAY_WIRE_FRAME_BYTES(Frame, array, count) \
  (offsetof(Frame, array) + (count) * sizeof(Frame::array[0]))

/// Operation 0 of every host: does nothing. For measuring an empty round trip.
inline constexpr char kNopName[] = "assay_nop";
/// Operation 1 of every host: gives memory that was freed back to the system.
inline constexpr char kTrimName[] = "assay_trim";

// ---- Control memory -----------------------------------------------------------------------------

/// One direction of the conversation. The writer alone stores `sequence` and `frame`; the reader
/// alone stores `waiting`.
struct alignas(64) Mailbox {
  std::atomic<std::uint32_t> sequence;  ///< Number of the message in `frame`; the first is 1.
  std::atomic<std::uint32_t> waiting;   ///< Not 0: the reader sleeps on `sequence`.
  alignas(64) std::byte frame[kFrameBytes];
};

/// The whole of control memory.
struct Control {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t host_spin_ns;  ///< How long a host spins for the next message before it sleeps.
  std::uint64_t device_bytes;  ///< Size of device memory; 0: this host has no device.
  Mailbox to_host;
  Mailbox to_client;
};

static_assert(sizeof(Parameter) == 2);
static_assert(sizeof(FrameHeader) == 8);
static_assert(sizeof(Region) == 48);
static_assert(sizeof(Tensor) == kNameBytes + 16);
static_assert(sizeof(OperationEntry) == kNameBytes + 4 + 2 * kMaxParameters);
static_assert(offsetof(CallFrame, arguments) == 64);
static_assert(offsetof(HelloFrame, operations) == 16);
static_assert(offsetof(ReturnFrame, saved) == 16);
static_assert(sizeof(LayoutFrame) <= kFrameBytes && sizeof(CallFrame) <= kFrameBytes &&
              sizeof(HelloFrame) <= kFrameBytes && sizeof(ReturnFrame) <= kFrameBytes);
static_assert(offsetof(DeviceFrame, message) == 16 && sizeof(DeviceFrame) == kFrameBytes);
static_assert(offsetof(Control, to_host) == 64);
static_assert(std::is_trivially_copyable_v<LayoutFrame> && std::is_trivially_copyable_v<CallFrame>);
static_assert(std::is_trivially_copyable_v<HelloFrame> &&
              std::is_trivially_copyable_v<ReturnFrame>);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");
static_assert(sizeof(std::atomic<std::uint32_t>) == 4, "a futex is 32 bits");

}  // namespace assay::wire

#endif  // ASSAY_WIRE_PROTOCOL_H_
