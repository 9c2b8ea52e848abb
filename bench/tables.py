# SPDX-License-Identifier: Apache-2.0
"""Figures as tables for people. A kind of figure without a function of its own is printed member by member."""


def size(number):
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= factor:
            return f"{number / factor:.0f} {unit}"
    return f"{number} B"


def show_stream(figures):
    print("memory of this machine")
    for f in figures:
        print(f"  {f['kernel']:8} {f['threads']:4} threads  {f['gb_per_s']:8.1f} GB/s")


def show_latency(figures):
    for f in figures:
        print(f"  dependent load in {size(f['bytes']):>8}  {f['ns']:6.1f} ns")


def show_run(f):
    print(f"\n{f['jobs']:,} pending jobs, {f['users']:,} users, workers: {f['workers']}")
    print(f"  full run     {f['ns_per_job']:8.1f} ns/job   best {f['best_ns_per_job']:.1f}")
    print(f"  take in      {f['add_ns_per_job']:8.1f} ns/job")
    print(f"  memory       {f['bytes_per_job']:8.1f} B/job    shared {f['shared_bytes_per_job']:.1f}, of it one generation "
          f"{f['generation_bytes_per_job']:.1f}; without a job {f['cell_bytes'] / 1e6:.1f} MB")


def show_phase(f, distance):
    bound = ""
    if distance and "times_limit" in distance:
        bound = f"   {distance['times_limit']:.1f} x the memory's {distance['limit_ns_per_job']:.1f} ns for {distance['bytes_per_job']} bytes"
    print(f"    {f['phase']:10} {f['ns_per_job']:8.1f} ns/job   best {f['best_ns_per_job']:.1f}{bound}")


def show_changed_run(f):
    print(f"  {f['percent']:g} % {f['changes']:9}{f['ns_per_job']:8.1f} ns/job   best {f['best_ns_per_job']:.1f}; changes reported in "
          f"{f['ns_per_change']:.0f} ns each; {f['chunks_shared']} of {f['chunks']} chunks shared")


def show_full_run(figures):
    """Print the figures of one process. Phases after changes are only in the JSON lines."""
    distances = {f["phase"]: f for f in figures if f["what"] == "distance"}
    for f in figures:
        if f["what"] == "full_run":
            show_run(f)
        elif f["what"] == "phase" and f["changes"] == "none":
            show_phase(f, distances.get(f["phase"]))
        elif f["what"] == "changed_run":
            show_changed_run(f)
        elif f["what"] == "stat":
            print(f"  stat         {f['text_ns_per_job']:8.1f} ns/job   --json {f['json_ns_per_job']:.1f}   explain a job {f['explain_ns'] / 1e9:.3f} s")


def show_dispatch(figures):
    for f in figures:
        if f["what"] == "dispatch":
            whole = f["run_ns"]
            print(f"\n{f['jobs']:,} pending jobs in {f['categories']:,} categories, {f['instances']:,} queue instances, {f['running']:,} running; "
                  f"load adjustment {f['adjust']}, {f['max_reservation']:,} reservations: {f['starts']:,} starts, {f['reservations']:,} reserved")
            print(f"  run          {whole / 1e6:8.1f} ms       best {f['best_run_ns'] / 1e6:.1f}")
            print(f"  a start      {f['ns_per_start']:8.0f} ns       best {f['best_ns_per_start']:.0f}; {f['bytes_per_start']:.0f} bytes, and "
                  f"{f['bytes_per_instance']:.0f} a queue instance")
        elif f["ns"] * 100 >= whole:
            print(f"    {f['phase']:10} {f['ns'] / 1e6:8.1f} ms   {100 * f['ns'] / whole:4.1f} %")


def show_steps(figures):
    for f in figures:
        if f["what"] == "steps":
            whole = f["mean_run_ns"]
            print(f"\n{f['policy']}: {f['jobs']:,} pending jobs, {f['running']:,} running on {f['hosts']:,} hosts, {f['max_reservation']:,} "
                  f"reservations; {f['ends']:,} ends before each run")
            print(f"  run          {f['run_ns'] / 1e3:8.1f} us       best {f['best_run_ns'] / 1e3:.1f}, mean {whole / 1e3:.1f}; "
                  f"{f['starts_each']:.2f} starts each; what happens before it {f['change_ns'] / 1e3:.1f} us")
        elif f["mean_ns"] * 100 >= whole:
            print(f"    {f['phase']:10} {f['ns'] / 1e3:8.1f} us   {100 * f['mean_ns'] / whole:4.1f} %")


