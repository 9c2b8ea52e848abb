/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "conf/base/utf8.h"
#include "sched/cli/cli.h"
#include "sched/cli/doctor/symptoms.h"
#include "shm/place.h"
#include "sched/process/process_state.h"

#define TRIES 100	/* attempts to read a section that is evicted */
/*
 * Limits after which a scheduler counts as stuck, which is more than late (age.h). Its run is older
 * than so many intervals and so many seconds.
 */
#define STUCK_INTERVALS 10
#define STUCK_S 60
/* Minimum number of further runs for which shared memory must have room. */
#define ROOM_RUNS 2

enum { CODE_FINE, CODE_WARNING, CODE_FAULT };

struct published {			/* values of one run, copied out of its section */
	struct fl_run run;
	struct fl_health health;
	struct fl_place place;
	struct fl_source source;
	bool has_health, has_place, has_source;
	struct run_age age;
	char algorithm[64];
};

static void published_take(struct published *seen, const struct fl_view *view)
{
	const char *algorithm = fl_param(view, "algorithm");

	memset(seen, 0, sizeof(*seen));
	fl_run(view, &seen->run);
	seen->has_health = fl_health(view, &seen->health) == 0;
	seen->has_place = fl_place(view, &seen->place) == 0;
	seen->has_source = fl_source(view, &seen->source) == 0;
	age_look(&seen->age, view);
	snprintf(seen->algorithm, sizeof(seen->algorithm), "%s", algorithm ? algorithm : "default");
}

static int published_read(struct published *seen, const char *cell)
{
	struct fl_cell *handle;
	int err = fl_attach(&handle, cell);

	if (err)
		return cli_attach_failed(cell, err);
	for (int k = 0; k < TRIES; k++) {
		published_take(seen, fl_begin(handle));
		err = fl_end(handle);
		if (err == 0)
			break;
	}
	fl_detach(handle);
	return err ? cli_fail(EXIT_NO_DATA, "%s: no run stayed published long enough to be read", cell) : EXIT_OK;
}

static void scheduler_look(struct diagnosis *diagnosis, const struct published *seen)
{
	uint32_t pid = seen->run.scheduler_pid;
	char state;

	if (!seen->run.scheduler_alive) {
		symptom_add(diagnosis, "scheduler", SYMPTOM_FAULT,
			    "process %" PRIu32 " has ended; what is shown is its last run", pid);
		return;
	}
	state = process_state(pid);
	if (state == 'T')
		symptom_remedy(symptom_add(diagnosis, "scheduler", SYMPTOM_FAULT,
					   "process %" PRIu32 " is stopped by a signal", pid),
			       "kill -CONT %" PRIu32, pid);
	else if (state == 't')
		symptom_add(diagnosis, "scheduler", SYMPTOM_FAULT, "process %" PRIu32 " is held by a debugger", pid);
	else
		symptom_add(diagnosis, "scheduler", SYMPTOM_FINE, "process %" PRIu32 ", algorithm %s", pid,
			    seen->algorithm);
}

static void run_look(struct diagnosis *diagnosis, const struct published *seen)
{
	uint64_t took_s = seen->run.run_ns / 1000000000u;
	int64_t age = seen->age.age_s, interval = seen->age.interval_s, late = seen->age.late_s,
		stuck = STUCK_INTERVALS * interval + STUCK_S + (int64_t)took_s;
	enum symptom_state state = age > stuck		       ? SYMPTOM_FAULT
				   : age > late || age < -late ? SYMPTOM_WARNING
							       : SYMPTOM_FINE;

	if (age < -late)
		symptom_add(diagnosis, "run", state,
			    "run %" PRIu64 " has a clock that is %" PRIi64 " s ahead of this machine's", seen->run.run,
			    -age);
	else
		symptom_add(diagnosis, "run", state,
			    "run %" PRIu64 " is %" PRIi64 " s old, with a schedule_interval of %" PRIi64
			    " s; it took %.1f ms",
			    seen->run.run, age < 0 ? 0 : age, interval, (double)seen->run.run_ns / 1e6);
}

