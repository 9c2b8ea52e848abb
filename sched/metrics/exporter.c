/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/exporter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/age.h"
#include "sched/metrics/names.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"

#define SECOND_NS 1000000000ull
#define TRIES 20 /* sections on a run that is replaced while it is read */
#define OBSERVE_NS (SECOND_NS / 4) /* interval at which started tasks are observed */
#define OBSERVE_PART 20 /* observation takes at most one part in so many of the time */
#define ATTACH_NS SECOND_NS /* interval at which a missing cell is searched */

/* Connection to the cell */

static void attach_report(struct exporter *exporter, int rc)
{
	if (rc == exporter->attach_error)
		return;
	exporter->attach_error = rc;
	if (rc == -EACCES || rc == -EPERM)
		log_line(LOG_FAILURE,
			 "%s: the published run cannot be read: %s; run fairlead-metrics as a member of the "
			 "group that may read it",
			 exporter->options.cell, strerror(-rc));
	else if (rc == -EPROTO)
		log_line(LOG_FAILURE, "%s: the scheduler has another version; install the same version of both",
			 exporter->options.cell);
	else if (rc)
		log_line(LOG_ODD, "%s: no published run: %s; fairlead_up is 0 until a scheduler publishes one",
			 exporter->options.cell, strerror(-rc));
	else
		log_line(LOG_NOTE, "%s: the published run is read", exporter->options.cell);
}

/* Attach if necessary. Returns true if there is a handle. */
static bool attached(struct exporter *exporter)
{
	if (!exporter->handle) {
		int rc = fl_attach(&exporter->handle, exporter->options.cell);

		attach_report(exporter, rc);
	}
	return exporter->handle != NULL;
}

/* If another scheduler has published in another layout, the handle stays at the old run. */
static void follow_successor(struct exporter *exporter)
{
	struct fl_cell *handle;
	struct fl_run run;
	int rc;

	fl_run(fl_begin(exporter->handle), &run);
	fl_end(exporter->handle);
	if (run.scheduler_alive)
		return;
	rc = fl_attach(&handle, exporter->options.cell);
	attach_report(exporter, rc == -EPROTO ? rc : exporter->attach_error);
	if (rc)
		return;
	fl_detach(exporter->handle);
	exporter->handle = handle;
}

void exporter_open(struct exporter *exporter, const struct exporter_options *options)
{
	*exporter = (struct exporter){ .options = *options, .began = clock_date(), .attach_error = 1 };
	exporter->starts.limits = &exporter->options.limits;
	exporter_observe(exporter);
}

void exporter_close(struct exporter *exporter)
{
	for (size_t format = 0; format < PAGE_FORMATS; format++)
		if (exporter->bodies[format].is_open)
			out_close(&exporter->bodies[format].page.out);
	starts_free(&exporter->starts);
	fl_detach(exporter->handle);
}

void exporter_observe(struct exporter *exporter)
{
	uint64_t begin = clock_monotonic_ns(), pause;
	int rc;

	if (begin < exporter->observe_ns)
		return;
	exporter->observe_ns = begin + ATTACH_NS;
	if (!attached(exporter))
		return;
	follow_successor(exporter);
	rc = starts_observe(&exporter->starts, exporter->handle);
	exporter->evicted += rc == -ESTALE;
	pause = OBSERVE_PART * (clock_monotonic_ns() - begin);
	exporter->observe_ns = clock_monotonic_ns() + (pause > OBSERVE_NS ? pause : OBSERVE_NS);
}

/* Families of a run */

static int shown_users(struct run_reading *reading, const struct exporter_options *options, struct tally *tally)
{
	uint32_t number;
	int rc = 0;

	reading->nusers = tally_rank_users(tally, options->users);
	reading->all_users = options->users < 0;
	reading->users_most = options->users < 0 ? 0 : (size_t)options->users;
	for (size_t k = 0; k < reading->nusers && rc == 0; k++)
		rc = text_set_add(&reading->shown, tally->users.texts[tally->by_user[k].number], &number);
	return rc;
}

