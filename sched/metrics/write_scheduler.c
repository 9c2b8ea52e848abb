/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: its last run, its orders, its source of events, its role at a qmaster. */
#include <math.h>

#include "sched/metrics/reading.h"

#define RUN(FIELD) .field = offsetof(struct run_row, FIELD)

struct run_row {
	double now, duration, runs, bytes, events, free_slots;
	double starts, reservations, unbooked, withheld, refused, outstanding, hosts, store, evicted;
	double events_refused, events_unknown;
};

static const struct family_column columns[] = {
	{ { "fairlead_run_timestamp_seconds", FAMILY_GAUGE, "seconds",
	    "Clock of the last published run, since the epoch." },
	  RUN(now) },
	{ { "fairlead_run_duration_seconds", FAMILY_GAUGE, "seconds",
	    "Duration of the last run until its publication." },
	  RUN(duration) },
	{ { "fairlead_runs", FAMILY_COUNTER, NULL, "Runs since the start of the scheduler." }, RUN(runs) },
	{ { "fairlead_run_memory_bytes", FAMILY_GAUGE, "bytes", "Shared memory of the published run." }, RUN(bytes) },
	{ { "fairlead_events", FAMILY_COUNTER, NULL, "Number of the last event that the run includes." }, RUN(events) },
	{ { "fairlead_free_slots", FAMILY_GAUGE, NULL, "Free slots in queue instances in which jobs may start." },
	  RUN(free_slots) },
	{ { "fairlead_run_starts", FAMILY_GAUGE, NULL, "Job starts that the last run decided." }, RUN(starts) },
	{ { "fairlead_run_reservations", FAMILY_GAUGE, NULL, "Reservations that the last run made." },
	  RUN(reservations) },
	{ { "fairlead_unbooked_usage", FAMILY_GAUGE, NULL,
	    "Jobs and tasks whose usage is not booked yet, because the store cannot be read." },
	  RUN(unbooked) },
	{ { "fairlead_starts_withheld", FAMILY_COUNTER, NULL,
	    "Job starts withheld since the start of the scheduler, because they would have used more than is free." },
	  RUN(withheld) },
	{ { "fairlead_orders_refused", FAMILY_COUNTER, NULL,
	    "Orders that the qmaster has refused since the start of the scheduler." },
	  RUN(refused) },
	{ { "fairlead_orders_outstanding", FAMILY_GAUGE, NULL, "Orders that the qmaster has not accepted yet." },
	  RUN(outstanding) },
	{ { "fairlead_connected_hosts", FAMILY_GAUGE, NULL, "Execution hosts whose fairlead-hostd is connected." },
	  RUN(hosts) },
	{ { "fairlead_store_failures", FAMILY_COUNTER, NULL,
	    "Failures of the store since the start of the scheduler." },
	  RUN(store) },
	{ { "fairlead_readers_evicted", FAMILY_COUNTER, NULL,
	    "Sections of readers that the scheduler has evicted since its start." },
	  RUN(evicted) },
	{ { "fairlead_events_refused", FAMILY_COUNTER, NULL, "Events refused since the start of the scheduler." },
	  RUN(events_refused) },
	{ { "fairlead_events_unknown", FAMILY_COUNTER, NULL,
	    "Events with unknown names or members since the start of the scheduler." },
	  RUN(events_unknown) },
};

static size_t no_labels(const void *row, struct label *labels)
{
	(void)row;
	(void)labels;
	return 0;
}

static void health_read(const struct fl_view *view, struct run_row *row)
{
	struct fl_health health;
	struct fl_source source;
	uint64_t evicted;

	if (fl_health(view, &health) == 0) {
		row->starts = (double)health.starts;
		row->reservations = (double)health.reservations;
		row->unbooked = (double)health.unbooked;
		row->withheld = (double)health.withheld;
		row->refused = (double)health.refused;
		row->outstanding = (double)health.orders_kept;
		row->hosts = (double)health.hosts_up;
		row->store = (double)health.store_failures;
	}
	if (fl_evicted(view, &evicted) == 0)
		row->evicted = (double)evicted;
	if (fl_source(view, &source) == 0) {
		row->events_refused = (double)source.refused;
		row->events_unknown = (double)source.unknown;
	}
}

static void write_run(struct exposition *page, const struct fl_view *view)
{
	struct run_row row;
	struct fl_run run;
	double *values = (double *)&row;

	for (size_t i = 0; i < sizeof(row) / sizeof(double); i++)
		values[i] = NAN;
	fl_run(view, &run);
	row.now = (double)run.now;
	row.duration = (double)run.run_ns / 1e9;
	row.runs = (double)run.run;
	row.bytes = (double)run.bytes;
	row.events = (double)run.event;
	row.free_slots = (double)run.free_slots;
	health_read(view, &row);
	exposition_columns(page, columns, COUNT_OF(columns), &(struct family_rows){ &row, 1, sizeof(row), no_labels });
}

static void write_phases(struct exposition *page, const struct fl_view *view)
{
	static const struct family family = {
		"fairlead_run_phase_seconds", FAMILY_GAUGE, "seconds",
		"Duration of a phase of the last run; of publication, that of the run before."
	};
	struct fl_phase phase;

	exposition_family(page, &family);
	for (size_t k = 0; fl_phase(view, k, &phase) == 0; k++) {
		const struct label label = { "phase", phase.name };

		exposition_value(page, &label, 1, (double)phase.ns / 1e9);
	}
}

/* Write a family with a sample for each state: 1 for the current one, 0 for the others. */
static void write_states(struct exposition *page, const struct family *family, const char *const *names, unsigned n,
			 unsigned current)
{
	exposition_family(page, family);
	for (unsigned k = 1; k < n; k++) {
		const struct label label = { "state", names[k] };

		exposition_value(page, &label, 1, k == current);
	}
}

static void write_role(struct exposition *page, const struct fl_view *view)
{
	static const char *const sources[] = {
		[FL_SOURCE_THERE] = "connected", [FL_SOURCE_AWAITED] = "awaited", [FL_SOURCE_ENDED] = "ended"
	};
	static const char *const roles[] = { [FL_PLACE_WATCHING] = "watching",
					     [FL_PLACE_TAKING] = "taking",
					     [FL_PLACE_OURS] = "held",
					     [FL_PLACE_DOUBTFUL] = "doubtful",
					     [FL_PLACE_HANDING_BACK] = "handing_back" };
	static const struct family source_family = { "fairlead_source_state", FAMILY_GAUGE, NULL,
						     "1 for the state of the source of events, 0 for the others." };
	static const struct family role_family = {
		"fairlead_role_state", FAMILY_GAUGE, NULL,
		"1 for the state of the scheduler role at the qmaster, 0 for the others."
	};
	struct fl_source source;
	struct fl_place place;

	if (fl_source(view, &source) == 0)
		write_states(page, &source_family, sources, COUNT_OF(sources), source.state);
	if (fl_place(view, &place) == 0)
		write_states(page, &role_family, roles, COUNT_OF(roles), place.state);
}

int write_scheduler(struct exposition *page, const struct run_reading *reading)
{
	static const struct family family = { "fairlead_scheduler_info", FAMILY_GAUGE, NULL,
					      "The algorithm of the scheduler; the value is always 1." };
	const struct label label = { "algorithm", fl_param(reading->view, "algorithm") };

	exposition_family(page, &family);
	exposition_value(page, &label, 1, 1);
	write_run(page, reading->view);
	write_phases(page, reading->view);
	write_role(page, reading->view);
	return 0;
}
