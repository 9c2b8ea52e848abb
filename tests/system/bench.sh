#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/run on a small queue: JSON lines with the members that bench/README.md promises, tables, a picture, refusals. No files are left.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export B
for program in fairlead fairlead-schedd bench/full_run bench/multifactor bench/dispatch bench/traces bench/steps bench/replay bench/whatif bench/stream bench/events bench/journal bench/gdi bench/post bench/take bench/reload bench/read_section bench/visible bench/run_under_readers bench/host_round; do
	[ -x "$B/$program" ] || { echo "no $B/$program"; exit 77; }
done
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
# sanitizers have a memory of their own, which is not counted
! nm -D "${B:-build}/libfairlead.so" | grep -q '__asan_\|__tsan_\|__ubsan_' || { echo "${B:-build} is built with sanitizers"; exit 77; }
work=$(mktemp -d) && FAIRLEAD_SHM=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) && export FAIRLEAD_SHM || exit 1
trap 'rm -rf "$work" "$FAIRLEAD_SHM"' EXIT
failures=0

fail() {
	echo "FAIL $1"
	failures=$((failures + 1))
}

bench/run --quick --jobs 2000 --users 50 --json >"$work/lines" 2>"$work/err" || fail "--json: exit status $?"
python3 - "$work/lines" <<'END' || fail "--json: the lines are not as promised"
import json
import math
import os
import re
import sys


def refuse(text):
    raise ValueError(f"{text} is no JSON number")


rows = re.findall(r"^\| `(\w+)` \| (`.*`) \|$", open("bench/README.md").read(), re.M)
promised = {what: re.findall(r"`(\w+)`", members) for what, members in rows}
lines = [json.loads(line, parse_constant=refuse) for line in open(sys.argv[1])]
for line in lines:
    members = list(line)[1:]
    without = [] if line.get("bytes_per_job") else ["times_limit"]  # a phase that needs to touch nothing
    assert members == [m for m in promised[line["what"]] if m not in without], (members, promised[line["what"]])
    for name, value in line.items():
        assert isinstance(value, str) or (math.isfinite(value) and value >= 0), (name, line)
kinds = {line["what"] for line in lines}
assert kinds == {"stream", "latency", "full_run", "phase", "changed_run", "stat", "distance", "dispatch", "dispatch_phase", "steps", "steps_phase", "replay", "replay_phase", "whatif", "events", "journal", "gdi", "post", "post_update", "post_memory", "take", "reload",
                 "read_section", "visible", "look",
                 "run_under_readers", "host_round", "multifactor", "multifactor_phase", "multifactor_read", "accounts",
                 "classad", "traces", "negotiate", "negotiate_phase"}, kinds

runs = [line for line in lines if line["what"] == "full_run"]
cpus = len(os.sched_getaffinity(0))
assert [line["workers"] for line in runs] == sorted({1, min(2, cpus), cpus}), runs
assert all(line["chunks_shared"] <= line["chunks"] for line in lines if "chunks" in line), runs
for workers in sorted({1, min(2, cpus), cpus}):
    changed = [line for line in lines if line["what"] == "changed_run" and line["workers"] == workers]
    assert [(line["changes"], line["changed_jobs"]) for line in changed] == [("spread", 20), ("clustered", 20), ("ends", 20)], changed
