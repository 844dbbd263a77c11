// SPDX-License-Identifier: Apache-2.0
#include "build/testing/tiny_challenge.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/file.h"
#include "process/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

template <class T>
T OrThrow(Result<T> result) {
  if (!result) {
    throw std::runtime_error(ToString(result.error()));
  }
  return std::move(*result);
}

void Execute(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  const CommandResult result = OrThrow(RunToCompletion(command));
  if (result.exit.code_or_signal != 0) {
    throw std::runtime_error(result.errors);
  }
}

// Two members, as of the host: one function that a submission may define instead is apart, so that
// a plain link would leave out the runtime's.
constexpr std::string_view kCudaMalloc =
    "#include <cuda_runtime_api.h>\n"
    "extern int tiny_launches;\n"
    "extern \"C\" cudaError_t cudaMalloc(void** p, size_t) {\n"
    "  *p = &tiny_launches; return cudaSuccess; }\n";
constexpr std::string_view kCudaRuntime =
    "#include <cuda_runtime_api.h>\n"
    "struct CUkern_st;\n"
    "int tiny_launches = 0;\n"
    "static void* handle = nullptr;\n"
    "extern \"C\" {\n"
    "cudaError_t cudaMemset(void* at, int value, size_t n) {\n"
    "  __builtin_memset(at, value, n); return cudaSuccess; }\n"
    "cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind) {\n"
    "  __builtin_memcpy(to, from, n); return cudaSuccess; }\n"
    "cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {\n"
    "  ++tiny_launches; return cudaSuccess; }\n"
    "cudaError_t __cudaLaunchKernel(CUkern_st*, dim3, dim3, void**, size_t, cudaStream_t) {\n"
    "  ++tiny_launches; return cudaSuccess; }\n"
    "cudaError_t __cudaGetKernel(CUkern_st** k, const void*) { *k = nullptr; return cudaSuccess; "
    "}\n"
    "void** __cudaRegisterFatBinary(void*) { return &handle; }\n"
    "void __cudaRegisterFatBinaryEnd(void**) {}\n"
    "void __cudaUnregisterFatBinary(void**) {}\n"
    "char __cudaInitModule(void**) { return 1; }\n"
    "void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, "
    "void*, "
    "void*, int*) {}\n"
    "unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void*) { return 0; }\n"
    "cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return cudaSuccess; }\n"
    "}\n";

}  // namespace

TinyChallenge::TinyChallenge()
    : directory_(OrThrow(TemporaryDirectory::Create(fs::temp_directory_path(), "tiny"))) {
  Write("challenge/interface.h", "extern \"C\" int twice(int);\n");
  Write("challenge/adapter.cc",
        "#include \"host/adapter.h\"\n#include \"interface.h\"\n"
        "int Operation(int x) { return twice(x); }\n");
  Write("harness/host/adapter.h", "#include \"wire/types.h\"\nint Operation(int);\n");
  Write("harness/wire/types.h", "#include <cstddef>\n");
  Write("harness/gpu/adapter/device_stream.h", "struct CUstream_st;\n");
  // Two members: an archive's member that nothing asks for is left out of a plain link.
  // Leak checking needs ptrace; without /proc the sanitizer reads no environment.
  (void)MakeLibrary("host", {"int Operation(int);\nextern \"C\" int host_runtime();\n"
                             "extern \"C\" const char* __asan_default_options() {\n"
                             "  return \"detect_leaks=0\"; }\n"
                             "int main() { return Operation(host_runtime()); }\n",
                             "extern \"C\" int host_runtime() { return 21; }\n"});
  fs::create_directories(Path("out"));
  submission.directory = Path("submission");
  submission.sources = {"a.cc"};
  fs::create_directories(submission.directory);
  tools.time_limit = std::chrono::seconds(60);
}

fs::path TinyChallenge::Path(const std::string& name) const { return directory_.path() / name; }

void TinyChallenge::Write(const std::string& name, std::string_view content) const {
  if (const Status written = WriteFileAtomically(Path(name), content); !written) {
    throw std::runtime_error(ToString(written.error()));
  }
}

void TinyChallenge::WriteSource(std::string_view content) const {
  Write("submission/a.cc", content);
}

fs::path TinyChallenge::MakeLibrary(const std::string& name,
                                    const std::vector<std::string_view>& members) const {
  return Archive(name, ".cc", {"g++"}, members);
}

fs::path TinyChallenge::MakeCudaLibrary(const std::string& name,
                                        const std::vector<std::string_view>& members) const {
  std::vector<std::string> compiler = {InstalledCuda().nvcc.string()};
  std::ranges::copy(NvccFlags(BuildFlavor::kRelease), std::back_inserter(compiler));
  return Archive(name, ".cu", compiler, members);
}

void TinyChallenge::UseCuda() {
  submission.sources = {"a.cu"};
  std::vector<std::string> compiler = {"g++"};
  std::ranges::copy(HeaderFlags(InstalledCuda()), std::back_inserter(compiler));
  cuda_host_library = Archive("cuda_host", ".cc", compiler, {kCudaRuntime, kCudaMalloc});
}

fs::path TinyChallenge::Archive(const std::string& name, std::string_view extension,
                                const std::vector<std::string>& compiler,
                                const std::vector<std::string_view>& members) const {
  const fs::path library = Path("lib" + name + ".a");
  std::vector<std::string> archive = {"ar", "rc", library};
  for (const std::string_view member : members) {
    const std::string stem = name + std::to_string(archive.size());
    const std::string source = stem + std::string(extension);
    Write(source, member);
    std::vector<std::string> compile = compiler;
    std::ranges::copy(std::initializer_list<std::string>{"-c", "-I", Path("challenge"),
                                                         Path(source), "-o", Path(stem + ".o")},
                      std::back_inserter(compile));
    Execute(compile);
    archive.push_back(Path(stem + ".o"));
  }
  Execute(archive);
  return library;
}

BuildInputs TinyChallenge::Inputs() const {
  return {.submission = submission,
          .challenge_directory = Path("challenge"),
          .harness_directory = Path("harness"),
          .host_library = Path("libhost.a"),
          .cuda_host_library = cuda_host_library,
          .output_directory = Path("out"),
          .tools = tools};
}

Result<SandboxedRun> TinyChallenge::Run(const BuildOutcome& outcome) const {
  const Mount host{.outside = outcome.host_executable, .inside = "/host"};
  SandboxRequest request;
  request.argv = {SeenPath(tools.level, host).string()};
  request.mounts = RuntimeMounts();
  request.mounts.push_back(host);
  ASSAY_ASSIGN_OR_RETURN(auto runs, RunSandboxed(tools.level, {request}, 1));
  return std::move(runs.front());
}

}  // namespace assay