static const char *const place_texts[] = {
	[FL_PLACE_TAKING] = "the role of the qmaster's scheduler is being taken",
	[FL_PLACE_OURS] = "this is the scheduler of the qmaster",
	[FL_PLACE_DOUBTFUL] = "the qmaster does not answer: no decisions are sent until it does",
	[FL_PLACE_HANDING_BACK] = "the scheduler role is being handed back: no more jobs are started",
};

/* Report that another scheduler, or none, has the scheduler role. */
static void watching_look(struct diagnosis *diagnosis, const struct fl_place *place)
{
	const char *what = place->shadow ? "shadow" : "qmaster",
		   *does = place->shadow ? "this one only computes" : "this one watches and sends no decisions";
	enum symptom_state state = place->shadow ? SYMPTOM_FINE : SYMPTOM_NOTE;
	struct symptom *symptom;

	if (place->builtin)
		symptom_add(diagnosis, what, state, "the built-in scheduler is in charge, %s", does);
	else if (place->known && *place->host)
		symptom_add(diagnosis, what, state, "%s on %s is in charge, %s", place->name, place->host, does);
	else if (place->known)
		symptom_remedy(symptom_add(diagnosis, what, SYMPTOM_WARNING, "no scheduler has the role, %s", does),
			       "fairlead attach");
	else {
		symptom = symptom_add(diagnosis, what, SYMPTOM_WARNING,
				      "it is not known which scheduler is in charge, %s%s%s", does,
				      *place->reason ? ": " : "", place->reason);
		symptom_remedy(symptom, "fairlead doctor qmaster");
	}
}

static void qmaster_look(struct diagnosis *diagnosis, const struct published *seen)
{
	const struct fl_place *place = &seen->place;
	struct symptom *symptom;

	if (!seen->has_place || place->state < FL_PLACE_WATCHING || place->state > FL_PLACE_HANDING_BACK)
		return;
	if (place->state == FL_PLACE_WATCHING) {
		watching_look(diagnosis, place);
		return;
	}
	symptom = symptom_add(diagnosis, "qmaster",
			      place->state == FL_PLACE_DOUBTFUL ? SYMPTOM_WARNING
			      : place->state == FL_PLACE_OURS	? SYMPTOM_FINE
								: SYMPTOM_NOTE,
			      "%s%s%s", place_texts[place->state], *place->reason ? ": " : "", place->reason);
	if (place->state == FL_PLACE_DOUBTFUL)
		symptom_remedy(symptom, "fairlead doctor qmaster");
}

static void events_look(struct diagnosis *diagnosis, const struct published *seen)
{
	static const char *const texts[] = {
		[FL_SOURCE_THERE] = "a qmaster is connected", [FL_SOURCE_AWAITED] = "no qmaster is connected",
		[FL_SOURCE_ENDED] = "the stream of events has ended",
	};
	const struct fl_source *source = &seen->source;
	bool odd = seen->has_source && (source->state == FL_SOURCE_AWAITED || source->refused || source->unknown);

	if (seen->has_source)
		symptom_add(diagnosis, "events",
			    odd				       ? SYMPTOM_WARNING
			    : source->state == FL_SOURCE_ENDED ? SYMPTOM_NOTE
							       : SYMPTOM_FINE,
			    "up to %" PRIu64 "; %s; %" PRIu64 " refused and %" PRIu64
			    " with unknown names since it began",
			    seen->run.event, texts[source->state], source->refused, source->unknown);
	else
		symptom_add(diagnosis, "events", SYMPTOM_FINE, "up to %" PRIu64, seen->run.event);
}

