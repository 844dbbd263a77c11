#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs by machine in a challenge's baseline and counts those that its suite does not find.

Theory of operation. clang's AST of baseline.cc (or baseline.cu) says where in the reference's own
headers an operator, a constant, a statement, an argument, a type or an atomic operation stands. Each
of them, with one way to get it wrong, is a mutant (mutate_places.py). A sample of them is drawn; each changes one place
in a copy of the reference's folder, is compiled with the baseline's own command and linked in its
place. One that does not compile is none; one whose object code is the baseline's is equivalent and is
none either. The others run the suite: a mutant that fails a case which the baseline does not fail,
gating or not, is killed (what is optional has no case that gates); one that fails none, under another
seed neither, lives. Cases that killed many before it are tried first.

A mutant that lives needs a case, or a reason why it cannot change an answer that the contract fixes:
reference/<challenge>/mutants/by_machine.txt lists those that have one.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from mutate_places import Collector, Places

ROOT = Path(__file__).resolve().parent.parent

PASSES = ("accepted", "skipped")
SUITE_LIMIT_S = 600
MOST_TRIED_FIRST = 12


class Failure(Exception):
    """What to tell the user, and the exit status."""

    def __init__(self, text, status=2):
        super().__init__(text)
        self.status = status


# ---- Building.


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Baseline:
    """How one half of a challenge's baseline is compiled and linked."""

    def __init__(self, challenge, half, build):
        self.challenge = challenge
        self.folder = (ROOT / "reference" / challenge).resolve()
        if not self.folder.is_dir():
            raise Failure(f'there is no challenge "{challenge}" in reference/')
        self.source = self.folder / ("baseline.cu" if half == "cuda" else "baseline.cc")
        if not self.source.exists():
            raise Failure(f"{self.source.relative_to(ROOT)} does not exist; give --half=cpu or cuda")
        self.build = build
        host = f"reference/{challenge}/baseline_host"
        commands = run(["ninja", "-C", str(build), "-t", "commands", host]).stdout.splitlines()
        self.compile = self.one_of(commands, f"-c {self.source}")
        self.link = self.one_of(commands, f"-o {host} ")
        self.object = re.search(r"-o (\S+\.o)", self.compile).group(1)

    @staticmethod
    def one_of(commands, part):
        found = [command for command in commands if part in command]
        if not found:
            raise Failure(f"no command of the build has {part!r}; run scripts/build release assay_all")
        return found[-1]

    def command_for(self, copy, output):
        """Compiles the copy's source: without line numbers, which are no code."""
        command = self.compile.split(" && /usr/bin/cmake -E cmake_transform_depfile")[0]
        command = re.sub(r"env (\S+=\S* )*\S*ccache ", "", command)
        command = re.sub(r" -M[TF] \S+", "", command.replace(" -MD ", " "))
        command = command.replace(" -lineinfo", "").replace(" -Werror all-warnings", "")
        command = command.replace(" -Werror", " -w").replace(str(self.folder), str(copy))
        return re.sub(r"-o \S+\.o", f"-o {output}", command)

    def ast(self, stubs):
        """clang's AST of the half, as JSON."""
        includes = [f"-I{ROOT}/challenges/{self.challenge}", f"-I{self.folder}"]
        kind = ["-std=c++20", "-march=native"]
        if self.source.suffix == ".cu":
            # What CUDA 13 no longer has, and this clang asks for.
            (stubs / "texture_fetch_functions.h").write_text("")
            (stubs / "surface_functions.h").write_text(
                'extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, void* = 0);\n')
            kind = ["-std=c++17", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80",
                    "-nocudalib", "-Wno-unknown-cuda-version", f"-I{stubs}"]
        command = ["clang++-19", *kind, *includes, "-fsyntax-only", "-Wno-everything",
                   "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=assay", str(self.source)]
        try:
            text = run(command).stdout
        except FileNotFoundError as missing:
            raise Failure("clang++-19 is not there; run scripts/setup --fuzz") from missing
        decoder, at, roots = json.JSONDecoder(), 0, []
        while (at := text.find("{", at)) >= 0:
            root, at = decoder.raw_decode(text, at)
            roots.append(root)
        if not roots:
            raise Failure(f"clang gives no AST of {self.source}")
        return roots

    def mutants(self):
        with tempfile.TemporaryDirectory() as stubs:
            roots = self.ast(Path(stubs))
        collector = Collector(Places(self.folder))
        for root in roots:
            collector.visit(root)
        return [{"file": Path(file).name, "begin": begin, "end": end, "to": to, "operator": operator}
                for (file, begin, end, to), operator in sorted(collector.found.items())]


