# Benches. GNUmakefile includes this file. A .c file without a header of the same name is a program.
#
#   make bench    build the benches and run bench/run; bench/README.md describes them

benches := $(patsubst %.c,$B/%,$(filter-out $(patsubst %.h,%.c,$(wildcard bench/*.h)),$(wildcard bench/*.c)))

$(benches): $B/%: $B/%.o $B/bench/cell.o $B/bench/measure.o $B/house.a
	$(link)
$B/bench/full_run: $B/bench/churn.o
$B/bench/dispatch: $B/bench/farm.o
$B/bench/steps: $B/bench/held.o
$B/bench/multifactor: $B/bench/slurm_cell.o
$B/bench/negotiate: $B/bench/negotiate_pool.o
$B/bench/replay: $B/bench/workload.o
$B/bench/read_section: LIBS += -lurcu-memb -lurcu-qsbr	# for comparison; the programs do not use these libraries
$B/bench/read_section: $B/bench/schemes.o

bench-now: all $(benches)
	$QB=$B bench/run
