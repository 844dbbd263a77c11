// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "gpu/tool/run_document.h"
#include "process/interrupt.h"

namespace assay {
namespace {

/// Standard output is the program's alone: errors go to the error stream in either format.
int FailOnErrorStream(Console& console, OutputFormat format, const Error& error) {
  Console errors = {.out = console.err,
                    .err = console.err,
                    .error_stream = console.error_stream,
                    .columns = console.columns};
  return Fail(errors, format, {}, {error});
}

}  // namespace

CudaServices RealCudaServices() { return {.run = &gpu::RunCuda}; }

int RunCuda(const CudaRunOptions& options, const CudaServices& services, Console& console) {
  const OutputFormat format = options.common.format;
  const auto installation = ThisInstallation();
  if (!installation) {
    return FailOnErrorStream(console, format, installation.error());
  }
  gpu::CudaRunRequest request = options.request;
  request.library_folder = installation->CudaRuntimeLibrary().parent_path();
  const bool as_json = format == OutputFormat::kJson;
  request.keep = as_json || options.json_file ? gpu::KeepLaunches::kYes : gpu::KeepLaunches::kNo;
  const auto run = services.run(request);
  if (!run) {
    return ExitCodeAfterInterrupt(FailOnErrorStream(console, format, run.error()));
  }
  const gpu::GpuModel& model = request.settings.model;
  if (options.json_file) {
    const Status written = WriteFileAtomically(*options.json_file, gpu::RunDocument(*run, model));
    if (!written) {
      return FailOnErrorStream(console, format, written.error());
    }
  }
  console.err << (as_json ? gpu::RunDocument(*run, model)
                          : gpu::RunText(*run, model, options.lines, options.names));
  const gpu::FindingCounts counts = run->summary.finding_counts();
  const bool found = counts.errors + counts.warnings != 0;
  return ExitCodeAfterInterrupt(found ? options.error_exit_code.value_or(run->exit_code)
                                      : run->exit_code);
}

}  // namespace assay
