/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a Grid Engine qmaster that are applied to the mirror. `take [--jobs N] [--users N]`
 * makes deliveries and prints a JSON line for each kind, the best of some repeats, all on one core:
 *
 *     update    total update of N pending jobs, with the fields that the built-in scheduler
 *               requests, until it is active
 *     jobs      N events JOB_ADD
 *     usage     N events JOB_USAGE of 1,000 running tasks, with 7 values each, as execution hosts
 *               report them
 *     load      N events EXECHOST_MOD of 1,000 hosts, with 6 and with 24 changing values each
 *
 * Another thread has checked each delivery as a whole before (`gdi` measures this).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/measure.h"
#include "sched/qmaster/gridengine/take.h"
#include "sched/sched.h"
#define ALONE_BUT_FOR_THE_CONFIGURATION
#include "tests/gridengine/alone.h"
#include "tests/gridengine/forge.h"

#define MOST_JOBS 1000000
#define REPEATS 5
#define NOW 1700000000
#define TASKS 1000		/* running tasks */
#define HOSTS 1000

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define NUMBER(name, value) { .field = (name), .number = (value) }
#define TEXT(name, value) { .field = (name), .text = (value) }
#define LIST(name, value) { .field = (name), .list = (value) }

static struct sge g;
static struct forge forged;
static struct gdi_writer requests, ids, ranges;
static size_t content_bytes;

/* Jobs */

static const struct gdi_writer *requests_of(const char *hard)
{
	char name[40];
	const char *value = strchr(hard, '=');
	struct forge_value values[] = { TEXT(CE_name, name),	      TEXT(CE_shortcut, ""),
					NUMBER(CE_valtype, 3),	      TEXT(CE_stringval, value ? value + 1 : "TRUE"),
					{ .field = CE_doubleval },    NUMBER(CE_relop, 0),
					NUMBER(CE_consumable, 0),     TEXT(CE_default, ""),
					NUMBER(CE_dominant, 0),	      TEXT(CE_pj_stringval, ""),
					{ .field = CE_pj_doubleval }, NUMBER(CE_pj_dominant, 0),
					NUMBER(CE_requestable, 0),    NUMBER(CE_tagged, 0),
					TEXT(CE_urgency_weight, "") };

	snprintf(name, sizeof(name), "%.*s", (int)(value ? value - hard : (long)strlen(hard)), hard);
	requests.n = 0;
	forge_one(&requests, values, LENGTH(values));
	return &requests;
}

static const struct gdi_writer *one_range(struct gdi_writer *writer, uint32_t min, uint32_t max)
{
	struct forge_value values[] = { NUMBER(RN_min, min), NUMBER(RN_max, max), NUMBER(RN_step, 1) };

	writer->n = 0;
	forge_one(writer, values, LENGTH(values));
	return writer;
}