lines = [line for line in lines if line.get("workers", 1) == 1]
run, = [line for line in lines if line["what"] == "full_run"]
assert (run["policy"], run["jobs"], run["users"], run["workers"]) == ("default", 2000, 50, 1), run
assert 0 < run["best_ns_per_job"] <= run["ns_per_job"], run
assert run["generation_bytes_per_job"] < run["shared_bytes_per_job"] <= run["bytes_per_job"] < 100000, run
phases = [line for line in lines if line["what"] == "phase" and line["changes"] == "none"]
assert sum(phase["ns_per_job"] for phase in phases) > 0, phases
assert [line["phase"] for line in lines if line["what"] == "distance"] == [phase["phase"] for phase in phases] + ["run"]
passes = [line for line in lines if line["what"] == "multifactor"]
assert [(line["jobs"], line["associations"]) for line in passes] == [(2000, 272)], passes
assert all(0 < line["best_pass_ns_per_job"] <= line["pass_ns_per_job"] <= line["ns_per_job"] for line in passes), passes
assert [line["phase"] for line in lines if line["what"] == "multifactor_phase"] == [phase["phase"] for phase in phases]
assert [line["command"] for line in lines if line["what"] == "multifactor_read"] == ["prio", "prio --json", "share", "stat"]
farm, = [line for line in lines if line["what"] == "dispatch"]
assert 0 < farm["starts"] <= 50 * 2 * 3 and farm["reservations"] == 10 and farm["running"] == 200, farm
assert 0 < farm["best_run_ns"] <= farm["run_ns"] and farm["bytes_per_start"] > 0, farm
assert [line["phase"] for line in lines if line["what"] == "dispatch_phase"] == [phase["phase"] for phase in phases]
assert sum(line["ns"] for line in lines if line["what"] == "dispatch_phase") > 0, farm
held, = [line for line in lines if line["what"] == "steps"]
assert (held["jobs"], held["running"], held["ends"]) == (50, 20, 1) and 0 < held["best_run_ns"] <= held["run_ns"], held
assert [line["phase"] for line in lines if line["what"] == "steps_phase"] == [phase["phase"] for phase in phases]
made, kept = [line for line in lines if line["what"] == "replay"]
assert (made["jobs"], made["started"], made["held"]) == (300, 300, 0) and 0 < made["utilisation"] <= 1 and made["ns"] > 0, made
assert kept["held"] == 50 and 40 < kept["pending_mean"] <= 50 and kept["started"] > 50, kept
assert [line["phase"] for line in lines if line["what"] == "replay_phase"] == 2 * [phase["phase"] for phase in phases]
asked = [line for line in lines if line["what"] == "whatif"]
assert [line["questions"] for line in asked] == [1, 2, 10] and all(0 < line["best_ns"] <= line["ns"] for line in asked), asked
assert [line["path"] for line in lines if line["what"] == "events"] == ["parse+apply", "socket"]
assert [line["content"] for line in lines if line["what"] == "gdi"] == ["jobs", "complete jobs", "usage", "load"]
assert all(line["check_ns_each"] > 0 and line["ns_each"] > 0 for line in lines if line["what"] == "gdi"), lines
END

# Computations on figures, with figures whose results are known.
python3 - <<'END' || fail "figures.py"
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "bench")
import figures


def run(ns, **members):
    return {"what": "full_run", "policy": "default", "jobs": 1000000, "users": 1000, "workers": 1, "ns_per_job": ns, "bytes_per_job": 512.0,
            **members}


def farm(ns, running=0, max_reservation=0):
    return {"what": "dispatch", "farm": "mixed", "jobs": 1000000, "instances": 10000, "categories": 100, "adjust": 1, "running": running,
            "max_reservation": max_reservation, "run_ns": ns}


measured = [run(200.0), run(100.0, workers=2), run(300.0, jobs=10000000), run(520.0, users=10000),
            farm(600000000.0), farm(400000000.0, running=20000), farm(500000000.0, running=20000, max_reservation=1000),
            {"what": "events", "path": "parse+apply", "jobs": 200000, "users": 1000, "per_second": 150000.0},
            {"what": "gdi", "content": "jobs", "objects": 100000, "mb_per_s": 600.0},
            {"what": "host_round", "processes": 10000, "tasks": 1000, "running": False, "round_cpu_ns": 4000000},
            {"what": "host_round", "processes": 10000, "tasks": 1000, "running": True, "round_cpu_ns": 12000000},
            {"what": "multifactor", "jobs": 1000000, "associations": 10222, "workers": 1, "pass_ns_per_job": 25.0},
            {"what": "negotiate", "shape": "empty", "slots": 100000, "jobs": 1000000, "ns": 500000000},
            {"what": "stat", "jobs": 1000000, "users": 1000, "text_ns_per_job": 250.0, "json_ns_per_job": 2000.0, "explain_ns": 1500000000.0},
            {"what": "read_section", "scheme": "fairlead", "readers": 8, "ratio_to_memb": 9.0, "ratio_to_memb_call": 9.0},
            {"what": "read_section", "scheme": "fairlead", "readers": 1, "ratio_to_memb": 3.0, "ratio_to_memb_call": 1.5},
            {"what": "run_under_readers", "jobs": 100000, "readers": 1, "ratio": 9.0, "cpu_ratio": 9.0},
            {"what": "run_under_readers", "jobs": 100000, "readers": 8, "ratio": 9.0, "cpu_ratio": 1.05}]
