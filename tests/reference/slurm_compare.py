# SPDX-License-Identifier: Apache-2.0
"""Compare the recorded output of a Slurm for a snapshot with Fairlead: doubles, priorities, their order, and the
output of sprio and sshare."""
import math
import re
from collections import namedtuple

LARGEST = 1e-12                                 # relative; the recorded doubles have 17 digits, the C library's pow() may differ in the last
HALF_DIGIT = 5.1e-7                             # saved usage has six decimals
UNSET = -2147483648                             # site and nice of a directly set priority
FACTORS = {"age": "weighted_age", "assoc": "weighted_assoc", "fs": "weighted_fairshare", "js": "weighted_job_size",    # recorded: --json
           "part": "weighted_partition", "qos": "weighted_qos"}
SHARES = {"NormShares": "norm_shares", "NormUsage": "norm_usage", "EffectvUsage": "effective_usage", "FairShare": "fairshare", "LevelFS": "level_fs"}

Published = namedtuple("Published", "prio share stat texts")   # prio --json, share --json, stat --json; {what: text}


class Found:
    """Values compared, and what differs."""

    def __init__(self):
        self.values = self.equal = self.texts = 0
        self.largest, self.notes = 0.0, []

    def double(self, where, want, have):
        """null of --json stands for an infinite value."""
        have = math.inf if have is None else have
        self.values += 1
        if want == have:
            self.equal += 1
            return
        off = abs(want - have) / max(abs(want), abs(have)) if math.isfinite(want) and math.isfinite(have) else math.inf
        self.largest = max(self.largest, off)
        if not off <= LARGEST:
            self.notes.append("%-32s recorded %.17g, is %.17g" % (where, want, have))

    def exact(self, where, want, have):
        self.values += 1
        if want == have:
            self.equal += 1
        else:
            self.notes.append("%-32s recorded %r, is %r" % (where, want, have))

    def near(self, where, want, have, by):
        self.values += 1
        if have is not None and abs(want - have) <= by:
            self.equal += 1
        else:
            self.notes.append("%-32s recorded %.6f, is %r" % (where, want, have))

    def text(self, what, want, have):
        self.texts += 1
        if want == have:
            return
        lines, other = want.splitlines(), have.splitlines()
        for k in range(max(len(lines), len(other))):
            one, two = (rows[k] if k < len(rows) else None for rows in (lines, other))
            if one != two:
                self.notes.append("%s, line %d:\n      recorded %r\n      is       %r" % (what, k + 1, one, two))
                return
        self.notes.append("%s: ends differently: recorded %r, is %r" % (what, want[-20:], have[-20:]))


def compare_factors(found, snapshot, published):
    have = {(row["job_number"], row["partition"]): row for row in published.prio["jobs"]}
    recorded = {(row["id"], row["partition"]): row for row in snapshot.record["prio_full"]}
    found.exact("lines of sprio", sorted(recorded), sorted(have))
    for key in sorted(set(have) & set(recorded)):
        want, row = recorded[key], have[key]
        where = "job %d in %s, " % key
        for field, name in FACTORS.items():
            found.double(where + name, want[field], row[name])
        tres = {kind: value["weighted"] for kind, value in row["tres"].items()}
        for kind in sorted({*want["tres"], *tres}):
            found.double(where + "tres " + kind, want["tres"].get(kind, 0), tres.get(kind, 0))
        for field in ("site", "nice"):
            found.exact(where + field, 0 if want[field] == UNSET else want[field], row[field])
        found.exact(where + "direct", want["direct"], row["direct_priority"] or 0)


def compare_priorities(found, snapshot, published):
    """squeue's, and its order of them."""
    names = {job["id"]: job["name"] for job in snapshot.there() if job["state"] & 0xFF == 0}
    have = {row["job_number"]: row["prio"] for row in published.stat["jobs"] if row["kind"] == "pending"}
    for number, name in names.items():
        found.exact("job %d, priority" % number, snapshot.record["squeue_priority"][name], have.get(number))
    recorded = [int(line.split()[0]) for line in snapshot.text("squeue-json-order").splitlines()[1:]]
    found.exact("order", [number for number in recorded if number in names], sorted(have, key=lambda number: (-have[number], number)))


