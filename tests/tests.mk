# Tests, fuzz harnesses and libraries that tests preload. GNUmakefile includes this file.
#
#   make deps             install the Debian packages that make, make run and make check need: about 140, 112 MB to download, 439 MB
#                         on disk. Without root and sudo, print the command that installs them.
#   make check            run all tests but those below; it installs the packages of `make deps` and no others
#   make check-ROOM       build and run the tests of one directory; tests/README.md lists the directories. `tests/all PATTERN` runs a part.
#   make check-programs   build the programs of make check without running them
#   make check-clang      make check with clang
#   make check-asan       make check with sanitizers; new and freed memory is filled with bytes that are not 0
#   make check-qmaster    tests in a private cell of a real Grid Engine, from Debian's packages; needs root; tests/qmaster/README.md
#   make check-numa       memory placement in an emulated machine of four NUMA nodes; a minute or two
#   make check-cgroup     control of jobs by cgroup v2 in an emulated machine; some minutes
#   make check-browser    the page of fairlead replay in Debian's chromium: 690 MB of packages
#   make check-fresh      the commands of README.md in new Debian 12 systems, as root and as a user, in other directories, languages and
#                         time zones; needs root. FRESH='2 3' selects systems. tests/fresh/run runs any command in such a system.
#   make check-packages   build the packages and check their contents; install, upgrade, remove and purge them in an emulated machine with
#                         systemd; needs root; some minutes
#   make check-compat     Grid Engine's clients and DRMAA with Debian's workflow engines and language bindings: 1000 MB of packages.
#                         WORKFLOWS=all adds the Java binding and nipype, another 820 MB.
#   make check-metrics    tests of fairlead-metrics with Debian's prometheus, 320 MB of packages; BOARDS=DIR also checks the dashboards in DIR
#   make fuzz             search for inputs that break a fuzz harness: MINUTES=1 for each, FUZZ=NAME for one; tests/fuzz/README.md
#   make fuzz-syntax      check that clang compiles each fuzz harness
#   make coverage         run make check with counters in the product, and print the executed lines and branches of each room
#   make mutants          change the program at 100 random places, and count the changes that make check notices; some hours.
#                         MUTANTS='--seed 1 --first 31 --count 30' runs a part of a sample; tests/mutants/mutants -h
#   make judge            compare random cells in a real Grid Engine and in Fairlead: CLASSES=pe,soft SEED=1 CELLS=4 LIVE=1;
#                         tests/judge/README.md
#   make soak             publish for a minute while readers are stopped and killed, and measure the cost for the writer
#   make soak-dispatch    compare dispatch with a second implementation on a thousand random cells; a minute or two
#   make soak-negotiation compare HTCondor's negotiation with a second implementation on two thousand random pools; half a minute
#   make soak-replay      compare replay with a second simulator on five hundred random workloads; two minutes
#
#   make SAN=thread build-thread/tests/run/workers   build one test with a sanitizer; it does not check fences between processes

CLANG            ?= clang
DEBIAN           := gcc make pkg-config libc6-dev libjansson-dev libhwloc-dev libnuma-dev libsqlite3-dev sqlite3 libzmq3-dev libmunge-dev \
                    munge iproute2 zlib1g-dev libcmocka-dev scdoc mandoc strace python3 spin liburcu-dev libzstd-dev libxxhash-dev libncurses-dev tmux \
                    libmicrohttpd-dev
DEBIAN_CLANG     := clang libclang-rt-14-dev
DEBIAN_BROWSER   := chromium
DEBIAN_FRESH     := debootstrap git
DEBIAN_METRICS   := prometheus
DEBIAN_GUEST     := qemu-system-x86 busybox-static cpio
DEBIAN_PACKAGES  := $(DEBIAN_DEB) $(DEBIAN_GUEST) debootstrap e2fsprogs lintian rpm rpmlint
DEBIAN_QMASTER   := gridengine-master gridengine-exec gridengine-client gridengine-common	# tests/qmaster/install does not start them
DEBIAN_WORKFLOWS := snakemake python3-drmaa toil r-cran-batchtools python3-ruffus python3-gevent coop-computing-tools openmpi-bin \
                    $(if $(filter all,$(WORKFLOWS)),libdrmaa1.0-java default-jdk-headless python3-nipype)