values = {budget["name"]: (budget["value"], budget["ratio"]) for budget in figures.budgets(measured)}
assert values == {"full_run_1M_one_core": (200, 0.8), "speedup_two_workers": (2, 0.85), "full_run_10M_over_1M": (1.5, 1),
                "users_10000_over_1000": (2.6, 2), "memory_1M": (512, 2), "read_section_over_memb_called": (1.5, 0.75),
                "read_section_over_memb_inlined": (3, 1.5), "run_cpu_under_eight_readers": (1.05, 1),
                "stat_1M": (250, 0.5), "stat_json_1M": (2000, 2), "explain_1M": (1500000000, 1.5), "events": (150000, 2), "gdi_decoding": (600, 0.5), "multifactor_pass_1M": (25, 0.5), "negotiate_empty": (500000000, 0.5),
                "dispatch_50000_slots": (600000000, 0.6), "reservations_1000": (1.25, 1.042),
                "host_round_sleeping": (4000000, 0.4), "host_round_running": (12000000, 1.2)}, values
assert figures.budgets([]) == []

repeats = [[run(200.0), {"what": "stream", "kernel": "read", "threads": 1, "bytes": 8, "gb_per_s": 5.0}],
           [run(210.0, bytes_per_job=500.0), {"what": "stream", "kernel": "read", "threads": 1, "bytes": 8, "gb_per_s": 6.0}]]
assert figures.best(repeats) == [run(200.0, bytes_per_job=500.0),
                                 {"what": "stream", "kernel": "read", "threads": 1, "bytes": 8, "gb_per_s": 6.0}]
machine = [{"what": "stream", "kernel": "triad", "threads": n, "bytes": 8, "gb_per_s": 8.0 * n} for n in (1, 2)]
phase = {"phase": "urgency", "ns_per_job": 16.0}
bytes_per_job = sum(figures.PHASE_BYTES["urgency"])
for workers in (1, 2):
    near = figures.distances(run(200.0, workers=workers), [phase], machine)[0]
    assert near["limit_ns_per_job"] == bytes_per_job / (8 * workers) and near["times_limit"] == 16 * 8 * workers / bytes_per_job, near
END

bench/run --quick --jobs 2000 --users 50 >"$work/table" 2>>"$work/err" || fail "table: exit status $?"
grep -q '^  full run .* ns/job' "$work/table" || fail "table: no full run"
grep -q '^    tickets .* ns/job .* x the memory' "$work/table" || fail "table: no distance to the memory's limit"
grep -q '^  pass .* ns/job' "$work/table" || fail "table: no pass of Slurm's priorities"
grep -q '^  1 % ends .* chunks shared' "$work/table" || fail "table: no run after changes"
grep -q '^  parse+apply .* a second' "$work/table" || fail "table: no events"
grep -q '^  complete jobs .* MB/s' "$work/table" || fail "table: nothing of what a qmaster sends"
grep -q '^  fairlead .* x liburcu-memb' "$work/table" || fail "table: no read section"
grep -q '^until a generation is seen .* ns' "$work/table" || fail "table: no time until a generation is seen"
grep -q 'sleeping processes of .* a round .* ms' "$work/table" || fail "table: no steering of a host"
grep -q '^   512 slots taken .* ns' "$work/table" || fail "table: no look at the readers"
grep -q '^     8 readers .* x   by the clock' "$work/table" || fail "table: no run under readers"

bench/run --quick --jobs 1000000000000 >"$work/table" 2>>"$work/err" || fail "more jobs than fit: exit status $?"
grep -q 'left out, needs about' "$work/table" || fail "more jobs than fit: it does not say that it left them out"

bench/run --jobs 0 >/dev/null 2>"$work/refusal"
[ $? = 2 ] && grep -q -e '--jobs' "$work/refusal" || fail "--jobs 0 is not refused"
B=$work bench/run --jobs 2000 >/dev/null 2>"$work/refusal" && fail "it ran without programs"
grep -q 'make bench' "$work/refusal" || fail "it does not say how to build what is missing"
if command -v gnuplot >/dev/null; then
	bench/run --quick --jobs 2000 --svg "$work/svg" >/dev/null 2>>"$work/err" || fail "--svg: exit status $?"
	grep -q '>tickets<' "$work/svg" || fail "--svg: no phases in the picture"
	grep -q '>seqlock-64<' "$work/svg" || fail "--svg: no read sections in the picture"
else
	bench/run --quick --svg "$work/svg" >/dev/null 2>"$work/refusal" && fail "--svg: it did without gnuplot"
	grep -q 'gnuplot-nox' "$work/refusal" || fail "--svg: it does not say what is missing"
fi
[ -z "$(ls -A "$FAIRLEAD_SHM")" ] || fail "something stayed behind in FAIRLEAD_SHM"

[ "$failures" = 0 ] || cat "$work/err" "$work/lines"
echo "bench: $failures failures"
[ "$failures" = 0 ]