static int families_write(struct exposition *page, const struct run_reading *reading, unsigned names)
{
	static int (*const writers[])(struct exposition *, const struct run_reading *) = {
		write_scheduler, write_jobs, write_users,	 write_cluster,
		write_quotas,	 write_tree, write_associations, write_negotiation,
	};
	int rc = 0;

	for (size_t k = 0; k < COUNT_OF(writers) && rc == 0; k++)
		rc = writers[k](page, reading);
	if (rc == 0 && names & NAMES_SLURM)
		rc = write_slurm_names(page, reading);
	if (rc == 0 && names & NAMES_GRID)
		rc = write_grid_names(page, reading);
	return rc;
}

static int view_write(const struct exporter *exporter, const struct fl_view *view, struct exposition *page)
{
	struct inventory inventory = { .nhosts = 0 };
	struct tally tally;
	struct run_reading reading = { .view = view, .tally = &tally, .inventory = &inventory };
	int rc = tally_make(&tally, view, &exporter->options.limits);

	rc = rc ? rc : inventory_read(&inventory, view);
	rc = rc ? rc : shown_users(&reading, &exporter->options, &tally);
	rc = rc ? rc : families_write(page, &reading, exporter->options.names);
	text_set_free(&reading.shown);
	inventory_free(&inventory);
	tally_free(&tally);
	return rc;
}

/* Write the families of the newest run. -ESTALE: the section was evicted. */
static int body_try(struct exporter *exporter, struct body *body)
{
	const struct fl_view *view = fl_begin(exporter->handle);
	struct run_age age;
	struct fl_run run;
	int rc = 0, end;

	fl_run(view, &run);
	age_look(&age, view);
	if (!body->is_made || run.generation != body->generation) {
		body->is_made = false;
		out_rewind(&body->page.out);
		rc = view_write(exporter, view, &body->page);
	}
	end = fl_end(exporter->handle);
	if (end)
		exporter->evicted++;
	if (end || rc)
		return end ? end : rc;
	body->is_made = true;
	body->generation = run.generation;
	body->now = run.now;
	body->late_s = age.late_s;
	return 0;
}

/* Make the body of the newest run. Returns 0, -ENOMEM, or -ESTALE if no run could be read. */
static int body_make(struct exporter *exporter, enum exposition_format format)
{
	struct body *body = &exporter->bodies[format];
	int rc = -ESTALE;

	if (!body->is_open) {
		body->page = (struct exposition){ .format = format, .cluster = exporter->options.cluster };
		rc = out_open_memory(&body->page.out, PAGE_BYTES_MOST);
		if (rc)
			return rc;
		body->is_open = true;
		rc = -ESTALE;
	}
	for (int k = 0; k < TRIES && rc == -ESTALE; k++)
		rc = body_try(exporter, body);
	return rc;
}

/* The exporter itself */

struct own_row {
	double up, age, duration, scrapes, evicted, skipped, began;
};

#define OWN(FIELD) .field = offsetof(struct own_row, FIELD)

static const struct family_column own_columns[] = {
	{ { "fairlead_up", FAMILY_GAUGE, NULL,
	    "1: the run of a living scheduler is shown; 0: there is none, or it is late. All other values are then "
	    "absent." },
	  OWN(up) },
	{ { "fairlead_run_age_seconds", FAMILY_GAUGE, "seconds", "Age of the last published run." }, OWN(age) },
	{ { "fairlead_exporter_scrape_duration_seconds", FAMILY_GAUGE, "seconds", "Time that this page has taken." },
	  OWN(duration) },
	{ { "fairlead_exporter_scrapes", FAMILY_COUNTER, NULL, "Pages since the start of the exporter." },
	  OWN(scrapes) },
	{ { "fairlead_exporter_sections_evicted", FAMILY_COUNTER, NULL,
	    "Runs that the exporter had to read again, because the scheduler had replaced them." },
	  OWN(evicted) },
	{ { "fairlead_exporter_runs_skipped", FAMILY_COUNTER, NULL,
	    "Runs whose started tasks the exporter did not observe." },
	  OWN(skipped) },
	{ { "fairlead_exporter_start_time_seconds", FAMILY_GAUGE, "seconds",
	    "Start of the exporter, since the epoch." },
	  OWN(began) },
};

