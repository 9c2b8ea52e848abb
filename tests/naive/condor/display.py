# SPDX-License-Identifier: Apache-2.0
"""The output of condor_userprio for records, each rule once and as plainly as possible."""
import time

FLOAT_MAX = 3.4028234663852886e38
DAY = 24 * 60 * 60
WIDEST_NAME = 99

QUOTAS = {"effective_quota", "config_quota", "surplus", "subtree_quota", "requested"}
PRIORITIES = {"priority", "real", "factor"}
USE = {"in_use", "total"}
MOST = {"config_quota", "surplus", "priority", "factor", "since", "requested", "floor", "ceiling"} | USE
SETS = {
    "-most": MOST,
    "-all": MOST | QUOTAS | PRIORITIES | {"begin", "last"},
    "-quotas": QUOTAS,
    "-priority": PRIORITIES,
    "-usage": USE | {"begin", "last"},
    "-surplus": {"surplus"},
    "-sortkey": {"sort_key"},
    "-order": {"order"},
    "-groupid": {"id"},
}
LAYOUTS = ("-flat", "-hierarchical", "-grouporder")

# Attributes, one of which a record must have to have a value in the column.
NEEDS = {
    "priority": ("Priority",), "factor": ("PriorityFactor",), "real": ("PriorityFactor",), "in_use": ("WeightedAccumulatedUsage", "ResourcesUsed"),
    "total": ("WeightedAccumulatedUsage", "ResourcesUsed", "WeightedResourcesUsed"), "begin": ("BeginUsageTime",), "last": ("LastUsageTime",),
    "since": ("LastUsageTime",), "requested": ("Requested",), "floor": ("Floor",), "ceiling": ("Ceiling",), "effective_quota": ("EffectiveQuota",),
    "config_quota": ("ConfigQuota",), "subtree_quota": ("SubtreeQuota",), "sort_key": ("GroupSortKey",), "surplus": ("SurplusPolicy",),
}
OF_GROUPS_ALONE = {"subtree_quota", "sort_key", "surplus"}

COLUMNS = (
    ("id", 5, "Group", "Id"), ("order", 9, "Group", "Order"), ("sort_key", 9, "Group", "Sort Key"), ("effective_quota", 9, "Effective", "Quota"),
    ("config_quota", 9, "Config", "Quota"), ("surplus", 7, "Use", "Surplus"), ("subtree_quota", 9, "Subtree", "Quota"),
    ("priority", 12, "Effective", "Priority"), ("real", 8, "Real", "Priority"), ("factor", 9, "Priority", "Factor"), ("in_use", 6, "Wghted", "In Use"),
    ("total", 12, "Total Usage", "(wghted-hrs)"), ("begin", 16, "Usage", "Start Time"), ("last", 16, "Last", "Usage Time"),
    ("since", 10, "Time Since", "Last Usage"), ("requested", 10, "Weighted", "Requested"), ("floor", 9, "Submitter", "Floor"),
    ("ceiling", 9, "Submitter", "Ceiling"),
)


class Row:
    """A record, and what is worked out for it."""

    def __init__(self, record, number, of):
        self.record, self.number = record, number
        self.name, self.is_group = record["Name"], record.get("IsAccountingGroup", False)
        self.group = record.get("AccountingGroup", "<none>")
        self.last = record.get("LastUsageTime", 0) or -1
        self.usage = record.get("WeightedAccumulatedUsage", 0.0)
        self.has = {column for column, needs in NEEDS.items() if any(need in record for need in needs)}
        if self.is_group:
            self.has -= {"priority"}
            self.id = 0 if self.name == "<none>" else -number
        else:
            self.has -= OF_GROUPS_ALONE
            self.id = 0 if self.group == "<none>" else -2 * of
        if record.get("PriorityFactor", 0) <= 0:
            self.has -= {"real"}
        self.has |= {"id"} if self.id else set()
        self.order = 0.0


