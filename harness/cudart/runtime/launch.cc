// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "cudart/runtime/cuda_types.h"
#include "cudart/runtime/limits.h"
#include "cudart/runtime/state.h"
#include "emulator/model/occupancy.h"
#include "emulator/report/demangled_kernel.h"

namespace assay::gpu::runtime {
namespace {

bool DimensionsFit(const GridShape& shape) {
  const auto fits = [](unsigned value, unsigned most) { return value >= 1 && value <= most; };
  const std::uint64_t threads =
      std::uint64_t{shape.block.x} * shape.block.y * std::uint64_t{shape.block.z};
  return fits(shape.grid.x, kMostGrid[0]) && fits(shape.grid.y, kMostGrid[1]) &&
         fits(shape.grid.z, kMostGrid[2]) && fits(shape.block.x, kMostBlock[0]) &&
         fits(shape.block.y, kMostBlock[1]) && fits(shape.block.z, kMostBlock[2]) &&
         threads <= kMostThreadsPerBlock;
}

/// Tells why a launch is refused: the code alone does not say which limit it is.
cudaError_t Refuse(State& state, const CUkern_st& kernel, cudaError_t error,
                   const std::string& cause) {
  Notice(state, DemangledKernel(kernel.name), error, cause);
  return error;
}

cudaError_t CheckShape(State& state, const CUkern_st& kernel, const GridShape& shape) {
  const GpuModel& model = state.device->model();
  const KernelResources& resources = kernel.info.resources;
  if (!DimensionsFit(shape)) {
    return Refuse(state, kernel, cudaErrorInvalidConfiguration,
                  fmt::format("cannot be launched as <<<({}, {}, {}), ({}, {}, {})>>>: dimensions "
                              "are 1 to (2147483647, 65535, 65535) and (1024, 1024, 64), and a "
                              "block has up to 1024 threads",
                              shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                              shape.block.y, shape.block.z));
  }
  // Compared without adding first: the sum of what a program asks for may wrap.
  if (shape.shared_bytes > kernel.dynamic_shared_limit_bytes ||
      resources.static_shared_bytes > model.shared_bytes_per_block_optin ||
      shape.shared_bytes > model.shared_bytes_per_block_optin - resources.static_shared_bytes) {
    return Refuse(
        state, kernel, cudaErrorInvalidValue,
        fmt::format("cannot have {} bytes of dynamic shared memory: {} are allowed (raise "
                    "it by cudaFuncAttributeMaxDynamicSharedMemorySize), and {} with its "
                    "{} static bytes on this GPU",
                    shape.shared_bytes, kernel.dynamic_shared_limit_bytes,
                    model.shared_bytes_per_block_optin, resources.static_shared_bytes));
  }
  const unsigned threads = shape.block.x * shape.block.y * shape.block.z;
  if (threads > MostThreads(model, resources)) {
    return Refuse(state, kernel, cudaErrorInvalidValue,
                  fmt::format("cannot have {} threads in a block: its registers and launch bounds "
                              "allow {}",
                              threads, MostThreads(model, resources)));
  }
  if (shape.cooperative) {
    const std::uint64_t blocks_at_once =
        std::uint64_t{model.multiprocessors} *
        TheoreticalOccupancy(model, resources, threads, shape.shared_bytes).blocks_per_sm;
    // At most 2^31 * 65535 * 65535 blocks: the product of three fits 64 bits.
    if (std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z > blocks_at_once) {
      return Refuse(state, kernel, cudaErrorCooperativeLaunchTooLarge,
                    fmt::format("cannot be launched as one cooperative grid: {} of its blocks fit "
                                "on this GPU at once",
                                blocks_at_once));
    }
  }
  return cudaSuccess;
}

cudaError_t PackParameters(const KernelInfo& info, void** arguments,
                           std::vector<std::byte>* parameters) {
  parameters->assign(info.parameter_bytes, std::byte{});
  for (std::size_t i = 0; i < info.parameter_sizes.size(); ++i) {
    if (arguments == nullptr || arguments[i] == nullptr) {
      return cudaErrorInvalidValue;
    }
    std::memcpy(parameters->data() + info.parameter_offsets[i], arguments[i],
                info.parameter_sizes[i]);
  }
  return cudaSuccess;
}

/// CUDA_LAUNCH_BLOCKING=1: launches report faults themselves, as a GPU's then do.
bool LaunchesBlock() {
  static const bool blocks = [] {
    const char* const value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return blocks;
}

}  // namespace

unsigned MostThreads(const GpuModel& model, const KernelResources& resources) {
  unsigned most = std::min(kMostThreadsPerBlock, resources.max_threads_per_block);
  while (most > kWarpThreads && resources.registers_per_thread &&
         TheoreticalOccupancy(model, resources, most, 0).blocks_per_sm == 0) {
    most = (most - 1) / kWarpThreads * kWarpThreads;
  }
  return most;
}

cudaError_t PlanLaunch(State& state, const void* function, const GridShape& shape, void** arguments,
                       Work* work) {
  KernelWork planned;
  if (const cudaError_t error = FindKernel(state, function, &planned.kernel);
      error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = CheckShape(state, *planned.kernel, shape); error != cudaSuccess) {
    return error;
  }
  planned.function = function;
  LaunchRequest& request = planned.request;
  request.kernel = planned.kernel->info.id;
  request.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  request.block = {shape.block.x, shape.block.y, shape.block.z};
  request.dynamic_shared_bytes = shape.shared_bytes;
  request.dynamic_shared_limit_bytes = planned.kernel->dynamic_shared_limit_bytes;
  request.cooperative = shape.cooperative;
  if (const cudaError_t error =
          PackParameters(planned.kernel->info, arguments, &request.parameters);
      error != cudaSuccess) {
    return error;
  }
  *work = std::move(planned);
  return cudaSuccess;
}

cudaError_t PerformLaunch(State& state, const KernelWork& work) {
  LaunchRequest request = work.request;
  if (const cudaError_t error = TranslateHostPointers(state, request.parameters);
      error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = CopyMirrorsToDevice(state); error != cudaSuccess) {
    return error;
  }
  const LaunchOutcome outcome = [&] {
    const DeviceWork work_of_stream(state);
    return state.device->Launch(request);
  }();
  state.time_ns += outcome.modelled_time_ns;
  const auto error = static_cast<cudaError_t>(outcome.error);
  if (error != cudaSuccess && !outcome.sticky) {
    return Fail(state, DemangledKernel(work.kernel->name),
                {.code = outcome.error, .detail = outcome.detail});
  }
  if (error != cudaSuccess) {
    // A GPU tells a kernel's fault at the next call that looks, not at the launch.
    state.sticky = error;
    return LaunchesBlock() ? error : cudaSuccess;
  }
  return CopyMirrorsFromDevice(state);
}

namespace {

cudaError_t Launch(const void* function, const GridShape& shape, void** arguments,
                   cudaStream_t stream) {
  return Enter([&](State& state) {
    Work work;
    const cudaError_t error = PlanLaunch(state, function, shape, arguments, &work);
    return error == cudaSuccess ? Submit(state, stream, std::move(work)) : error;
  });
}

/// Cooperative or not; what cannot be honoured is refused by name.
cudaError_t ReadAttributes(State& state, const cudaLaunchConfig_t& config, GridShape* shape) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) {
      shape->cooperative = attribute.val.cooperative != 0;
    } else if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = attribute.val.clusterDim;
      if (std::uint64_t{cluster.x} * cluster.y * cluster.z != 1) {
        Notice(state, "cudaLaunchKernelExC", cudaErrorNotSupported,
               "thread block clusters are not supported by the emulated GPU; launch without "
               "cudaLaunchAttributeClusterDimension");
        return cudaErrorNotSupported;
      }
    }
  }
  return cudaSuccess;
}

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream) {
  ThreadState& thread = CurrentThread();
  if (thread.configuration_count == ThreadState::kMostConfigurations) {
    return 1;  // nvcc's caller then leaves the launch out.
  }
  thread.configurations[thread.configuration_count++] = {grid, block, shared_bytes, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  ThreadState& thread = CurrentThread();
  if (thread.configuration_count == 0) {
    return Record(cudaErrorMissingConfiguration);
  }
  const CallConfiguration& top = thread.configurations[--thread.configuration_count];
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return Launch(function, {.grid = grid, .block = block, .shared_bytes = shared_bytes}, arguments,
                stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return Launch(function,
                {.grid = grid, .block = block, .shared_bytes = shared_bytes, .cooperative = true},
                arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return Enter([&](State& state) {
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) {
      return cudaErrorInvalidValue;
    }
    GridShape shape{.grid = config->gridDim,
                    .block = config->blockDim,
                    .shared_bytes = config->dynamicSmemBytes};
    if (const cudaError_t error = ReadAttributes(state, *config, &shape); error != cudaSuccess) {
      return error;
    }
    Work work;
    const cudaError_t error = PlanLaunch(state, function, shape, arguments, &work);
    return error == cudaSuccess ? Submit(state, config->stream, std::move(work)) : error;
  });
}

// nvcc 12 and 13 launch through a handle that each stub asks for once. The stub's static
// initialiser has no place for an error, so that an unknown function shows at the launch.
cudaError_t __cudaGetKernel(CUkern_st** kernel, const void* function) {
  State& state = GlobalState();
  const std::lock_guard lock(state.mutex);
  const auto found = state.registry.kernel_by_stub.find(function);
  if (found == state.registry.kernel_by_stub.end()) {
    return Record(cudaErrorInvalidDeviceFunction);
  }
  *kernel = found->second;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(CUkern_st* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return Enter([&](State& state) {
    return kernel == nullptr ? cudaErrorInvalidValue : FindKernel(state, function, kernel);
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
