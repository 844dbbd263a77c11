// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_MODULE_H_
#define ASSAY_EMULATOR_PTX_MODULE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/opcode.h"

namespace assay::gpu::ptx {

/// A place in the CUDA source, from `.loc`. `file` indexes Module::files; line 0: not known.
struct SourceLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  bool operator==(const SourceLine&) const = default;
};

/// One operand as written.
struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   ///< `%r1`: `index` into Function::registers; `negated` for `!%p1`.
    kImmediate,  ///< `bits`: integers sign-extended to 64 bits, 0f… as 32 bits, 0d… as 64 bits;
                 ///< a literal of a float instruction is of the instruction's own width.
    kSpecial,    ///< `%tid.x`: `special`.
    kVariable,   ///< `name` or `name+8`: the address of `variable`, plus `offset`.
    kAddress,    ///< `[%rd1+8]` (`index` ≥ 0), `[name+8]` (`variable`), or `[4096]` (neither).
    kVector,     ///< `{a, b}`: `elements`.
    kLabel,      ///< `index` into Function::labels.
    kFunction,   ///< `function`: its name. Of a direct call, or an address taken.
    kTable,      ///< `index` into Function::branch_tables (brx.idx), or call_prototypes (call).
    kSink,       ///< `_`: a result that nobody wants.
  };
  Kind kind = Kind::kSink;
  Type type = Type::kNone;  ///< Declared type of the register, or of a special register.
  bool negated = false;
  SpecialRegister special = SpecialRegister::kTidX;
  std::int32_t index = -1;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string name = {};  ///< Of the variable or function.
  std::vector<Operand> elements = {};
};

/// One instruction: an opcode, its modifiers as fields, its operands in the order of PTX
/// (destinations first). `setp` with two destinations `p|q` has them as operands 0 and 1 and
/// `has_second_destination`; so does `shfl.sync d|p`. `call` has kVector of returns (may be
/// empty), kFunction or a register, kVector of arguments, and kTable when indirect. `bra` has a
/// kLabel, `brx.idx` a register and a kTable. Of kUnsupported there are no operands.
struct Instruction {
  Opcode opcode = Opcode::kMov;
  Type type = Type::kNone;         ///< The instruction's type; of cvt, set: the destination's.
  Type source_type = Type::kNone;  ///< cvt, set, and others with two types; of mma: A's.
  Type third_type = Type::kNone;   ///< mma: B's.
  Type fourth_type = Type::kNone;  ///< mma: C's. (`type` is D's.)
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;
  Space space = Space::kGeneric;     ///< Of memory instructions, cvta, isspacep.
  Space to_space = Space::kGeneric;  ///< cp.async: destination's.
  Order order = Order::kWeak;
  Scope scope = Scope::kNone;
  AtomicOp atomic_op = AtomicOp::kNone;  ///< atom, red, redux.
  Mode mode =
      Mode::kNone;  ///< What one word more says: mul.wide, shfl.bfly, vote.ballot, shf.l.clamp.
  std::uint8_t vector = 1;     ///< 1, 2, 4 or 8 elements.
  bool flush_to_zero = false;  ///< .ftz
  bool saturate = false;       ///< .sat, .satfinite
  bool relu = false;
  bool approximate = false;     ///< .approx
  bool to = false;              ///< cvta.to
  bool no_return = false;       ///< .noinc, call.noreturn: unused by most
  bool is_uniform = false;      ///< bra.uni, call.uni
  bool nan_propagates = false;  ///< min.NaN, max.NaN
  bool transposed = false;      ///< ldmatrix.trans
  bool cache_all = false;       ///< cp.async.ca (else .cg)
  bool carry_out = false;       ///< add.cc, addc.cc, mad.lo.cc …
  bool has_second_destination = false;
  bool non_coherent = false;                   ///< ld.global.nc
  bool has_cache_policy = false;               ///< .L2::cache_hint: the last operand is a policy
  bool parity = false;                         ///< mbarrier.test_wait.parity, try_wait.parity
  bool no_complete = false;                    ///< mbarrier.arrive.noComplete
  bool expect_tx = false;                      ///< mbarrier.arrive.expect_tx
  bool aligned = false;                        ///< bar.*, barrier.*.aligned: the warp as a whole
  bool row_a = true;                           ///< mma, wmma: layout of A is row
  bool row_b = false;                          ///< … of B
  bool row_c = true;                           ///< wmma.load.c, wmma.store.d
  MatrixPart matrix_part = MatrixPart::kNone;  ///< wmma.load.{a,b,c}, wmma.store.d
  std::uint16_t m = 0, n = 0, k = 0;           ///< mma, wmma shape; ldmatrix: m=n=8
  std::uint8_t count = 0;                      ///< ldmatrix .x1 .x2 .x4
  std::uint8_t truth_table = 0;                ///< lop3's immLut (also still an operand)

  std::int32_t guard = -1;  ///< Register of `@%p1`; -1: none.
  bool guard_negated = false;
  std::vector<Operand> operands = {};
  std::string spelling = {};  ///< `ld.global.nc.v4.f32`: for the mix and for errors.
  std::string reason = {};    ///< Of kUnsupported: `modifier .bulk`, `special register %pm0`, …
  SourceLine source = {};
  std::uint32_t ptx_line = 0;  ///< 1-based, in the PTX text.
};

struct Register {
  std::string name;
  Type type = Type::kNone;
};

/// A relocation in an initialiser: the 8 bytes at `offset` are the address of `symbol` + `addend`.
struct InitialAddress {
  std::uint64_t offset_bytes = 0;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;  ///< generic(symbol): the generic address.
};

/// `.global`, `.const`, `.shared`, `.local` or `.param`.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;
  std::uint64_t size_bytes = 0;  ///< 0: `.extern .shared x[]`, the dynamic shared memory.
  std::uint32_t align_bytes = 1;
  bool is_extern = false;
  bool is_array = false;
  std::vector<std::uint8_t> initial = {};  ///< Shorter than size: the rest is zero.
  std::vector<InitialAddress> addresses = {};
};

struct Label {
  std::string name;
  std::uint32_t instruction = 0;  ///< Index of the instruction that follows it.
};

struct CallPrototype {
  std::string name;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  ///< `.extern .func`: vprintf, malloc, __assertfail …
  std::vector<Variable> returns = {};
  std::vector<Variable> parameters = {};
  std::vector<Register> registers = {};
  std::vector<Variable> variables = {};  ///< .local, .shared, .param declared in the body; names
                                         ///< are unique in the function (nested scopes renamed).
  std::vector<Label> labels = {};
  std::vector<std::vector<std::uint32_t>> branch_tables = {};  ///< Each entry indexes labels.
  std::vector<CallPrototype> call_prototypes = {};
  std::vector<Instruction> instructions = {};
  std::optional<std::uint32_t> max_threads = {};  ///< product of .maxntid
  std::optional<std::uint32_t> min_blocks_per_sm = {};
  std::optional<std::uint32_t> max_registers = {};                  ///< .maxnreg
  std::optional<std::array<std::uint32_t, 3>> required_block = {};  ///< .reqntid
  std::uint32_t ptx_line = 0;
};

struct Module {
  std::uint32_t version_major = 0, version_minor = 0;  ///< `.version`
  std::string target;                                  ///< `sm_80`
  std::vector<std::string> files = {};                 ///< From `.file`, index as in SourceLine.
  std::vector<Variable> variables = {};                ///< Module scope.
  std::vector<Function> functions = {};

  [[nodiscard]] const Function* FindFunction(std::string_view name) const;
  [[nodiscard]] const Variable* FindVariable(std::string_view name) const;
};

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_MODULE_H_