static size_t no_labels(const void *row, struct label *labels)
{
	(void)row;
	(void)labels;
	return 0;
}

static void write_build(struct exposition *page)
{
	static const struct family family = { "fairlead_exporter_info", FAMILY_GAUGE, NULL,
					      "The version of the exporter; the value is always 1." };

	exposition_family(page, &family);
	exposition_value(page, &(struct label){ "version", FAIRLEAD_VERSION }, 1, 1);
}

/* Write the exporter's own values under the names of an exporter for Slurm. */
static void write_own_names(struct exposition *page, const struct own_row *row)
{
	const struct label collector = { "collector", "fairlead" };

	alias_begin(page, "slurm_exporter_collector_success", "", "", "1: the published run is up to date.");
	exposition_value(page, &collector, 1, row->up);
	alias_begin(page, "slurm_exporter_collector_duration_seconds", "", "", "Time that this page has taken.");
	exposition_value(page, &collector, 1, row->duration);
	alias_begin(page, "slurm_exporter_cache_age_seconds", "", "", "Age of the published run.");
	exposition_value(page, &(struct label){ "cache", "fairlead" }, 1, row->age);
}

/* Write what changes with each scrape. A run of a scheduler that has ended is not up to date. */
static void write_own(struct exporter *exporter, struct exposition *page, const struct body *body, bool is_up,
		      uint64_t begin_ns)
{
	int64_t age = clock_date() - body->now;
	struct own_row row = { .up = is_up,
			       .age = body->now == 0 ? NAN
				      : age > 0	     ? (double)age
						     : 0,
			       .duration = (double)(clock_monotonic_ns() - begin_ns) / 1e9,
			       .scrapes = (double)exporter->scrapes,
			       .evicted = (double)exporter->evicted,
			       .skipped = (double)exporter->starts.skipped,
			       .began = (double)exporter->began };

	exposition_columns(page, own_columns, COUNT_OF(own_columns),
			   &(struct family_rows){ &row, 1, sizeof(row), no_labels });
	write_build(page);
	if (exporter->options.names & NAMES_SLURM)
		write_own_names(page, &row);
}

static bool scheduler_lives(struct exporter *exporter)
{
	struct fl_run run;

	fl_run(fl_begin(exporter->handle), &run);
	fl_end(exporter->handle);
	return run.scheduler_alive;
}

static int assemble(struct exporter *exporter, enum exposition_format format, bool is_up, uint64_t begin_ns,
		    char **text, size_t *bytes)
{
	struct body *body = &exporter->bodies[format];
	struct exposition own = { .format = format, .cluster = exporter->options.cluster };
	const char *families = "", *rest;
	size_t nfamilies = 0, nrest;
	int rc = out_open_memory(&own.out, PAGE_BYTES_MOST);

	if (rc)
		return rc;
	if (is_up) {
		rc = out_held(&body->page.out, &families, &nfamilies);
		starts_write(&exporter->starts, &own);
	}
	write_own(exporter, &own, body, is_up, begin_ns);
	exposition_end(&own);
	rc = rc ? rc : out_held(&own.out, &rest, &nrest);
	*text = rc ? NULL : malloc(nfamilies + nrest);
	if (*text) {
		memcpy(*text, families, nfamilies);
		memcpy(*text + nfamilies, rest, nrest);
		*bytes = nfamilies + nrest;
	}
	out_close(&own.out);
	return *text ? 0 : -ENOMEM;
}

int exporter_scrape(struct exporter *exporter, enum exposition_format format, char **text, size_t *bytes)
{
	uint64_t begin_ns = clock_monotonic_ns();
	const struct body *body = &exporter->bodies[format];
	bool is_up = attached(exporter);

	exporter->scrapes++;
	if (is_up) {
		int rc = body_make(exporter, format);

		if (rc)
			log_line(LOG_ODD, "%s: the run cannot be read: %s", exporter->options.cell, strerror(-rc));
		/* The histograms include the starts of the run that is shown. */
		exporter->observe_ns = 0;
		exporter_observe(exporter);
		is_up = rc == 0 && scheduler_lives(exporter) && clock_date() - body->now <= body->late_s;
	}
	return assemble(exporter, format, is_up, begin_ns, text, bytes);
}
