# SPDX-License-Identifier: Apache-2.0
"""The picture: what `fairlead stat --json` and `fairlead tree --json` tell, as much of it as the terminal has room for."""
import os
import shutil
import sys
import textwrap
import time

# Rows for pending jobs, rows for running ones, levels of the tree: the first that fits.
LAYOUTS = [(15, 12, 3), (15, 8, 3), (12, 5, 3), (8, 4, 3), (6, 3, 2), (5, 2, 1), (3, 0, 1)]
GAUGE = 24  # characters

WIDTH = 118

INTRO = ("Six users want 12 slots. fairlead-schedd ranks their jobs every few seconds and orders this toy qmaster to start the first "
         "ones that fit. A second is an hour of cpu time: users below their share of the tree rise, users above it (ann, at first) sink.")


class Heading(str):
    """A line in bold type."""


class Screen:
    def __init__(self, commands):
        self.live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.commands = commands
        self.run, self.prio, self.prio_before = None, {}, {}

    def draw(self, stat, nodes, notes):
        """notes: lines that are to be seen below, whatever the room."""
        if not self.remember(stat) and not self.live:
            return
        size = shutil.get_terminal_size((130, 24)) if self.live else os.terminal_size((130, 1000))
        for layout in LAYOUTS:
            page = self.page(layout, stat, nodes, min(size.columns, WIDTH))
            if len(page) + len(notes) < size.lines:
                break
        self.show(page[:max(size.lines - 1 - len(notes), 0)] + notes, size.columns)

    def show(self, page, columns):
        if self.live:
            lines = [f"\x1b[1m{line[:columns]}\x1b[0m" if isinstance(line, Heading) else line[:columns] for line in page]
            print("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J", end="", flush=True)
        else:
            print(*page, "", "=" * WIDTH, "", sep="\n", flush=True)

    def remember(self, stat):
        """Priorities of the run before this one, to show what has changed. Is it a new run?"""
        new = stat["run"]["run"] != self.run
        if new:
            self.run, self.prio_before = stat["run"]["run"], self.prio
            self.prio = {job["job_number"]: job["prio"] for job in stat["jobs"] if job["kind"] == "pending"}
        return new

    def page(self, layout, stat, nodes, width):
        pending = [job for job in stat["jobs"] if job["kind"] == "pending"]
        running = [job for job in stat["jobs"] if job["kind"] == "running"]
        run, slots = stat["run"], sum(job["slots"] for job in running)
        return [Heading(f"FAIRLEAD  run {run['run']} at {clock(run['now'])}: {len(pending)} jobs pending, {len(running)} tasks running "
                        f"in {slots} slots; took {run['run_ns'] / 1e6:.2f} ms"), *textwrap.wrap(INTRO, width), "",
                *self.pending(pending, layout[0]), "", *self.running(running, layout[1]), *self.tree(nodes, layout[2]), "",
                *self.commands]

    def pending(self, jobs, most):
        lines = [Heading("NEXT IN LINE  prior = weighted sum of ntckts (shares), nurg (urgency), npprior (-p)"),
                 "  job-ID   prior  before   ntckts     nurg  npprior  user  project   name      slots  asks for"]
        for job in jobs[:most]:
            before = self.prio_before.get(job["job_number"])
            lines.append(f"  {job['job_number']:6} {job['prio']:7.5f} {f'{before:7.5f}' if before is not None else '    new'}  "
                         f"{job['ntckts']:7.5f}  {job['nurg']:7.5f}  {job['npprior']:7.5f}  {job['owner']:5} {job['project'] or '-':9} "
                         f"{job['name']:9} {job['slots']:5}  {asks_for(job)}")
        return lines

    @staticmethod
    def running(jobs, most):
        if not most or not jobs:
            return []
        lines = [Heading(f"RUNNING{f'  (the first {most})' if len(jobs) > most else ''}"),
                 "  job-ID  task  user  project   name      queue        slots  cpu hours   prior"]
        for job in sorted(jobs, key=lambda job: -job["prio"])[:most]:
            lines.append(f"  {job['job_number']:6}  {job['task']:4}  {job['owner']:5} {job['project'] or '-':9} {job['name']:9} "
                         f"{job['queue']:12} {job['slots']:5}  {(job['cpu'] or 0) / 3600:9.0f}  {job['prio']:7.5f}")
        return [*lines, ""]

    @staticmethod
    def tree(nodes, levels):
        """Of users below `default` only those who have something there."""
        lines = [Heading("SHARE TREE  ### what was used (actual_share), | promised (long_target_share)"),
                 f"  {'node':20} {'':{GAUGE}} {'shares':>6}  actual_share  long_target_share  short_target_share"]
        for node in nodes:
            path = node["node_name"]
            if path == "/" or path.count("/") > levels or ("/default/" in path and not node["job_count"] and not node["usage"]):
                continue
            name = "  " * (path.count("/") - 1) + path.rsplit("/", 1)[1]
            lines.append(f"  {name:20} {gauge(node)} {node['shares']:6}  {node['actual_share']:12.4f}  {node['long_target_share']:17.4f}  "
                         f"{node['short_target_share']:18.4f}")
        return lines


def clock(seconds):
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def gauge(node):
    marks = [" "] * GAUGE
    filled = round(min(node["actual_share"], 1) * GAUGE)
    marks[:filled] = "#" * filled
    if node["job_count"]:
        marks[min(int(node["long_target_share"] * GAUGE), GAUGE - 1)] = "|"
    return "".join(marks)


def asks_for(job):
    tasks = sum((last - first) // step + 1 for first, last, step in job["tasks"] or [])
    parts = [f"-pe {job['pe']} {job['pe_range']}" if job["pe"] else "", f"-l {job['hard_resources']}" if job["hard_resources"] else "",
             f"-t: {tasks} tasks" if job["is_array"] else "", f"-p {job['priority']}" if job["priority"] else "",
             f"-js {job['jobshare']}" if job["jobshare"] else "",
             f"-dl {clock(job['deadline'])}" if job["deadline"] else ""]
    return " ".join(filter(None, parts))