static void orders_look(struct diagnosis *diagnosis, const struct published *seen)
{
	const struct fl_health *health = &seen->health;

	events_look(diagnosis, seen);
	symptom_add(diagnosis, "orders",
		    health->refused || health->withheld ? SYMPTOM_WARNING
		    : health->orders_kept		? SYMPTOM_NOTE
							: SYMPTOM_FINE,
		    "%" PRIu64 " refused and %" PRIu64 " withheld since it began; %" PRIu64 " not taken yet",
		    health->refused, health->withheld, health->orders_kept);
	if (seen->has_place)
		symptom_add(diagnosis, "hosts", SYMPTOM_FINE,
			    "the execution hosts report to the qmaster: qhost and fairlead hosts show them");
	else
		symptom_add(diagnosis, "hosts", SYMPTOM_FINE, "%" PRIu64 " execution %s connected", health->hosts_up,
			    health->hosts_up == 1 ? "host is" : "hosts are");
}

static void store_look(struct diagnosis *diagnosis, const struct published *seen)
{
	const struct fl_health *health = &seen->health;

	if (health->unbooked)
		symptom_remedy(symptom_add(diagnosis, "store", SYMPTOM_FAULT,
					   "it cannot be read: usage of %" PRIu64 " %s waits to be booked",
					   health->unbooked, health->unbooked == 1 ? "job" : "jobs"),
			       "fairlead doctor store");
	else if (health->store_failures)
		symptom_remedy(symptom_add(diagnosis, "store", SYMPTOM_WARNING,
					   "%" PRIu64 " %s failed since the scheduler began", health->store_failures,
					   health->store_failures == 1 ? "write has" : "writes have"),
			       "fairlead doctor store");
	else
		symptom_add(diagnosis, "store", SYMPTOM_FINE, "no write has failed");
}

static void room_look(struct diagnosis *diagnosis, const struct published *seen, const char *cell)
{
	struct segment_paths paths;
	struct statvfs fs;
	uint64_t left;

	if (segment_paths(&paths, cell) || statvfs(paths.directory, &fs))
		return;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	symptom_add(diagnosis, "shared memory", left < ROOM_RUNS * seen->run.bytes ? SYMPTOM_WARNING : SYMPTOM_FINE,
		    "%.1f MiB a run, %.1f MiB are left for %s", (double)seen->run.bytes / (1 << 20),
		    (double)left / (1 << 20), paths.directory);
}

static void jobs_look(struct diagnosis *diagnosis, const struct published *seen)
{
	symptom_add(diagnosis, "jobs", SYMPTOM_FINE, "%zu waiting, %zu %s started, %" PRIu64 " free %s",
		    seen->run.pending, seen->run.started, seen->run.started == 1 ? "task" : "tasks",
		    seen->run.free_slots, seen->run.free_slots == 1 ? "slot" : "slots");
}

/* Print the verdict first, since monitoring shows only the first line. */
static void verdict_print(const struct diagnosis *diagnosis)
{
	if (diagnosis->faults + diagnosis->warnings == 0)
		printf("%s: well\n", diagnosis->cell);
	else
		printf("%s: %zu %s, %zu %s\n", diagnosis->cell, diagnosis->faults,
		       diagnosis->faults == 1 ? "fault" : "faults", diagnosis->warnings,
		       diagnosis->warnings == 1 ? "warning" : "warnings");
	diagnosis_print(diagnosis);
}

int doctor_cell(const char *cell, bool json)
{
	struct diagnosis diagnosis = { .n = 0 };
	struct published seen;
	int code = published_read(&seen, cell);

	if (code)
		return code;
	snprintf(diagnosis.cell, sizeof(diagnosis.cell), "%s", cell);
	utf8_clean(diagnosis.cell);
	scheduler_look(&diagnosis, &seen);
	run_look(&diagnosis, &seen);
	qmaster_look(&diagnosis, &seen);
	if (seen.has_health) {
		orders_look(&diagnosis, &seen);
		store_look(&diagnosis, &seen);
	}
	room_look(&diagnosis, &seen, cell);
	jobs_look(&diagnosis, &seen);
	if (json)
		code = diagnosis_print_json(&diagnosis, "well");
	else
		verdict_print(&diagnosis);
	return code ? code : diagnosis.faults ? CODE_FAULT : diagnosis.warnings ? CODE_WARNING : CODE_FINE;
}