def compare_shares(found, snapshot, published):
    have = published.share["associations"]
    names = [(row["Account"], row["User"]) for row in snapshot.record["sshare"]]
    by_name = {(row["account"], row["user"] or ""): row for row in have}
    found.exact("lines of sshare", names, list(by_name))
    for want in snapshot.record["sshare"]:
        row = by_name.get((want["Account"], want["User"]))
        where = "%s %s, " % (want["Account"], want["User"])
        if row is None:
            continue
        if want["RawShares"] is not None:
            found.exact(where + "RawShares", want["RawShares"], row["raw_shares"])
        found.exact(where + "RawUsage", int(want["RawUsage"]), int(row["raw_usage"]))
        late = looked_at_late(snapshot, want, row, by_name)
        for field, name in SHARES.items():
            if want[field] is not None and not nowhere(snapshot, want, field):
                found.double(where + field, want[field], late.get(field, row[name]))
    for who, saved in snapshot.record.get("saved_usage", {}).items():
        user, _, account = who.partition("@")
        found.near("saved usage of " + who, float(saved["usage_raw"]), by_name.get((account.lower(), user), {}).get("raw_usage"), HALF_DIGIT)


def nowhere(snapshot, row, field):
    """Is this value in the record of sshare, but never shown? Such values are a LevelFS without Fair Tree, and the derived
    share of the root."""
    if field == "LevelFS":
        return not snapshot.is_fair_tree()
    return field == "NormShares" and snapshot.is_fair_tree() and (row["Account"], row["User"]) == ("root", "")


def looked_at_late(snapshot, want, row, by_name):
    """Return a user's values of classic fair-share in slurmctld if no job has needed them since the last pass.
    They are computed when sshare asks, from the account's values at the pass and the current usage. They differ
    only if usage changes in between."""
    root, account = by_name["root", ""], by_name[row["account"], ""]
    if not snapshot.runs_jobs() or snapshot.is_fair_tree() or not row["user"] or not row["norm_shares"] or not root["raw_usage"]:
        return {}
    used = row["raw_usage"] / root["raw_usage"]
    level = sum(other["raw_shares"] for other in by_name.values() if other["parent"] == row["parent"])
    effective = used if account is root else used + (account["effective_usage"] - used) * row["raw_shares"] / level
    late = {"NormUsage": used, "EffectvUsage": effective, "FairShare": 2.0 ** -(effective / row["norm_shares"])}
    return late if abs(want["NormUsage"] - used) <= LARGEST else {}


def without_late(text):
    """Return the output of sshare without the columns that looked_at_late() covers. The comparison of doubles checks
    these."""
    lines = text.splitlines()
    ends = [match.end() for match in re.finditer("-+", lines[1])]
    rows = [line.split("|") if "|" in line else [line[start:end] for start, end in zip([0, *ends], ends)] for line in lines]
    titles = [title.strip() for title in rows[0]]
    user, late = titles.index("User"), [titles.index(title) for title in ("NormUsage", "EffectvUsage", "FairShare") if title in titles]
    for row in rows[1:]:
        for k in late if row[user].strip() else []:
            row[k] = ""
    return "".join("|".join(row) + "\n" for row in rows)


def compare_texts(found, snapshot, published):
    """Where usage moves between two passes, users' columns are of another moment than ours."""
    for what, command, text in snapshot.commands():
        have = published.texts.get(what, "")
        if snapshot.runs_jobs() and what.startswith("sshare") and have:
            text, have = without_late(text), without_late(have)
        found.text("`%s`" % command, text, have)


def compare(snapshot, published):
    found = Found()
    compare_factors(found, snapshot, published)
    compare_priorities(found, snapshot, published)
    compare_shares(found, snapshot, published)
    compare_texts(found, snapshot, published)
    return found
