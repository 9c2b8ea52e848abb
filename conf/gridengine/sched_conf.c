/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_conf(5): the table of its parameters, in the order of qconf -ssconf, with the defaults of
 * an installation.
 */
#include "conf/gridengine/sched_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/formula.h"
#include "conf/lists.h"

/* parameter that fills several members */
#define WHOLE(key, type, text) { .name = key, .parse = type, .fallback = text, .required = true }
#define SCHED(key, type, member, text, ...) REQUIRED(key, type, struct sched_conf, member, text, __VA_ARGS__)

static const struct field table[] = {
	SCHED("algorithm", field_algorithm, algorithm, "default"),
	SCHED("schedule_interval", field_time, schedule_interval, "0:0:15"),
	SCHED("maxujobs", field_u32, maxujobs, "0"),
	/* Univa Grid Engine 8.6 has removed this parameter and load_formula. */
	OPTIONAL("queue_sort_method", field_sort_method, struct sched_conf, queue_sort_by_seqno, "load"),
	SCHED("job_load_adjustments", field_pairs, job_load_adjustments, "np_load_avg=0.50"),
	SCHED("load_adjustment_decay_time", field_time, load_adjustment_decay_time, "0:7:30"),
	{ .name = "load_formula", .parse = field_formula, .fallback = "np_load_avg" },
	SCHED("schedd_job_info", field_job_info, schedd_job_info, "false"),
	SCHED("flush_submit_sec", field_u32, flush_submit_sec, "0"),
	SCHED("flush_finish_sec", field_u32, flush_finish_sec, "0"),
	WHOLE("params", field_params, "none"),
	/* Open Cluster Scheduler has removed this parameter. */
	OPTIONAL("reprioritize_interval", field_time, struct sched_conf, reprioritize_interval, "0:0:0"),
	SCHED("halftime", field_u32, halftime, "168"),
	SCHED("usage_weight_list", field_numbers, usage_weight_list, "cpu=1.000000,mem=0.000000,io=0.000000"),
	SCHED("compensation_factor", field_double, compensation_factor, "5.000000"),
	SCHED("weight_user", field_double, weight_user, "0.250000"),
	SCHED("weight_project", field_double, weight_project, "0.250000"),
	SCHED("weight_department", field_double, weight_department, "0.250000"),
	SCHED("weight_job", field_double, weight_job, "0.250000"),
	SCHED("weight_tickets_functional", field_u32, weight_tickets_functional, "0"),
	SCHED("weight_tickets_share", field_u32, weight_tickets_share, "0"),
	SCHED("share_override_tickets", field_bool, share_override_tickets, "TRUE"),
	SCHED("share_functional_shares", field_bool, share_functional_shares, "TRUE"),
	SCHED("max_functional_jobs_to_schedule", field_u32, max_functional_jobs_to_schedule, "200"),
	SCHED("report_pjob_tickets", field_bool, report_pjob_tickets, "TRUE"),
	SCHED("max_pending_tasks_per_job", field_u32, max_pending_tasks_per_job, "50"),
	SCHED("halflife_decay_list", field_halflives, halflife_decay_list, "none"),
	SCHED("policy_hierarchy", field_hierarchy, policy_hierarchy, "OFS"),
	SCHED("weight_ticket", field_double, weight_ticket, "0.010000"),
	SCHED("weight_waiting_time", field_double, weight_waiting_time, "0.000000"),
	SCHED("weight_deadline", field_double, weight_deadline, "3600000.000000"),
	SCHED("weight_urgency", field_double, weight_urgency, "0.100000"),
	SCHED("weight_priority", field_double, weight_priority, "1.000000"),
	SCHED("max_reservation", field_u32, max_reservation, "0"),
	SCHED("default_duration", field_time, default_duration, "INFINITY", .high = 1),
	{ .name = "weight_tickets_override" }, { .name = "version" },
};
_Static_assert(sizeof(table) / sizeof(*table) <= FIELDS_MAX, "struct fields has too few places");

/*
 * Choose the algorithm of a cell without a sched_conf. A slurm.conf is from a Slurm site, a
 * condor_config from an HTCondor pool.
 */
static int algorithm_choose(struct reader *reader)
{
	const char *algorithm = reader->cell->slurm.present	? "multifactor"
				: reader->cell->condor.is_there ? "userprio"
								: NULL;
	struct sched_conf *sched = &reader->cell->sched;
	struct pair *typed = sched->typed.items;

	if (reader->cell->slurm.present && reader->cell->condor.is_there)
		report_add(reader->report, FAULT, reader->dir, 0,
			   "a slurm.conf and a condor_config found: with both of them a sched_conf with "
			   "\"algorithm multifactor\" or \"algorithm userprio\" is needed");
	if (!algorithm)
		return 0;
	free(sched->algorithm);
	sched->algorithm = strdup(algorithm);
	free(typed->text);
	typed->text = strdup(algorithm);
	return sched->algorithm && typed->text ? 0 : -ENOMEM;
}

static int sched_conf_read_file(struct reader *reader, const char *path)
{
	struct fields fields;
	int rc = fields_read_or_none(&fields, table, sizeof(table) / sizeof(*table), path, &reader->cell->sched,
				     reader->report);
	bool absent = rc == -ENOENT;

	/*
	 * A full disk or a mistake can leave an empty file. A comment in the file states that the
	 * defaults are intended.
	 */
	if (absent && fields.text.bytes && fields.text.bytes == fields.text.end)
		report_add(reader->report, WARNING, path, 0,
			   "the file is empty: the installed defaults are in force (a comment in it states that "
			   "they are intended)");
	if (rc != -ENOMEM)
		rc = fields_typed(&fields, &reader->cell->sched.typed);
	if (!rc && absent)
		rc = algorithm_choose(reader);
	if (!rc)
		sched_conf_check(reader, &fields);
	fields_close(&fields);
	return rc;
}

int sched_conf_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "sched_conf");
	int rc = path ? sched_conf_read_file(reader, path) : -ENOMEM;

	free(path);
	return rc;
}

void sched_conf_free(struct sched_conf *sched)
{
	free(sched->algorithm);
	pairs_free(&sched->job_load_adjustments);
	free(sched->load_formula);
	formula_free(&sched->formula);
	free(sched->schedd_job_info);
	free(sched->params);
	pairs_free(&sched->usage_weight_list);
	pairs_free(&sched->halflife_decay_list);
	pairs_free(&sched->typed);
}