def number(value, width, decimals):
    text = "%.*f" % (decimals, value)
    return text if len(text) <= width else ("%.*g" % (width - 6, value) if width >= 6 else "%g" % value)


def moment(when):
    if when <= 0:
        return ""
    then = time.gmtime(when)
    return "%2d/%02d/%d %02d:%02d" % (then.tm_mon, then.tm_mday, then.tm_year, then.tm_hour, then.tm_min)


def distance(seconds):
    if seconds <= 0:
        return "<now>"
    return ("%3d+%02d:%02d" % (seconds // DAY, seconds // 3600 % 24, seconds // 60 % 60))[:10]


def groups_numbered(rows, columns):
    """Groups have numbers by name, the root 0, as soon as a user is in another group. Then they have a place in the order, too."""
    if not any(row.id and not row.is_group for row in rows):
        return rows
    key = key_of(columns)
    rows = sorted(rows, key=lambda row: (0, row.id == 0, row.name) if row.is_group else (1, key(row)))
    groups = {row.name: row for row in rows if row.is_group}
    knows_keys = any("sort_key" in row.has for row in rows)
    for place, row in enumerate(groups.values(), 1):
        row.id = place if row.id else 0
        if "priority" in columns:
            row.order = row.record.get("GroupSortKey", 0.0) if knows_keys else row.record["Priority"] if row.id else FLOAT_MAX
        elif columns & USE:
            row.order = row.usage / 3600
        else:
            row.order = row.id or FLOAT_MAX
        row.has.add("order")
    for row in rows:
        group = None if row.is_group else groups.get(row.group)
        if group:
            row.id, row.order = group.id, group.order
            row.has.add("order")
    return rows


def key_of(columns):
    if "priority" in columns:
        return lambda row: row.record["Priority"]
    return (lambda row: row.usage) if columns & USE else (lambda row: row.name)


def ordered(rows, columns, nested, groups_first, root_last):
    key = key_of(columns)
    if nested:
        by_order = "priority" in columns or columns & USE
        return sorted(rows, key=lambda row: (root_last and row.id == 0, row.order if by_order else 0, row.id, not row.is_group, key(row)))
    if groups_first:
        return sorted((row for row in rows if row.is_group), key=lambda row: row.number) + sorted((row for row in rows if not row.is_group), key=key)
    return sorted(rows, key=key)


def cell(row, column, width, last_update):
    record = row.record
    if column not in row.has:
        return "n/d" if row.is_group and column in QUOTAS | {"sort_key"} else ""
    if column == "surplus":
        policy = {"no": "no", "regroup": "Regroup", "byquota": "ByQuota"}.get(record["SurplusPolicy"].lower(), "n/a")
        return (policy if row.id else "yes").ljust(width)
    if column == "sort_key" and record["GroupSortKey"] >= 3.40282001e38:
        return "<last>"
    if column in ("begin", "last"):
        return moment(record["BeginUsageTime"] if column == "begin" else row.last)
    if column == "since":
        return distance(last_update - row.last)
    if (column == "ceiling" and record["Ceiling"] <= -1) or (column in ("floor", "factor") and record[NEEDS[column][0]] <= 0):
        return ""
    value = {
        "id": lambda: row.id, "order": lambda: row.order, "real": lambda: record["Priority"] / record["PriorityFactor"],
        "in_use": lambda: record.get("WeightedResourcesUsed", record.get("ResourcesUsed", 0)), "total": lambda: row.usage / 3600,
        "sort_key": lambda: record["GroupSortKey"],
    }.get(column, lambda: record[NEEDS[column][0]])()
    return number(value, width, 0 if column in ("id", "in_use", "requested") else 2)


def footer(column, width, rows, policy, since, last_update):
    users = [row for row in rows if not row.is_group]
    if column == "surplus":
        return policy.ljust(width)
    if column == "in_use":
        return number(sum(row.record.get("WeightedResourcesUsed", row.record.get("ResourcesUsed", 0)) for row in users), width, 0)
    if column == "total":
        return number(sum(row.usage for row in users) / 3600, width, 2)
    if column == "last":
        return moment(since)
    return distance(last_update - since) if column == "since" and since > 0 else ""


def display(case, words, file=True):
    """The lines for these options; without `file` names choose the records."""
    names = [word for word in words if not word.startswith("-")]
    records = case["records"] if file or not names else [record for record in case["records"] if record["Name"] in names or
                                                         record["Name"].split("@")[0] in names]
    since = -1 if "-allusers" in words or names else case["now"] - DAY
    layouts = [word for word in words if word in LAYOUTS]
    columns = set().union(*(SETS[word] for word in words if word in SETS)) or set(MOST)
    nested = not layouts or layouts[-1] == "-hierarchical"
    if not records:
        return []

    rows = [Row(record, place, len(records)) for place, record in enumerate(records, 1)]
    asked_for_quotas = "-quotas" in words or "-surplus" in words
    available = set().union(*(row.has for row in rows))
    for group in (USE, {"factor"}, {"begin"}, {"last", "since"}, set() if asked_for_quotas else QUOTAS):
        if not available & group:
            columns -= group

    rows = groups_numbered(rows, columns)
    if columns <= PRIORITIES and not layouts:
        nested = False
    hides_groups = columns <= PRIORITIES and not nested
    active = [row for row in rows if row.last >= since]
    grouped = any(row.id > 0 for row in active)
    users_have_quotas = any(not row.is_group and row.has & {"effective_quota", "config_quota"} for row in rows)
    nested = nested and grouped
    if (hides_groups or not grouped) and not asked_for_quotas and not users_have_quotas:
        columns -= QUOTAS
    hides_users = bool(columns) and columns <= QUOTAS and not users_have_quotas
    policies = [row.record.get("SurplusPolicy", "") for row in sorted(rows, key=lambda row: row.number) if row.is_group]
    policy = next((name for name in reversed(policies) if name in ("regroup", "byquota")), "")
    active = ordered(active, columns, nested, "-grouporder" in layouts, policy == "regroup")

    shown = [column for column in COLUMNS if column[0] in columns]
    count = "Number of users: %d"
    longest = max([10] + [len(row.name) + (2 - (len(row.group) if row.id else 0) if nested and not row.is_group else 0) for row in active])
    width = max(min(longest, WIDEST_NAME), len(count % len(rows))) + (2 if nested else 0)

    def line(name, cells):
        return name[:width].ljust(width) + "".join(" " + text.rjust(column[1]) for column, text in zip(shown, cells))

    def centred(text, column):
        return (" " * ((column[1] - len(text)) // 2) + text).ljust(column[1])

    dashes = "-" * width + "".join(" " + "-" * column[1] for column in shown)
    updated = time.gmtime(case["last_update"])
    lines = ["Last Priority Update: %2d/%-2d %02d:%02d" % (updated.tm_mon, updated.tm_mday, updated.tm_hour, updated.tm_min),
             line("Group" if nested else "", [centred(column[2], column) for column in shown]),
             line(("Name" if nested else "Group Name") if hides_users else "  User Name" if nested else "User Name",
                  [centred(column[3], column) for column in shown]), dashes]
    shows_root = nested or grouped
    for row in active:
        if row.is_group and (hides_groups or (row.id == 0 and not shows_root)) or not row.is_group and hides_users:
            continue
        shows_root = shows_root or row.is_group
        name = row.name
        if nested and not row.is_group:
            name = "  " + (name[len(row.group) + 1:] if row.id > 0 else name)
        lines.append(line(name, [cell(row, column[0], column[1], case["last_update"]) for column in shown]))
    lines += [dashes, line(count % sum(not row.is_group for row in active),
                           [footer(column[0], column[1], active, {"regroup": "Regroup", "byquota": "ByQuota"}.get(policy, ""), since, case["last_update"])
                            for column in shown])]
    return lines + [""]