static void job_write(size_t *list, uint32_t number, const struct job_spec *job)
{
	struct forge_value values[] = { NUMBER(JB_job_number, number),
					TEXT(JB_job_name, job->name),
					LIST(JB_hard_queue_list, NULL),
					TEXT(JB_owner, job->owner),
					LIST(JB_hard_resource_list, requests_of(job->hard)),
					TEXT(JB_group, "users"),
					LIST(JB_ja_n_h_ids, &ids),
					LIST(JB_soft_resource_list, NULL),
					LIST(JB_ja_template, NULL),
					LIST(JB_soft_queue_list, NULL),
					NUMBER(JB_type, 64),
					LIST(JB_ja_u_h_ids, NULL),
					LIST(JB_ja_s_h_ids, NULL),
					LIST(JB_ja_o_h_ids, NULL),
					LIST(JB_ja_a_h_ids, NULL),
					TEXT(JB_pe, job->given & JOB_PE ? job->pe : ""),
					TEXT(JB_project, job->given & JOB_PROJECT ? job->project : ""),
					TEXT(JB_department, job->department),
					NUMBER(JB_execution_time, 0),
					NUMBER(JB_override_tickets, 0),
					LIST(JB_jid_predecessor_list, NULL),
					NUMBER(JB_deadline, 0),
					NUMBER(JB_submission_time, (uint32_t)job->submission_time),
					TEXT(JB_checkpoint_name, ""),
					NUMBER(JB_version, 0),
					NUMBER(JB_priority, (uint32_t)(1024 + job->priority)),
					TEXT(JB_host, ""),
					LIST(JB_ja_structure, &ids),
					NUMBER(JB_jobshare, 0),
					LIST(JB_master_hard_queue_list, NULL),
					LIST(JB_pe_range, job->given & JOB_PE ? one_range(&ranges, 2, 8) : NULL),
					{ .field = JB_nppri },
					{ .field = JB_urg },
					{ .field = JB_nurg },
					{ .field = JB_dlcontr },
					{ .field = JB_wtcontr },
					{ .field = JB_rrcontr },
					NUMBER(JB_soft_wallclock_gmt, 0),
					NUMBER(JB_hard_wallclock_gmt, 0),
					NUMBER(JB_reserve, 0),
					LIST(JB_ja_tasks, NULL),
					NUMBER(JB_ar, 0),
					NUMBER(JB_ja_task_concurrency, 0) };

	if (*list == 0)
		*list = forge_list(&forged.w, values, LENGTH(values));
	forge_element(&forged.w, *list, values, LENGTH(values));
}

/* Deliveries */

static void nothing(enum gdi_event type)
{
	forge_event(&forged, type, 0, 0, "", "");
	gdi_write_null(&forged.w);
}

static void update_write(const struct bench_shape *shape)
{
	struct bench_jobs jobs;
	struct job_spec job;
	size_t list = 0;

	forge_begin(&forged, 1);
	nothing(GDI_EV_EXECHOST_LIST);
	forge_event(&forged, GDI_EV_JOB_LIST, 0, 0, "", "");
	one_range(&ids, 1, 1);
	bench_jobs_begin(&jobs, shape, NOW);
	while (jobs.n < shape->jobs) {
		bench_jobs_next(&jobs, &job);
		job_write(&list, job.job_number, &job);
	}
	if (jobs.n > 0)
		gdi_list_end(&forged.w, list);
	else
		gdi_write_null(&forged.w);
	nothing(GDI_EV_CQUEUE_LIST);
	nothing(GDI_EV_AR_LIST);
	forge_end(&forged);
}

static void jobs_write(const struct bench_shape *shape)
{
	struct bench_jobs jobs;
	struct job_spec job;

	forge_begin(&forged, 1);
	one_range(&ids, 1, 1);
	bench_jobs_begin(&jobs, shape, NOW);
	while (jobs.n < shape->jobs) {
		size_t list = 0;

		bench_jobs_next(&jobs, &job);
		forge_event(&forged, GDI_EV_JOB_ADD, job.job_number, 0, "", "");
		job_write(&list, job.job_number, &job);
		gdi_list_end(&forged.w, list);
	}
	forge_end(&forged);
}

static void tasks_write(const struct bench_shape *shape)
{
	struct bench_jobs jobs;
	struct job_spec job;
	struct forge_value granted[] = { TEXT(JG_qname, "all.q@node"), NUMBER(JG_slots, 1) };

	forge_begin(&forged, 1);
	one_range(&ids, 1, 1);
	requests.n = ranges.n = 0;
	forge_one(&ranges, granted, LENGTH(granted));
	bench_jobs_begin(&jobs, shape, NOW);
	for (uint32_t i = 1; i <= TASKS; i++) {
		struct forge_value task[] = { NUMBER(JAT_task_number, 1), NUMBER(JAT_status, 0x80),
					      NUMBER(JAT_start_time, NOW),
					      LIST(JAT_granted_destin_identifier_list, &ranges) };
		size_t list = 0;

		bench_jobs_next(&jobs, &job);
		job.given &= ~(uint32_t)JOB_PE;
		forge_event(&forged, GDI_EV_JOB_ADD, i, 0, "", "");
		job_write(&list, i, &job);
		gdi_list_end(&forged.w, list);
		forge_event(&forged, GDI_EV_JATASK_ADD, i, 1, "", "");
		forge_one(&forged.w, task, LENGTH(task));
	}
	forge_end(&forged);
}

