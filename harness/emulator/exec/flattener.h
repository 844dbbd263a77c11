// SPDX-License-Identifier: Apache-2.0
// Inside of Flatten (flatten.h), which flatten.cc, flatten_calls.cc and flatten_operands.cc share.
//
// Theory. A kernel and all functions that it calls become one list of instructions: each call is
// replaced by a copy of the function's body (inlining), with labels, registers and local variables
// of its own. So nothing has to be saved around a call, and a warp needs no stack of return
// addresses; ret is a jump to the end of the copy. The price is that recursion, which has no end of
// copies, is an error, and that a program that calls much is long. Parameters of a call are .param
// variables in local memory of the caller, and the callee's names for them lead to the same place.
// Local variables of a copy begin where those of its caller end: copies that are never active
// together share memory.
//
// A call through a pointer becomes a comparison with each function that the pointer may hold and a
// copy for it. Those are known, since a module is the whole program: the functions whose address is
// taken somewhere and whose parameters match. Any other value ends the launch when it is called.
//
// What holds while instructions are added: registers are indices into FlatKernel::registers, names
// of variables have become addresses, and targets of branches are labels, numbered over all copies,
// since a jump forward has no index yet. ResolveLabels makes them indices at the end, which all
// exist: an exit is put behind the last instruction. Semantics are those of "PTX ISA".
#ifndef ASSAY_EMULATOR_EXEC_FLATTENER_H_
#define ASSAY_EMULATOR_EXEC_FLATTENER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/exec/flatten.h"
#include "emulator/exec/shared_layout.h"

namespace assay::gpu {

inline constexpr std::uint32_t kFrameAlign = 16;

inline std::uint32_t AlignUp(std::uint32_t value, std::uint32_t align) {
  return align <= 1 ? value : (value + align - 1) / align * align;
}

class Flattener {
 public:
  Flattener(const ptx::Module& module, const ptx::Function& kernel,
            const ModuleAddresses& addresses)
      : module_(module), kernel_(kernel), addresses_(addresses) {}

  /// Once.
  Result<FlatKernel> Run();

 private:
  /// Where a name of a function body is.
  struct Location {
    ptx::Space space = ptx::Space::kGlobal;
    std::uint64_t address = 0;
  };

  /// One inlined copy of a function.
  struct Instance {
    const ptx::Function* function = nullptr;
    const Instance* caller = nullptr;
    std::int32_t first_register = 0;
    std::uint32_t first_label = 0;
    std::uint32_t return_label = 0;
    std::uint32_t frame_end = 0;  ///< Where its local variables end.
    std::map<std::string, Location, std::less<>> names = {};
  };

  /// Parts of `call (returns), target, (arguments), prototype`.
  struct CallParts {
    const ptx::Operand* returns = nullptr;
    const ptx::Operand* target = nullptr;
    const ptx::Operand* arguments = nullptr;
    const ptx::Operand* prototype = nullptr;
  };

  Error Fault(const ptx::Instruction& instruction, std::string cause, std::string remedy) const;

  // flatten.cc: bodies and their instructions.
  Status Inline(Instance& instance);
  Status PlaceVariables(Instance& instance);
  Status AddBody(Instance& instance);
  Status AddInstruction(Instance& instance, const ptx::Instruction& source);
  Status AddCachePolicy(const Instance& instance, const ptx::Instruction& source);
  Status Refuse(const Instance& instance, const ptx::Instruction& source, std::string why);
  Status Add(const Instance& instance, const ptx::Instruction& source, FlatKind kind);
  void AddExit();
  std::uint32_t NewLabels(std::size_t count);
  void Place(std::uint32_t label);
  void ResolveLabels();

  // flatten_operands.cc: registers and names.
  Status ResolveOperand(const Instance& instance, ptx::Instruction& instruction,
                        ptx::Operand& operand);
  Status ResolveName(const Instance& instance, ptx::Instruction& instruction,
                     ptx::Operand& operand);
  std::optional<Location> Find(const Instance& instance, const std::string& name) const;

  // flatten_calls.cc.
  static CallParts PartsOf(const ptx::Instruction& call);
  static bool IsRecursion(const Instance& caller, const ptx::Function& callee);
  Status AddCall(Instance& instance, const ptx::Instruction& call);
  Status AddDirectCall(Instance& instance, const ptx::Instruction& call, const CallParts& parts);
  Status AddBuiltin(const Instance& instance, const ptx::Instruction& call, const CallParts& parts,
                    Builtin builtin);
  bool Bind(const Instance& caller, const ptx::Operand* list,
            const std::vector<ptx::Variable>& variables, Instance& callee) const;
  Status InlineCall(Instance& instance, const ptx::Instruction& call, const CallParts& parts,
                    const ptx::Function& callee);
  Status AddIndirectCall(Instance& instance, const ptx::Instruction& call, const CallParts& parts,
                         std::uint32_t after);
  bool MayCall(const Instance& instance, const ptx::Instruction& call, const CallParts& parts,
               const ptx::Function& candidate) const;
  Status AddCandidate(Instance& instance, const ptx::Instruction& call, const CallParts& parts,
                      const ptx::Function& candidate, std::uint32_t after);
  Status AddBranchIfNot(const Instance& instance, const ptx::Instruction& call,
                        const ptx::Operand& pointer, const ptx::Function& candidate,
                        std::uint32_t next);
  bool HasPrototype(const Instance& instance, const ptx::Instruction& call,
                    const ptx::Function& candidate) const;

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const ModuleAddresses& addresses_;
  FlatKernel flat_;
  std::vector<std::uint32_t> label_places_;  ///< By label: an index of flat_.instructions.
  SharedLayout shared_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_FLATTENER_H_
