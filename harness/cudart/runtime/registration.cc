// SPDX-License-Identifier: Apache-2.0
// What nvcc's generated static constructors call. Nothing is read or parsed here: no device is
// needed yet, and most programs use a few of the kernels that they carry.
#include <cstring>
#include <utility>

#include "cudart/runtime/image.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

Binary* BinaryOf(void** handle) { return static_cast<Binary*>(static_cast<void*>(handle)); }

Symbol* AddSymbol(State& state, void** handle, const void* host_address, const char* name,
                  std::size_t size_bytes) {
  auto& added = state.registry.symbols.emplace_back(std::make_unique<Symbol>());
  added->binary = BinaryOf(handle);
  added->name = name;
  added->size_bytes = size_bytes;
  if (host_address != nullptr) {
    state.registry.symbol_by_host_address[host_address] = added.get();
  }
  return added.get();
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  auto& added = state.registry.binaries.emplace_back(std::make_unique<Binary>());
  added->wrapper = wrapper;
  // Now, from a few headers: a library may be gone from memory when its version is asked for.
  added->toolkit = ToolkitOf(FatBinaryData(wrapper));
  return static_cast<void**>(static_cast<void*>(added.get()));
}

void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}

/// Forgets what host addresses stand for: a library that is loaded where this one was may use them
/// again. Its device memory stays to the end, since static destructors may still copy from it.
void __cudaUnregisterFatBinary(void** handle) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  Binary* const binary = BinaryOf(handle);
  binary->registered = false;
  std::erase_if(state.registry.kernel_by_stub,
                [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(state.registry.symbol_by_host_address,
                [&](const auto& entry) { return entry.second->binary == binary; });
}

void __cudaRegisterFunction(void** handle, const char* stub, char* /*device_stub*/,
                            const char* name, int /*thread_limit*/, uint3* /*thread*/,
                            uint3* /*block*/, dim3* /*block_size*/, dim3* /*grid_size*/,
                            int* /*warp_size*/) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  Registry& registry = state.registry;
  auto& added = registry.kernels.emplace_back(std::make_unique<CUkern_st>());
  added->binary = BinaryOf(handle);
  added->name = name;
  added->stub = stub;
  registry.kernel_by_stub[stub] = added.get();
  registry.kernel_handles.insert(added.get());
}

void __cudaRegisterVar(void** handle, char* host_address, char* /*device_address*/,
                       const char* name, int /*is_extern*/, std::size_t size_bytes,
                       int /*is_constant*/, int /*is_global*/) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  AddSymbol(state, handle, host_address, name, size_bytes);
}

void __cudaRegisterManagedVar(void** handle, void** pointer_address, char* /*device_address*/,
                              const char* name, int /*is_extern*/, std::size_t size_bytes,
                              int /*is_constant*/, int /*is_global*/) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  AddSymbol(state, handle, pointer_address, name, size_bytes)->managed_pointer = pointer_address;
}

void __cudaRegisterHostVar(void** /*handle*/, const char* /*name*/, char* /*host_address*/,
                           std::size_t /*size_bytes*/) {}

// Texture and surface references, which 11 still has, are lacking: what binds or reads one says so.
void __cudaRegisterTexture(void** /*handle*/) {}
void __cudaRegisterSurface(void** /*handle*/) {}

/// Asked before host code first touches a managed variable: loading gives it its address.
char __cudaInitModule(void** handle) {
  const cudaError_t error = Enter([&](State& state) { return Load(state, *BinaryOf(handle)); });
  return error == cudaSuccess ? 1 : 0;
}

}  // extern "C"
}  // namespace assay::gpu::runtime