def show_replay(figures):
    for f in figures:
        if f["what"] == "replay":
            whole = f["ns"]
            print(f"\nreplay: {f['jobs']:,} jobs on {f['slots']:,} slots, {f['held']:,} held, a run each {f['interval']} s, {f['max_reservation']} "
                  f"reservations; {f['pending_mean']:,.0f} pending, {f['running_mean']:,.0f} running")
            print(f"  a job        {f['ns_per_job'] / 1e3:8.1f} us       a run {f['ns_per_run'] / 1e3:.1f} us; {f['started']:,} starts in {f['runs']:,} runs; "
                  f"peak {f['peak_kib'] / 1024:.1f} MiB")
        elif f["ns"] * 100 >= whole:
            print(f"    {f['phase']:10} {f['ns'] / 1e6:8.1f} ms   {100 * f['ns'] / whole:4.1f} %")


def show_left_out(figures):
    for f in figures:
        print(f"\n{f['jobs']:,} pending jobs, {f['users']:,} users: left out, {f['why']}")


def show_events(figures):
    print("\nevents taken in")
    for f in figures:
        print(f"  {f['path']:12} {f['per_second']:10,.0f} a second   {f['ns_per_event']:.0f} ns for {f['bytes_per_event']:.0f} bytes")


def show_read_section(figures):
    print("\na read section, in its reader's processor time")
    for f in figures:
        print(f"  {f['scheme']:20} {f['readers']:4} readers  {f['ns']:8.2f} ns   best {f['min_ns']:8.2f}   {f['ratio_to_memb']:7.2f} x liburcu-memb "
              f"inlined, {f['ratio_to_memb_call']:.2f} x called")


def show_times(f):
    print(f"p50 {f['p50_ns']:8,.0f} ns   p99 {f['p99_ns']:8,.0f}   max {f['max_ns']:10,.0f}   best {f['min_ns']:,.0f}")


def show_visible(figures):
    for f in figures:
        print(f"\nuntil a generation is seen by {f['readers']} reader   ", end="")
        show_times(f)


def show_look(figures):
    print("Is a retired generation in use?")
    for f in figures:
        print(f"  {f['slots']:4} slots taken   ", end="")
        show_times(f)


def show_run_under_readers(figures):
    print(f"\na run of {figures[0]['jobs']:,} jobs under readers, and under as many plain spinners")
    for f in figures:
        print(f"  {f['readers']:4} readers  processor time {f['cpu_ns'] / 1e6:8.2f} ms, {f['cpu_ns_plain_spinners'] / 1e6:8.2f} ms: "
              f"{f['cpu_ratio']:.3f} x   by the clock {f['run_ns'] / 1e6:8.2f} ms, {f['run_ns_plain_spinners'] / 1e6:8.2f} ms: {f['ratio']:.3f} x")


def show_host_round(figures):
    print("\nsteering a host, beside reading each process's files")
    for f in figures:
        print(f"  {f['processes']:6,} {'running' if f['running'] else 'sleeping':8} processes of {f['tasks']:6,} tasks, {f['ran']:6,} ran  "
              f"a round {f['round_ns'] / 1e6:7.2f} ms, processor {f['round_cpu_ns'] / 1e6:7.2f} ms   "
              f"with new levels {f['change_ns'] / 1e6:7.2f} ms, {f['change_cpu_ns'] / 1e6:7.2f} ms   "
              f"reading {f['bare_cpu_ns'] / 1e6:8.2f} ms: {f['ratio_to_bare']:.3f} x")


def show_budget(figures):
    print("\nbudgets (kept up to a ratio of 1)")
    for f in figures:
        print(f"  {f['name']:30} {f['value']:12,.2f} {f['unit']:10} at {f['at']} {f['limit']:<8g} ratio {f['ratio']:.2f}")


def show_beside(figures, other, title):
    print(f"{figures[0]['jobs']:,} jobs, {figures[0]['users']:,} users {title:>23} {'Fairlead':>14}")
    for f in figures:
        print(f"  {f['figure']:10} {f['unit']:10} {f[other]:20,.0f} {f['fairlead']:14,.0f}   {f['times_better']:,.0f} times better")


