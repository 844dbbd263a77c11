# SPDX-License-Identifier: Apache-2.0
"""Where a bug can be planted by machine, and how: places in clang's AST with what stands there wrong.

Of each operator, constant, statement, pair of equal arguments, type and atomic operation that the AST
shows in the reference's own headers, one or two mutants. What a macro wrote has no place of its own and
is left out.
"""

import re
from pathlib import Path

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<",
              "&": "|", "|": "&", "^": "|", "&&": "||", "||": "&&",
              "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="}
NARROWER = {"double": "float", "std::size_t": "std::uint16_t", "size_t": "unsigned short",
            "std::uint64_t": "std::uint32_t", "std::int64_t": "std::int32_t",
            "std::uint32_t": "std::uint16_t", "std::int32_t": "std::int16_t"}
BARRIER = re.compile(r"^(__sync\w+|__threadfence\w*|\w*(Barrier|Sync)\w*|[\w:]+::Sync)\s*\(")
ATOMICS = {"atomicAdd": "*({0}) + ({1})", "atomicExch": "{1}"}


class Places:
    """The places of nodes. clang writes a file's name only where it differs from that before."""

    def __init__(self, folder):
        self.folder = folder
        self.file = None
        self.texts = {}

    def text(self, name):
        if name not in self.texts:
            path = Path(name)
            inside = path.resolve().is_relative_to(self.folder) and path.suffix in (".h", ".cuh")
            self.texts[name] = path.read_bytes() if inside else None
        return self.texts[name]

    def at(self, place):
        """(file, offset, length) of a token, or None for one that a macro wrote."""
        found = None
        for part in ("spellingLoc", "expansionLoc"):
            if part in place:
                self.file = place[part].get("file", self.file)
        self.file = place.get("file", self.file)
        if "offset" in place:
            found = (self.file, place["offset"], place["tokLen"])
        return found


def span_of(node, places):
    """Visits the places of a node in the order in which clang wrote them: (file, begin, end)."""
    if "loc" in node:
        places.at(node["loc"])
    extent = node.get("range", {})
    begin = places.at(extent["begin"]) if extent.get("begin") else None
    end = places.at(extent["end"]) if extent.get("end") else None
    if begin is None or end is None or begin[0] != end[0] or places.text(begin[0]) is None:
        return None
    return begin[0], begin[1], end[1] + end[2]


class Collector:
    """All mutants of an AST: (file, begin, end, replacement, operator), each once."""

    def __init__(self, places):
        self.places = places
        self.found = {}

    def add(self, span, replacement, operator):
        file, begin, end = span
        old = self.places.text(file)[begin:end].decode()
        if old != replacement:
            self.found.setdefault((file, begin, end, replacement), operator)

    def words(self, span):
        return self.places.text(span[0])[span[1]:span[2]].decode()

    def visit(self, node, parent_kind=None):
        span = span_of(node, self.places)
        children = []
        for child in node.get("inner", []):
            if child:
                children.append((child, self.visit(child, node.get("kind"))))
        if span is not None:
            self.mutate(node, parent_kind, span, children)
        return span

    def mutate(self, node, parent_kind, span, children):
        kind = node["kind"]
        if kind in ("BinaryOperator", "CompoundAssignOperator") and len(children) == 2:
            self.operator(node["opcode"], span, children[0][1], children[1][1])
        elif kind == "IntegerLiteral":
            self.integer(span)
        elif kind == "FloatingLiteral":
            self.add(span, f"({self.words(span)} * 1.001F)", "constant")
        elif kind == "CXXBoolLiteralExpr":
            self.add(span, "false" if self.words(span) == "true" else "true", "constant")
        elif kind == "ConditionalOperator" and all(child[1] for child in children):
            one, other = self.words(children[1][1]), self.words(children[2][1])
            self.add((span[0], children[1][1][1], children[2][1][2]), f"{other} : {one}", "arguments")
        elif kind == "VarDecl":
            self.declaration(span)
        elif kind in ("CallExpr", "CXXMemberCallExpr"):
            self.call(span, children)
        if parent_kind == "CompoundStmt" and kind.endswith(("Operator", "CallExpr")):
            barrier = BARRIER.match(self.words(span))
            self.add(span, "(void)0", "barrier" if barrier else "statement")

    def operator(self, opcode, span, left, right):
        if left is None or right is None or left[0] != right[0] or left[2] > right[1]:
            return
        between = self.places.text(left[0])[left[2]:right[1]].decode()
        if between.count(opcode) != 1 or "/*" in between or "//" in between:
            return
        begin = left[2] + between.index(opcode)
        place = (span[0], begin, begin + len(opcode))
        if opcode in RELATIONS:
            self.add(place, RELATIONS[opcode], "relation")
        elif opcode in ARITHMETIC:
            self.add(place, ARITHMETIC[opcode], "arithmetic")

    def integer(self, span):
        words = self.words(span)
        self.add(span, f"({words} + 1)", "constant")
        if words.rstrip("uUlLzZ") != "0":
            self.add(span, f"({words} - 1)", "constant")

    def declaration(self, span):
        words = self.words(span)
        for wide, narrow in NARROWER.items():
            match = re.match(rf"((?:const |constexpr |static )*){re.escape(wide)}\b(?! *\*)", words)
            if match:
                begin = span[1] + len(match.group(1))
                self.add((span[0], begin, begin + len(wide)), narrow, "type")
                return

    def call(self, span, children):
        arguments = children[1:]
        for (one, at), (other, beside) in zip(arguments, arguments[1:]):
            same = one.get("type", {}).get("qualType") == other.get("type", {}).get("qualType")
            if at and beside and same and at[0] == beside[0] and at[2] <= beside[1]:
                text = self.places.text(at[0])
                swapped = text[beside[1]:beside[2]] + text[at[2]:beside[1]] + text[at[1]:at[2]]
                self.add((at[0], at[1], beside[2]), swapped.decode(), "arguments")
        now = ATOMICS.get(self.words(span).split("(")[0])
        if now and len(arguments) >= 2 and all(at for _, at in arguments):
            words = [self.words(at) for _, at in arguments]
            self.add(span, f"(*({words[0]}) = {now.format(*words)})", "atomic")