# A directory of tests/ with unit tests (each .c file is a program) or scripts has a target check-ROOM.
tested      := $(filter-out fresh fuzz naive packages preload reference,$(sort $(patsubst tests/%/,%,$(dir $(wildcard tests/*/*.c tests/*/*.sh tests/hostile/*)))))
tests       := $(patsubst %.c,$B/%,$(wildcard $(patsubst %,tests/%/*.c,$(tested)))) $B/tests/torture/readers-broken
fuzzers     := $(patsubst %.c,$B/%,$(filter-out $(addprefix tests/fuzz/,support.c print.c replay.c fuzzer.c),$(wildcard tests/fuzz/*.c)))
broken      := $(fuzzers:=-broken)	# negative controls: the corpus must find the defect of each
shims       := $(patsubst %.c,$B/%.so,$(wildcard tests/preload/*.c))
hasty       := $B/tests/qmaster/live/hasty
room_checks := $(addprefix check-,$(filter-out compat numa cgroup metrics qmaster,$(tested)))

# Tests are compiled without optimisation and without debug information. They are linked without debug sections and by gold, if it is
# installed, because ld needs almost twice the time. `private` keeps these variables from the product's objects and archives that a test
# depends on. Tests with sanitizers are compiled and linked like the product.
gold = $(eval gold := $(if $(shell command -v ld.gold),-fuse-ld=gold))$(gold)
$B/tests/%.o: private TEST_CFLAGS = $(if $(SAN),,-O0 -g0) $(dumping)
$B/tests/naive/%.o: private TEST_CFLAGS = $(if $(SAN),,-g0)	# second implementations compute a lot
$(tests) $(fuzzers) $(broken): private TEST_LDFLAGS = $(if $(SAN),,-Wl,--strip-debug $(gold))

# Only the product counts its lines and branches. Tests store the counters, too, in the processes that they fork. In the dialect gnu11,
# gcc replaces fork() and exec() by functions that store the counters.
ifdef COVERAGE
dumping := -include tests/coverage/dump.h
$B/conf/%.o $B/shm/%.o $B/urgency/%.o $B/tickets/%.o $B/sched/%.o: private TEST_CFLAGS = -O0 -g0 -std=gnu11 --coverage -fprofile-update=atomic $(dumping)
LDFLAGS += --coverage
endif

$(tests) $(hasty) $(fuzzers) $(broken):
	$(link)
$B/tests/support.a: $(filter-out %/main.o,$(call object,tests/naive/*.c sched/cli/*.c sched/cli/*/*.c sched/compat/*.c sched/daemon/*.c sched/drmaa/*.c sched/hostd/*.c sched/metrics/*.c))
$(tests): LIBS += -lcmocka -lpthread
$(tests): $B/%: $B/%.o $B/tests/support.a $B/house.a
$(hasty): %: %.o $(call object,sched/daemon/*.c) $B/house.a
$(fuzzers) $(broken): %: %.o $(addprefix $B/tests/fuzz/,support.o print.o $(if $(findstring fuzzer,$(SAN)),fuzzer.o,replay.o)) \
	$B/tests/support.a $B/house.a
$(shims): $B/%.so: $B/%.o
	$(call step,LINK  $@)$Q$(LINK) -shared -o $@ $<

$B/tests/torture/readers-broken.o: tests/torture/readers.c | packages	# a negative control
	$(compile) -DBROKEN_READER
$B/tests/fuzz/%-broken.o: tests/fuzz/%.c | packages
	$(compile) -DBROKEN

# Functions that a test replaces.
played := post_send post_credential place_state place_is_proven known_job known_instance_version known_pe_controls_slaves known_user_version \
	known_project_version known_tree_version
$B/tests/gridengine/settlement $B/tests/gridengine/settlement_dropped $B/tests/gridengine/settlement_memory $B/tests/gridengine/usage: LINK_FLAGS = $(played:%=-Wl,--wrap=%)
$B/tests/gridengine/shadow: LINK_FLAGS = -Wl,--wrap=sge_deliver,--wrap=post_record_free
$B/tests/gridengine/shadow_numbers: LINK_FLAGS = -Wl,--wrap=sge_deliver,--wrap=post_record_free,--wrap=post_credential,--wrap=post_send
$(hasty): LINK_FLAGS = -Wl,--wrap=known_user_version,--wrap=known_project_version	# the negative control of live/kills
$B/tests/run/memory_random: LINK_FLAGS = -Wl,--wrap=mirror_apply
$B/tests/conf/bad $B/tests/condor/bad: LINK_FLAGS = -Wl,--wrap=number_double	# their negative control

# The function that is defective in the negative control of a fuzz harness.
$B/tests/fuzz/%-broken: LINK_FLAGS = -Wl,--wrap=$(defect)
$B/tests/fuzz/cell-broken: defect = slurm_text
$B/tests/fuzz/classad-broken: defect = classad_value_text
$B/tests/fuzz/condor-broken: defect = number_double
$B/tests/fuzz/configuration-broken: defect = text_item_refuse
$B/tests/fuzz/events-broken: defect = ranges_copy
$B/tests/fuzz/frames-broken: defect = utf8_clean
$B/tests/fuzz/gdi-broken: defect = gdi_field
$B/tests/fuzz/import-broken: defect = name_check
$B/tests/fuzz/journal-broken: defect = digests_compare
$B/tests/fuzz/objects-broken: defect = utf8_length
$B/tests/fuzz/reader-broken: defect = json_text
$B/tests/fuzz/records-broken: defect = utf8_clean
$B/tests/fuzz/relay-broken: defect = image_take
$B/tests/fuzz/requests-broken: defect = execution_check
$B/tests/fuzz/script-broken: defect = text_file_check
$B/tests/fuzz/store-broken: defect = query_text
$B/tests/fuzz/take-broken: defect = ranges_copy
$B/tests/fuzz/trace-broken: defect = trace_started
$B/tests/fuzz/wire-broken: defect = digits_exact

check-numa check-cgroup: DEBIAN += $(DEBIAN_GUEST)
check-clang fuzz: DEBIAN += $(DEBIAN_CLANG)
check-compat: DEBIAN += $(DEBIAN_WORKFLOWS)
check-browser: DEBIAN += $(DEBIAN_BROWSER)
check-metrics: DEBIAN += $(DEBIAN_METRICS)
check-fresh: DEBIAN = $(DEBIAN_FRESH)
check-packages: DEBIAN += $(DEBIAN_PACKAGES)
check-qmaster: grid-deps
grid-deps: deps
	$Qtests/qmaster/install $(DEBIAN_QMASTER)
# These targets install packages first. The second make then finds pkg-config.
installing := run bench check check-clang check-asan check-numa check-cgroup check-browser check-compat check-metrics \
	check-fresh check-packages check-qmaster $(room_checks) coverage mutants fuzz judge soak soak-dispatch soak-negotiation soak-replay
$(installing): deps
	$Q$(MAKE) --no-print-directory $@-now
deps:
	$Qsh tests/deps $(DEBIAN)

check-programs: all $(tests) $(fuzzers) $(broken) $(shims) $(benches)
check-now: check-programs
	$QB=$B tests/all
$(room_checks:=-now): check-%-now: all $(shims) $(filter %/driver,$(tests))
	$QB=$B tests/all '$*: '
$(foreach check,$(room_checks),$(eval $(check)-now: $(filter $B/tests/$(check:check-%=%)/%,$(tests))))
check-system-now: $(fuzzers) $(broken) $(benches)
check-browser-now: all
	$QB=$B tests/all 'cli: replay_page'
check-fresh-now:
	$Qtests/fresh/all $(FRESH)
check-packages-now: deb rpm
	$Qtests/packages/contents $B/deb $B/rpm
	$QB=$B tests/packages/run $B/deb || [ $$? = 77 ]
check-compat-now: all
	$QB=$B tests/all 'compat: ' 'drmaa: '
check-metrics-now: all $(filter $B/tests/metrics/%,$(tests))
	$QB=$B BOARDS=$(BOARDS) tests/all 'metrics: ' 'hostile: scrapes'
check-qmaster-now: all $(hasty) $(filter $B/tests/qmaster/%,$(tests))
	$QB=$B tests/all --live 'qmaster: '
check-numa-now: all $B/tests/numa/placement $B/tests/shm/workers
	$QB=$B tests/numa/run || [ $$? = 77 ]
check-cgroup-now: all $B/tests/host/cgroup
	$QB=$B tests/cgroup/run || [ $$? = 77 ]
check-clang-now:
	$Q$(MAKE) --no-print-directory CC='$(CLANG)' B=build-clang check-now
check-asan-now:
	$QASAN_OPTIONS=max_malloc_fill_size=1048576:malloc_fill_byte=190:max_free_fill_size=4096:free_fill_byte=222:verify_asan_link_order=0:$$ASAN_OPTIONS \
	$(MAKE) --no-print-directory SAN=address,undefined check-now

fuzz-now:	# an empty array may be NULL: clang alone objects to NULL + 0, which C2y allows
	$Q$(MAKE) --no-print-directory CC='$(CLANG)' CFLAGS='$(CFLAGS) -fno-sanitize=pointer-overflow' SAN=fuzzer,address,undefined fuzz-built
fuzz-built: $(if $(FUZZ),$B/tests/fuzz/$(FUZZ),$(fuzzers))
	$QB=$B tests/fuzz/run
fuzz-syntax:	# each harness, also with its defect
	$Qfor broken in '' -DBROKEN; do $(CLANG) $(filter-out -MMD -MP,$(FLAGS)) $(CFLAGS) $$broken -fsyntax-only $(wildcard tests/fuzz/*.c) || exit; done

coverage-now:
	$Q$(MAKE) --no-print-directory COVERAGE=1 check-programs
	$Qtests/coverage/coverage
mutants-now: check-programs
	$QB=$B tests/mutants/mutants $(MUTANTS)
judge-now: all	# Grid Engine is not installed here, because Debian starts its daemons after an installation
	$QB=$B tests/judge/judge $(if $(CLASSES),--classes '$(CLASSES)') $(if $(SEED),--seed $(SEED)) $(if $(CELLS),--cells $(CELLS)) $(if $(LIVE),--live) \
	    --differing $B/judge
soak-now: $B/tests/torture/lives
	$Q$< 60
soak-dispatch-now: all
	$QB=$B tests/dispatch/random --cells 1000
soak-negotiation-now: $B/tests/negotiation/driver
	$QB=$B tests/negotiation/random --pools 2000
soak-replay-now: all
	$QB=$B tests/replay/random --traces 500

.PHONY: $(installing) $(installing:=-now) deps check-programs grid-deps fuzz-built fuzz-syntax