def show_versus(figures):
    show_beside(figures, "gridengine", "Grid Engine")


def show_multifactor(figures):
    for f in figures:
        if f["what"] == "multifactor":
            print(f"\n{f['jobs']:,} pending jobs, {f['associations']:,} associations, Slurm's priorities, workers: {f['workers']}")
            print(f"  full run     {f['ns_per_job']:8.1f} ns/job   best {f['best_ns_per_job']:.1f}")
            print(f"  pass         {f['pass_ns_per_job']:8.1f} ns/job   best {f['best_pass_ns_per_job']:.1f}")
        elif f["what"] == "multifactor_phase":
            print(f"    {f['phase']:10} {f['ns_per_job']:8.1f} ns/job   best {f['best_ns_per_job']:.1f}")
        else:
            print(f"  {f['command']:12} {f['ns_per_job']:8.1f} ns/job")


def show_versus_slurm(figures):
    show_beside(figures, "slurm", "Slurm")


def show_traces(figures):
    print(f"\nworkload traces of {figures[0]['jobs']:,} jobs, read")
    for f in figures:
        print(f"  {f['file']:12} {f['ms']:8.1f} ms   {f['ns_per_job']:.0f} ns/job, best {f['best_ns_per_job']:.0f}; "
              f"{f['bytes'] / 1e6:.1f} MB, {f['held_bytes'] / 1e6:.1f} MB held")


def show_journal(lines):
    print("\na journal of all that runs are made from            without       with     ratio   its own thread   bytes each")
    for f in lines:
        print(f"  {f['content'] + ', ' + f['when']:24} {f['jobs']:10,} jobs {f['ns_without']:9.1f} ns {f['ns_with']:8.1f} ns {f['ratio']:8.3f} {f['thread_ns']:12.1f} ns {f['bytes_each']:12.1f}")


def show_whatif(figures):
    print(f"\nfairlead whatif, {figures[0]['jobs']:,} jobs that nearly all move")
    for f in figures:
        print(f"  {f['questions']:2} questions  {f['ns'] / 1e6:8.0f} ms, best {f['best_ns'] / 1e6:.0f}; of a processor {f['cpu_ns'] / 1e6:.0f}, "
              f"best {f['best_cpu_ns'] / 1e6:.0f}")


def show_gdi(figures):
    print("\nwhat a qmaster of Grid Engine sends, checked and read")
    for f in figures:
        print(f"  {f['content']:14} {f['mb_per_s']:7.0f} MB/s {f['per_second']:10,.0f} a second   {f['ns_each']:.0f} ns for {f['bytes_each']:.0f} bytes, "
              f"the check {f['check_ns_each']:.0f}")


def show_take(figures):
    print("\nand taken into the mirror")
    for f in figures:
        print(f"  {f['content']:18} {f['per_second']:10,.0f} a second   {f['ns_each']:.0f} ns for {f['bytes_each']:.0f} bytes")


def show_any(figures):
    for f in figures:
        print(f"  {f['what']}  " + "  ".join(f"{name} {value}" for name, value in f.items() if name != "what"))


PARTS = {"full_run": show_full_run, "dispatch": show_dispatch, "multifactor": show_multifactor, "steps": show_steps, "replay": show_replay}  # kinds that have a table for the whole run
KINDS = {"stream": show_stream, "latency": show_latency, "left_out": show_left_out, "events": show_events, "journal": show_journal, "gdi": show_gdi, "traces": show_traces,
         "take": show_take, "whatif": show_whatif, "budget": show_budget,
         "versus": show_versus, "versus_slurm": show_versus_slurm, "read_section": show_read_section, "visible": show_visible, "look": show_look,
         "run_under_readers": show_run_under_readers, "host_round": show_host_round}


def show(figures):
    """Print the figures of one program, or those computed from them."""
    if figures and figures[0]["what"] in PARTS:
        PARTS[figures[0]["what"]](figures)
    else:
        for what in dict.fromkeys(f["what"] for f in figures):
            KINDS.get(what, show_any)([f for f in figures if f["what"] == what])
    print(end="", flush=True)
