# SPDX-License-Identifier: Apache-2.0
"""Plots of figures (SVG) by gnuplot: cost of a run by phase and size of the queue, and of a read section by scheme and readers."""
import os
import shutil
import subprocess
import sys

HEAD = """set terminal svg size 1000,{height} font "sans,12" background "white"
set style fill solid 0.9 noborder
set grid ytics back linecolor rgb "#dddddd" linewidth 1
set border 3
set tics nomirror
set key outside right top reverse Left
set multiplot layout {rows},1
"""

PHASES = """set title "A full run by phase; below the columns: jobs, users, workers"
set ylabel "ns a job"
set yrange [0:*]
set style data histograms
set style histogram rowstacked
set boxwidth 0.6
plot for [column=2:{last}] "{data}" using column:xtic(1) title columnheader(column)
"""

SECTIONS = """set title "A read section"
set ylabel "ns"
set xlabel "readers"
set yrange [*:*]
set logscale y
set style data linespoints
plot for [column=2:{last}] "{data}" using column:xtic(1) title columnheader(column) linewidth 2 pointtype 7
"""


def program():
    return shutil.which("gnuplot")


def quantity(number):
    for unit, factor in (("M", 1000000), ("k", 1000)):
        if number >= factor:
            return f"{number / factor:g} {unit}"
    return str(number)


def write_matrix(path, columns, rows):
    """Write a table for gnuplot: names of columns in the first line, then the name and the values of each row; "-" for no value."""
    with open(path, "w", encoding="utf-8") as out:
        for name, values in [("-", columns), *rows]:
            print(f'"{name}"', *(f'"{value}"' if isinstance(value, str) else "-" if value is None else value for value in values), file=out)


def phase_matrix(figures):
    """Plot phases. Rows are sizes and workers, columns are phases in the order of a run."""
    rows, columns = {}, []
    for f in figures:
        if f["what"] == "phase" and f["changes"] == "none":
            row = f"{quantity(f['jobs'])}\\n{quantity(f['users'])}\\n{f['workers']}"
            rows.setdefault(row, {})[f["phase"]] = f["ns_per_job"]
            if f["phase"] not in columns:
                columns.append(f["phase"])
    return columns, [(row, [values.get(column) for column in columns]) for row, values in rows.items()]


def section_matrix(figures):
    """Plot read sections. Rows are numbers of readers, columns are schemes."""
    sections = [f for f in figures if f["what"] == "read_section" and isinstance(f.get("ns"), (int, float))]
    columns = list(dict.fromkeys(f["scheme"] for f in sections))
    rows = {}
    for f in sections:
        rows.setdefault(f["readers"], {})[f["scheme"]] = f["ns"]
    return columns, [(readers, [rows[readers].get(column) for column in columns]) for readers in sorted(rows)]


def draw(figures, out, directory):
    """Write the plots to the open file. Intermediate files go to `directory`."""
    plots = []
    for name, template, (columns, rows) in (("phases", PHASES, phase_matrix(figures)), ("sections", SECTIONS, section_matrix(figures))):
        if rows:
            write_matrix(os.path.join(directory, name), columns, rows)
            plots.append(template.format(data=name, last=len(columns) + 1))
    script = HEAD.format(height=450 * len(plots), rows=len(plots)) + "".join(plots) + "unset multiplot\n"
    done = subprocess.run([program(), "-"], input=script.encode(), stdout=out, stderr=subprocess.PIPE, cwd=directory)
    if done.returncode:
        sys.exit(f"bench/run: gnuplot ended with {done.returncode}: {done.stderr.decode().strip()}")
