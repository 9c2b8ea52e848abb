# SPDX-License-Identifier: Apache-2.0
"""Evaluation of the figures that the programs print: the best of several repeats, distances to the memory's limit, budgets.

A figure is a dict read from a JSON line. bench/README.md describes each member.
"""

# Bytes per pending job that a phase reads and writes: (read, written). In each of its walks through the queue it reads each
# needed column once and writes each resulting column once, sequentially. bench/README.md lists the columns.
PHASE_BYTES = {
    "list": (10, 4),
    "cluster": (0, 0),
    "collect": (44, 16),
    "account": (0, 0),
    "urgency": (24, 8),
    "tickets": (108, 116),
    "normalize": (54, 16),
    "order": (72, 32),
    "dispatch": (18, 6),
    "orders": (0, 0),
    "publish": (58, 42),
}

# Numbers that identify a figure among those of one kind, like its texts. All other numbers are measured.
KEYS = ("threads", "bytes", "jobs", "users", "workers", "percent", "changed_jobs", "readers", "slots", "limit", "hosts", "instances",
        "categories", "adjust", "associations", "running", "wanting_reservation", "max_reservation",
        "starts", "reservations", "processes", "tasks", "objects", "ends", "held", "interval", "questions")
MORE_IS_BETTER = ("gb_per_s", "mb_per_s", "per_second")


def is_key(name, value):
    return name in KEYS or not isinstance(value, (int, float))


def identity(figure):
    return tuple((name, value) for name, value in figure.items() if is_key(name, value))


def better(a, b):
    """Return the better value of each member of two figures with the same identity."""
    def choose(name):
        if is_key(name, a[name]):
            return a[name]
        return max(a[name], b[name]) if name in MORE_IS_BETTER else min(a[name], b[name])
    return {name: choose(name) for name in a}


def best(repeats):
    """Merge lists of figures with the same identities into one list of the best values."""
    found = {}
    for figures in repeats:
        for figure in figures:
            key = identity(figure)
            found[key] = better(found[key], figure) if key in found else figure
    return list(found.values())


def find(figures, what, **members):
    """Return the first figure with these members, or None if it was not measured."""
    for figure in figures:
        if figure["what"] == what and all(figure.get(name) == value for name, value in members.items()):
            return figure
    return None


# ---- distance to the memory's limit ----------------------------------------------------------------------------------


def bandwidth(figures, workers):
    """Return the bandwidth of the triad in GB/s: with one thread for one worker, else with all threads."""
    threads = [figure for figure in figures if figure["what"] == "stream" and figure["kernel"] == "triad"]
    chosen = (min if workers == 1 else max)(threads, key=lambda figure: figure["threads"])
    return chosen["gb_per_s"]


def distance(phase, bytes_per_job, ns_per_job, run, gb_per_s):
    limit = bytes_per_job / gb_per_s
    figure = {"what": "distance", "jobs": run["jobs"], "users": run["users"], "workers": run["workers"], "phase": phase,
              "bytes_per_job": bytes_per_job, "limit_ns_per_job": round(limit, 2)}
    if limit > 0:
        figure["times_limit"] = round(ns_per_job / limit, 2)
    return figure


def distances(run, phases, machine):
    """Return the distances of a full run and its phases."""
    gb_per_s = bandwidth(machine, run["workers"])
    found = [distance(phase["phase"], sum(PHASE_BYTES[phase["phase"]]), phase["ns_per_job"], run, gb_per_s)
             for phase in phases if phase["phase"] in PHASE_BYTES]
    total = sum(figure["bytes_per_job"] for figure in found)
    return [*found, distance("run", total, run["ns_per_job"], run, gb_per_s)]


# ---- budgets ---------------------------------------------------------------------------------------------------------


def run_ns(jobs=1000000, users=1000, workers=1):
    return lambda figures: member(find(figures, "full_run", jobs=jobs, users=users, workers=workers), "ns_per_job")


def dispatch_ns(running=0, max_reservation=0):
    """Return the time of a run that fills 10,000 queue instances from a million jobs in 100 categories."""
    return of("dispatch", "run_ns", farm="mixed", jobs=1000000, instances=10000, categories=100, adjust=1, running=running,
              max_reservation=max_reservation)


def member(figure, name):
    return figure[name] if figure and name in figure else None