static void usage_write(uint32_t n)
{
	static const char *const names[] = { "submission_time", "cpu", "mem", "io", "iow", "vmem", "maxvmem" };
	struct forge_value values[] = { { .field = UA_name }, { .field = UA_value } };

	forge_begin(&forged, 1);
	for (uint32_t i = 0; i < n; i++) {
		forge_event(&forged, GDI_EV_JOB_USAGE, 1 + i % TASKS, 1, "", "");
		size_t list = forge_list(&forged.w, values, 2);

		for (size_t k = 0; k < LENGTH(names); k++) {
			values[0].text = names[k];
			values[1].real = (double)(i / TASKS + k) * 1.5;
			forge_element(&forged.w, list, values, 2);
		}
		gdi_list_end(&forged.w, list);
	}
	forge_end(&forged);
}

static void loads_write(struct gdi_writer *writer, uint32_t k, unsigned values)
{
	static const char *const names[] = { "load_avg",     "np_load_avg",   "mem_free",   "mem_used",
					     "cpu",	     "np_load_short", "load_short", "load_medium",
					     "load_long",    "arch",	      "num_proc",   "swap_free",
					     "virtual_free", "mem_total",     "swap_total", "virtual_total",
					     "swap_used",    "virtual_used",  "m_topology", "m_topology_inuse",
					     "m_socket",     "m_core",	      "m_thread",   "np_load_long" };
	struct forge_value load[] = {
		{ .field = HL_name }, { .field = HL_value }, NUMBER(HL_last_update, NOW), NUMBER(HL_static, 0)
	};
	size_t list;

	writer->n = 0;
	list = forge_list(writer, load, LENGTH(load));
	for (unsigned i = 0; i < values; i++) {
		char value[32];

		snprintf(value, sizeof(value), i < 6 ? "%u.%06u" : "%u", i < 6 ? (k + i) % 97 : i,
			 (k * 7919u) % 1000000u);
		load[0].text = names[i];
		load[1].text = value;
		forge_element(writer, list, load, LENGTH(load));
	}
	gdi_list_end(writer, list);
}

static void load_write(uint32_t n, unsigned values)
{
	forge_begin(&forged, 1);
	for (uint32_t i = 0; i < n; i++) {
		char host[16];

		snprintf(host, sizeof(host), "node%u", i % HOSTS);
		loads_write(&ranges, i, values);
		struct forge_value of[] = { TEXT(EH_name, host),
					    LIST(EH_scaling_list, NULL),
					    LIST(EH_consumable_config_list, NULL),
					    LIST(EH_load_list, &ranges),
					    LIST(EH_resource_utilization, NULL),
					    LIST(EH_reschedule_unknown_list, NULL) };

		forge_event(&forged, GDI_EV_EXECHOST_MOD, 0, 0, host, "");
		forge_one(&forged.w, of, LENGTH(of));
	}
	forge_end(&forged);
}

/* Applying deliveries */

static int delivery_take(double *ns)
{
	struct gdi_buffer buffer = { forged.w.bytes, forged.w.bytes + forged.w.n };
	struct gdi_list reports, events;
	struct gdi_element report;
	struct error error;
	double begin;
	int rc = forged.w.rc;

	rc = rc ? rc : gdi_take_header(&buffer, &error);
	rc = rc ? rc : gdi_take_list(&buffer, &reports, &error);
	if (rc)
		return rc;
	gdi_next(&reports, &report);
	begin = now_ns();
	events = gdi_list(&report, REP_list);
	take_registered(&g);
	rc = take_delivery(&g, &events, &error);
	*ns = now_ns() - begin;
	content_bytes = forged.w.n;
	if (rc)
		fprintf(stderr, "take: %s\n", error.text);
	if (g.refused)
		fprintf(stderr, "take: %llu events are refused\n", (unsigned long long)g.refused);
	return rc ? rc : g.refused ? -EPROTO : 0;
}

