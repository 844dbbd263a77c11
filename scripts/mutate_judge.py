# SPDX-License-Identifier: Apache-2.0
"""Compiles mutants of a baseline, and finds out by the challenge's suite whether they live."""

import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
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


class Judge:
    """Compiles and runs mutants in folders that are used one after the other."""

    def __init__(self, baseline, seeds, jobs, level, to_the_end):
        self.baseline = baseline
        self.to_the_end = to_the_end
        self.seeds = seeds
        self.level = level
        self.temporary = tempfile.TemporaryDirectory(prefix="mutate-")
        self.work = Path(self.temporary.name)
        self.free = list(range(jobs))
        # Those that this process may use, which need not begin with 0.
        self.processors = sorted(os.sched_getaffinity(0))
        self.lock = threading.Lock()
        # The folder's name is in the object code of CUDA, so each has its own original.
        self.original = {slot: self.compiled(slot, None) for slot in range(jobs)}
        if not all(self.original.values()):
            raise Failure(f"the baseline does not compile: {self.compiled(0, None, tell=True)}", 3)
        self.killers = collections.Counter()
        host = self.linked(0)
        by_baseline = {seed: self.ended_by_baseline(0, host, seed) for seed in seeds}
        self.failed_by_baseline = {seed: {name for name, case in ended.items() if case["verdict"] not in PASSES}
                                   for seed, ended in by_baseline.items()}
        # Those that can tell of a mutant: they gate, and the baseline passes them with every seed.
        self.case_names = sorted(name for name, case in by_baseline[seeds[0]].items() if case["gates"]
                                 and not any(name in failed for failed in self.failed_by_baseline.values()))

    def close(self):
        self.temporary.cleanup()

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
                 "--assay_output_bytes=1048576", f"--assay_cpu={self.processors[slot % len(self.processors)]}"]
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

    def ended_by_baseline(self, slot, host, seed):
        """A suite that says nothing of the baseline would kill every mutant."""
        ended = self.ended_cases(slot, host, seed)
        if ended is None:
            raise Failure(f"the suite gives no results for the baseline, seed {seed}", 3)
        return ended

    def ended_cases(self, slot, host, seed):
        """How the cases end, by name: of a suite that is run to its end. None where it gives no
        results."""
        command, results = self.command_of(slot, host, seed)
        try:
            run(command, timeout=SUITE_LIMIT_S)
        except subprocess.TimeoutExpired:
            return None
        if not results.exists():
            return None
        cases = json.loads(results.read_text())["suite"]["cases"]
        for case in cases:
            if case["verdict"] == "judge_error":
                raise Failure(f"the suite cannot judge: {case['name']}: {case['detail']}", 3)
        return {case["name"]: case for case in cases}

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
                    if self.to_the_end:
                        ended = self.ended_cases(slot, host, seed) or {}
                        result["cases"] = {name: one for name, one in ended.items()
                                           if one["verdict"] != "accepted"
                                           and name not in self.failed_by_baseline[seed]}
                    return result
            return {**mutant, "end_state": "lives"}
        finally:
            with self.lock:
                self.free.append(slot)