def code_of(path):
    """What of an object file runs: everything but its symbols and notes."""
    stripped = str(path) + ".stripped"
    run(["objcopy", "--strip-all", "--remove-section=.comment", "--remove-section=.note*",
         str(path), stripped])
    return hashlib.sha256(Path(stripped).read_bytes()).hexdigest()


# ---- Judging.


class Judge:
    """Compiles and runs mutants in folders that are used one after the other."""

    def __init__(self, baseline, seeds, jobs, level, whole):
        self.baseline = baseline
        self.whole = whole
        self.seeds = seeds
        self.level = level
        self.work = Path(tempfile.mkdtemp(prefix="mutate-"))
        self.free = list(range(jobs))
        self.lock = threading.Lock()
        # The folder's name is in the object code of CUDA, so each has its own original.
        self.original = {slot: self.compiled(slot, None) for slot in range(jobs)}
        if not all(self.original.values()):
            raise Failure(f"the baseline does not compile: {self.compiled(0, None, tell=True)}", 3)
        self.killers = collections.Counter()
        self.failed_by_baseline = {seed: set() for seed in seeds}
        host = baseline.build / "reference" / baseline.challenge / "baseline_host"
        for seed in seeds:
            self.failed_by_baseline[seed] = {
                name for name, case in self.failing_cases(0, host, seed).items()
                if case["verdict"] not in PASSES}

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def compiled(self, slot, mutant, tell=False):
        copy = self.work / str(slot) / "reference"
        shutil.rmtree(copy, ignore_errors=True)
        ignored = shutil.ignore_patterns("mutants", "controls", "anchors", "kept_seeds", "*.json")
        shutil.copytree(self.baseline.folder, copy, ignore=ignored)
        if mutant is not None:
            path = copy / mutant["file"]
            text = path.read_bytes()
            path.write_bytes(text[:mutant["begin"]] + mutant["to"].encode() + text[mutant["end"]:])
        output = self.work / str(slot) / "half.o"
        made = run(self.baseline.command_for(copy, output), shell=True, cwd=self.baseline.build)
        if tell:
            return made.stderr
        return code_of(output) if made.returncode == 0 else None

    def linked(self, slot):
        host = self.work / str(slot) / "host"
        command = self.baseline.link.replace(f"-o reference/{self.baseline.challenge}/baseline_host",
                                             f"-o {host}")
        object_file = os.path.relpath(self.baseline.build / self.baseline.object, self.baseline.build)
        command = command.replace(f" {object_file}", f" {self.work / str(slot) / 'half.o'}")
        made = run(command, shell=True, cwd=self.baseline.build)
        if made.returncode != 0:
            raise Failure(f"a mutant does not link: {made.stderr[-400:]}", 3)
        return host

    def command_of(self, slot, host, seed, cases=()):
        """Runs the suite, or those cases of it; and where its results are then."""
        folder = self.baseline.build / "reference" / self.baseline.challenge
        results = self.work / str(slot) / "results.json"
        results.unlink(missing_ok=True)
        words = [folder / "suite", f"--assay_host={host}", f"--assay_results={results}",
                 f"--assay_baseline={folder / 'baseline_host'}", "--assay_flavor=release",
                 f"--assay_level={self.level}", f"--assay_seed={seed}",
                 "--assay_case_limit_ms=20000", "--assay_memory_bytes=2147483648",
                 "--assay_output_bytes=1048576", f"--assay_cpu={slot}"]
        words += [f"--gtest_filter={':'.join(cases)}"] if cases else []
        return [str(word) for word in words], results

    def failing_case(self, slot, host, seed):
        """The first case that fails and is right in the baseline, or None.

        A suite that does not end is a failing one.
        """
        with self.lock:
            tried_first = [name for name, _ in self.killers.most_common(MOST_TRIED_FIRST)]
        if tried_first:
            command, _ = self.command_of(slot, host, seed, tried_first)
            if (found := self.first_failing(command, seed)) is not None:
                return found
        command, results = self.command_of(slot, host, seed)
        if (found := self.first_failing(command, seed)) is not None:
            with self.lock:
                self.killers[found] += 1
            return found
        return None if results.exists() else "(no results)"

    def failing_cases(self, slot, host, seed):
        """How the cases end that are not accepted, by name: of a suite that is run to its end."""
        command, results = self.command_of(slot, host, seed)
        try:
            run(command, timeout=SUITE_LIMIT_S)
        except subprocess.TimeoutExpired:
            return {}
        cases = json.loads(results.read_text())["suite"]["cases"] if results.exists() else []
        return {case["name"]: case for case in cases if case["verdict"] != "accepted"}

    def first_failing(self, command, seed):
        """Runs a suite until a case fails that the baseline does not: its name. None for one that
        ended before."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as suite:
            too_long = threading.Timer(SUITE_LIMIT_S, suite.kill)
            too_long.start()
            try:
                for line in suite.stdout:
                    # `@case <number> <of> <name> <verdict>`, written as each ends.
                    words = line.split()
                    if len(words) != 5 or words[0] != "@case" or words[4] in PASSES:
                        continue
                    if words[4] == "judge_error":
                        raise Failure(f"the suite cannot judge {words[3]}", 3)
                    if words[3] not in self.failed_by_baseline[seed]:
                        return words[3]
                return None if too_long.is_alive() else "(no end)"
            finally:
                too_long.cancel()
                suite.kill()

    def judge(self, mutant):
        with self.lock:
            slot = self.free.pop()
        try:
            code = self.compiled(slot, mutant)
            if code is None:
                return {**mutant, "end_state": "does not compile"}
            if code == self.original[slot]:
                return {**mutant, "end_state": "same code"}
            host = self.linked(slot)
            for seed in self.seeds:
                if case := self.failing_case(slot, host, seed):
                    result = {**mutant, "end_state": "killed", "by": case}
                    if json.dumps(mutant, sort_keys=True) in self.whole:
                        result["cases"] = self.failing_cases(slot, host, seed)
                    return result
            return {**mutant, "end_state": "lives"}
        finally:
            with self.lock:
                self.free.append(slot)


# ---- Telling.


def described(mutant, folder):
    text = (folder / mutant["file"]).read_bytes()
    line = text.count(b"\n", 0, mutant["begin"]) + 1
    old = " ".join(text[mutant["begin"]:mutant["end"]].decode().split())
    new = " ".join(mutant["to"].split())
    first = text.rfind(b"\n", 0, mutant["begin"]) + 1
    whole = text[first:text.find(b"\n", mutant["begin"])].decode().strip()
    return line, old, new, whole


def reasons_of(folder):
    """Lines `file | text of the line | old -> new | reason`; the code may have a bar itself."""
    path = folder / "mutants" / "by_machine.txt"
    reasons = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if line and not line.startswith("#"):
            if line.count(" | ") < 3:
                raise Failure(f"{path.relative_to(ROOT)}:{number}: not `file | line | old -> new | reason`")
            reasons.append(line)
    return reasons


def tell(results, folder):
    reasons = reasons_of(folder)
    lived, explained = [], 0
    for mutant in results:
        if mutant["end_state"] == "lives":
            line, old, new, whole = described(mutant, folder)
            about = f"{mutant['file']} | {whole} | {old} -> {new} | "
            if any(reason.startswith(about) for reason in reasons):
                explained += 1
            else:
                lived.append(f"{mutant['file']}:{line}: {mutant['operator']}: {old} -> {new}\n    {whole}")
    print("| operator | drawn | do not compile | same code | killed | live |\n|---|---|---|---|---|---|")
    operators = sorted({mutant["operator"] for mutant in results}) + ["all"]
    for operator in operators:
        ends = [mutant["end_state"] for mutant in results if operator in ("all", mutant["operator"])]
        counts = [ends.count(end) for end in ("does not compile", "same code", "killed", "lives")]
        print(f"| {operator} | {len(ends)} | " + " | ".join(map(str, counts)) + " |")
    judged = sum(mutant["end_state"] in ("killed", "lives") for mutant in results)
    print(f"\n{judged} changed the code; {len(lived)} live without a reason, {explained} with one.")
    for each in lived:
        print(each)
    return len(lived)


def arguments_of():
    parser = argparse.ArgumentParser(
        prog="scripts/mutate", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
        epilog="""Results are kept in .assay/mutate/, by what the mutant, the baseline and the suite are, so that a