static int clear(void)
{
	static const struct bench_shape none = { .jobs = 0, .users = 1 };
	struct gdi_writer kept = forged.w;
	double ns;
	int rc;

	forged.w = (struct gdi_writer){ 0 };
	update_write(&none);
	rc = delivery_take(&ns);
	gdi_writer_free(&forged.w);
	forged.w = kept;
	return rc;
}

static int measure(const char *what, uint32_t n, bool anew)
{
	double times[REPEATS];
	struct figure figure;
	int rc = 0;

	for (int i = 0; rc == 0 && i < REPEATS; i++) {
		if (anew)
			rc = clear();
		rc = rc ? rc : delivery_take(&times[i]);
	}
	if (rc)
		return rc;
	figure = figure_of(times, REPEATS, n);
	printf("{\"what\":\"take\",\"content\":\"%s\",\"events\":%u,\"ns_each\":%.1f,\"per_second\":%.0f,"
	       "\"bytes_each\":%.1f,\"mb_per_s\":%.1f}\n",
	       what, n, figure.best, 1e9 / figure.best, (double)content_bytes / n,
	       1e3 * (double)content_bytes / n / figure.best);
	return 0;
}

static int measure_all(const struct bench_shape *shape)
{
	uint32_t n = (uint32_t)shape->jobs;
	double ns;
	int rc;

	update_write(shape);
	rc = measure("update", n, true);
	if (rc == 0)
		jobs_write(shape);
	rc = rc ? rc : measure("jobs", n, true);
	if (rc == 0) {
		rc = clear();
		tasks_write(shape);
	}
	rc = rc ? rc : delivery_take(&ns);
	if (rc == 0)
		usage_write(n);
	rc = rc ? rc : measure("usage", n, false);
	if (rc == 0)
		load_write(n, 6);
	rc = rc ? rc : measure("load of 6 values", n, false);
	if (rc == 0)
		load_write(n, 24);
	return rc ? rc : measure("load of 24 values", n, false);
}

static int in_cell(const char *directory, const struct bench_shape *shape)
{
	const struct segment_options options = { .file_bytes = (size_t)4 << 30, .group = -1 };
	struct report report = { 0 };
	struct intake intake = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	int rc = bench_cell_write(directory, shape);

	rc = rc ? rc : sched_create(&sched, directory, &options, &report, &error);
	if (rc == 0) {
		intake.mirror = sched_mirror(sched);
		g.intake = &intake;
		g.sched = sched;
		g.objects = cell_objects_create();
		rc = g.objects ? take_open(&g, &error) : -ENOMEM;
	}
	rc = rc ? rc : measure_all(shape);
	take_close(&g);
	cell_objects_destroy(g.objects);
	sched_destroy(sched);
	report_free(&report);
	if (rc)
		fprintf(stderr, "take: %s\n", error.text[0] ? error.text : strerror(-rc));
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { 0 } };
	struct bench_shape shape = { .jobs = 100000, .users = 1000, .seed = 1 };
	char directory[BENCH_PATH];
	int c, rc;

	while ((c = getopt_long(argc, argv, "", names, NULL)) == 'j' || c == 'u')
		*(c == 'j' ? &shape.jobs : &shape.users) = strtoul(optarg, NULL, 10);
	if (c != -1 || optind != argc || shape.jobs < TASKS || shape.jobs > MOST_JOBS || shape.users == 0) {
		fprintf(stderr, "usage: take [--jobs N] [--users N]\n");
		return 2;
	}
	alone_is_silent = true;
	if (bench_directory(directory))
		return 1;
	rc = in_cell(directory, &shape);
	bench_cell_remove(directory);
	gdi_writer_free(&forged.w);
	gdi_writer_free(&requests);
	gdi_writer_free(&ids);
	gdi_writer_free(&ranges);
	return rc ? 1 : 0;
}