def quotient(above, below):
    def value(figures):
        a, b = above(figures), below(figures)
        return a / b if a is not None and b else None
    return value


def of(what, name, **members):
    return lambda figures: member(find(figures, what, **members), name)


# name, unit, limit, whether the limit is a maximum (most) or a minimum (least), function that returns the value
BUDGETS = [
    ("full_run_1M_one_core", "ns/job", 250, "most", run_ns()),
    ("speedup_two_workers", "times", 1.7, "least", quotient(run_ns(), run_ns(workers=2))),
    ("full_run_10M_over_1M", "times", 1.5, "most", quotient(run_ns(jobs=10000000), run_ns())),
    ("users_10000_over_1000", "times", 1.3, "most", quotient(run_ns(users=10000), run_ns())),
    ("memory_1M", "bytes/job", 256, "most", of("full_run", "bytes_per_job", jobs=1000000, users=1000, workers=1)),
    ("read_section_over_memb_called", "times", 2, "most", of("read_section", "ratio_to_memb_call", scheme="fairlead", readers=1)),
    ("read_section_over_memb_inlined", "times", 2, "most", of("read_section", "ratio_to_memb", scheme="fairlead", readers=1)),
    ("run_cpu_under_eight_readers", "times", 1.05, "most", of("run_under_readers", "cpu_ratio", readers=8)),
    ("stat_1M", "ns/job", 500, "most", of("stat", "text_ns_per_job", jobs=1000000, users=1000)),
    ("stat_json_1M", "ns/job", 1000, "most", of("stat", "json_ns_per_job", jobs=1000000, users=1000)),
    ("explain_1M", "ns", 1e9, "most", of("stat", "explain_ns", jobs=1000000, users=1000)),
    ("dispatch_50000_slots", "ns", 1e9, "most", dispatch_ns()),
    ("reservations_1000", "times", 1.2, "most", quotient(dispatch_ns(20000, 1000), dispatch_ns(20000))),
    ("multifactor_pass_1M", "ns/job", 50, "most", of("multifactor", "pass_ns_per_job", jobs=1000000, associations=10222, workers=1)),
    ("accounts_stored", "ns", 1e9, "most", of("accounts", "ns", step="update_and_store", customers=100000)),
    ("accounts_restart", "ns", 2e9, "most", of("accounts", "ns", step="restart", customers=100000)),
    ("negotiate_empty", "ns", 1e9, "most", of("negotiate", "ns", shape="empty", slots=100000, jobs=1000000)),
    ("negotiate_changing", "ns", 2e8, "most", of("negotiate", "ns", shape="changing", slots=100000, jobs=1000000)),
    ("negotiate_submission", "ns", 5e7, "most", of("negotiate", "ns", shape="submission", slots=100000, jobs=1000000)),
    ("events", "events/s", 300000, "least", of("events", "per_second", path="parse+apply", jobs=200000)),
    ("gdi_decoding", "MB/s", 300, "least", of("gdi", "mb_per_s", content="jobs", objects=100000)),
    ("post_acknowledged", "ms", 50, "most", of("post", "p99_ms", of="acknowledged")),
    ("post_status", "ms", 50, "most", of("post", "p99_ms", of="status")),
    ("take_jobs", "jobs/s", 300000, "least", of("take", "per_second", content="jobs", events=100000)),
    ("take_usage", "events/s", 1000000, "least", of("take", "per_second", content="usage", events=100000)),
    ("take_load", "events/s", 1000000, "least", of("take", "per_second", content="load of 6 values", events=100000)),
    ("host_round_sleeping", "ns", 1e7, "most", of("host_round", "round_cpu_ns", processes=10000, tasks=1000, running=False)),
    ("host_round_running", "ns", 1e7, "most", of("host_round", "round_cpu_ns", processes=10000, tasks=1000, running=True)),
]


def budget(name, unit, limit, sense, value):
    """Return a budget figure. A ratio up to 1 keeps the budget, for maximums and minimums."""
    ratio = value / limit if sense == "most" else limit / max(value, 1e-9)
    return {"what": "budget", "name": name, "value": round(value, 3), "limit": limit, "at": sense, "ratio": round(ratio, 3), "unit": unit}


def budgets(figures):
    """Return the budgets whose values are known from these figures."""
    values = [(row, value_of(figures)) for *row, value_of in BUDGETS]
    return [budget(*row, value) for row, value in values if value is not None]