run that was cut off goes on. Exit status: 0 when none lives without a reason, 1 when some does, 2 for
usage, 3 when the baseline itself does not compile or link.

scripts/mutate sets up and builds what it needs; mutate.py by itself takes the build that is there.""")
    parser.add_argument("challenge", metavar="CHALLENGE")
    parser.add_argument("--half", choices=("cpu", "cuda"), default="cpu", help="of the baseline (cpu)")
    parser.add_argument("--count", type=int, default=60, help="how many to draw (60); 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="judged at once (one a processor)")
    parser.add_argument("--whole", type=int, default=0, metavar="N",
                        help="of the first N drawn, run the suite to its end and keep what failed (0)")
    parser.add_argument("--level", default="full", help="of the sandbox (full)")
    parser.add_argument("--list", action="store_true", help="print the drawn ones, and run none")
    return parser.parse_args()


def main():
    options = arguments_of()
    build = ROOT / "build" / os.environ.get("PRESET", "release")
    baseline = Baseline(options.challenge, options.half, build)
    mutants = baseline.mutants()
    total = len(mutants)
    if 0 < options.count < total:
        mutants = random.Random(options.seed).sample(mutants, options.count)
    if options.list:
        for mutant in mutants:
            line, old, new, _ = described(mutant, baseline.folder)
            print(f"{mutant['file']}:{line}: {mutant['operator']}: {old} -> {new}")
        return 0
    print(f"{options.challenge}, {options.half}: {len(mutants)} of {total} mutants", file=sys.stderr)

    suite = build / "reference" / options.challenge / "suite"
    # All that a mutant may be in: a place is an offset in one of these.
    sources = b"".join(path.read_bytes() for path in sorted(baseline.folder.glob("*"))
                       if path.suffix in (".h", ".cuh", ".cc", ".cu"))
    of_all = hashlib.sha256(sources + suite.read_bytes()).hexdigest()
    kept_path = ROOT / ".assay" / "mutate" / f"{options.challenge}-{options.half}.json"
    kept = json.loads(kept_path.read_text()) if kept_path.exists() else {}
    kept = kept if kept.get("of") == of_all else {"of": of_all, "results": {}}
    kept_path.parent.mkdir(parents=True, exist_ok=True)

    def key(mutant):
        return json.dumps(mutant, sort_keys=True)

    results = [kept["results"][key(mutant)] for mutant in mutants if key(mutant) in kept["results"]]
    waiting = [mutant for mutant in mutants if key(mutant) not in kept["results"]]
    if not waiting:
        return 1 if tell(results, baseline.folder) else 0
    judge = Judge(baseline, seeds=(1, 2), jobs=max(options.jobs, 1), level=options.level,
                  whole={key(mutant) for mutant in mutants[:options.whole]})
    try:
        with concurrent.futures.ThreadPoolExecutor(len(judge.free)) as pool:
            for mutant, result in zip(waiting, pool.map(judge.judge, waiting)):
                results.append(result)
                kept["results"][key(mutant)] = result
                written = kept_path.with_suffix(".new")
                written.write_text(json.dumps(kept))
                written.replace(kept_path)
                line, old, new, _ = described(mutant, baseline.folder)
                by = f" by {result['by']}" if "by" in result else ""
                print(f"[{len(results)}/{len(mutants)}] {mutant['file']}:{line}: {old} -> {new}: "
                      f"{result['end_state']}{by}", file=sys.stderr, flush=True)
    finally:
        judge.close()
    return 1 if tell(results, baseline.folder) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"scripts/mutate: {failure}", file=sys.stderr)
        sys.exit(failure.status)
