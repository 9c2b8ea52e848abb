/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/usage/statement.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/number.h"
#include "conf/base/report.h"
#include "conf/cell.h"
#include "conf/lists.h"
#include "sched/cli/tree/shares.h"
#include "sched/cli/whole_file.h"
#include "sched/explain/standing.h"
#include "sched/reader/handle.h"
#include "sched/run/resend.h"
#include "sched/whatif/whatif.h"
#include "tickets/customers.h"

#define RATE_LEAST_S 60			/* run time from which reported usage is used as a rate */
#define RANKS_TRIED 100			/* own pending jobs of which an eligible one is searched */

static const char *const kind_names[RECOVERY_KINDS] = { "cpu", "mem", "io" };

/* Configuration of the published run */

/* Load the cell from the files of the run. Return 0, or an error of resend_files(). */
static int cell_of_run(struct cell *cell, const struct fl_view *view)
{
	struct cell_files files = { 0 };
	struct report report = { 0 };
	int rc = resend_files(&view->view, &files);

	*cell = (struct cell){ 0 };
	if (rc == 0) {
		rc = cell_load_files(cell, ".", &files, &report);
		if (rc == 0 && report.faults > 0)
			rc = -EPROTO;
	}
	report_free(&report);
	cell_files_free(&files);
	return rc;
}

static double half_life_of(const struct cell *cell, const char *name)
{
	const struct pair *own = pairs_find(&cell->sched.halflife_decay_list, name);
	double seconds = own ? own->value * 60 : cell->sched.halftime * 3600.0;

	/* a negative value discards usage at once */
	return seconds < 0 ? 1 : seconds;
}

static void decay_set(struct user_statement *statement, const struct cell *cell)
{
	for (int k = 0; k < RECOVERY_KINDS; k++) {
		struct recovery_kind *kind = &statement->recovery.kinds[k];
		const struct pair *weight = pairs_find(&cell->sched.usage_weight_list, kind_names[k]);

		if (statement->share == SHARE_ASSOCIATIONS) {
			kind->weight = k == 0;
			kind->half_life_s = cell->slurm.half_life;
		} else {
			kind->weight = weight && weight->value > 0 && isfinite(weight->value) ? weight->value : 0;
			kind->half_life_s = half_life_of(cell, kind_names[k]);
		}
	}
	statement->half_life_s = cell->condor.halflife;
}

/* Jobs */

static uint64_t tasks_of(const struct fl_job *job)
{
	uint64_t n = job->nranges == 0;

	for (size_t k = 0; k < job->nranges; k++) {
		const struct fl_range *range = &job->tasks[k];

		if (range->step > 0 && range->max >= range->min)
			n += (range->max - range->min) / range->step + 1;
	}
	return n;
}

/* Return the run time limit of a job in seconds; 0: none. */
static uint32_t limit_of(const struct fl_job *job, uint32_t default_duration)
{
	char value[ACCOUNTING_VALUE_BYTES];
	uint32_t seconds;

	if (accounting_request(job->hard_resources, "h_rt", value) && number_time(value, &seconds) == 0)
		return seconds == UINT32_MAX ? 0 : seconds;
	return default_duration == UINT32_MAX ? 0 : default_duration;
}

static bool is_suspended(const struct fl_job *job)
{
	return strpbrk(job->state, "sST") != NULL;
}

/* Add the growth of the usage of a running task. One processor a slot, until usage is reported. */
static void rate_add(struct user_statement *statement, const struct fl_job *job, bool is_mine)
{
	double run_s = (double)(statement->now - job->start_time);
	bool is_known = job->has_usage && job->start_time > 0 && run_s >= RATE_LEAST_S;
	const double used[RECOVERY_KINDS] = { job->cpu, job->mem, job->io };

	if (is_suspended(job))
		return;
	for (int k = 0; k < RECOVERY_KINDS; k++) {
		struct recovery_kind *kind = &statement->recovery.kinds[k];
		double rate = is_known && statement->share == SHARE_TREE ? used[k] / run_s : k ? 0 : job->slots;

		kind->all_rate += rate;
		kind->my_rate += is_mine ? rate : 0;
	}
}

static void jobs_add(struct statement_jobs *jobs, const struct fl_job *job, uint64_t tasks, double left_s)
{
	jobs->tasks += tasks;
	jobs->slots += tasks * job->slots;
	if (left_s < 0)
		jobs->endless += tasks;
	else
		jobs->committed_slot_s += left_s * (double)(tasks * job->slots);
}

static void started_read(struct user_statement *statement, const struct fl_view *view, uint32_t default_duration)
{
	for (size_t row = 0; row < fl_count(view, FL_STARTED); row++) {
		struct fl_job job;

		if (fl_get(view, FL_STARTED, row, &job))
			return;
		bool is_mine = strcmp(job.owner, statement->query->user) == 0;
		double limit_s = limit_of(&job, default_duration);

		rate_add(statement, &job, is_mine);
		if (is_mine)
			jobs_add(&statement->running, &job, 1,
				 limit_s > 0 ? fmax(limit_s - (double)(statement->now - job.start_time), 0) : -1);
	}
}

/* Read the pending jobs, and find the first one that is eligible. */
static void pending_read(struct user_statement *statement, const struct fl_view *view, uint32_t default_duration)
{
	size_t tried = 0;

	for (size_t row = 0; row < fl_count(view, FL_PENDING); row++) {
		struct fl_job job;

		if (fl_get(view, FL_PENDING, row, &job))
			return;
		if (strcmp(job.owner, statement->query->user))
			continue;
		double limit_s = limit_of(&job, default_duration);

		jobs_add(&statement->pending, &job, tasks_of(&job), limit_s > 0 ? limit_s : -1);
		if (statement->job_number == 0 && tried++ < RANKS_TRIED && standing_rank(view, job.job_number) > 0)
			statement->job_number = job.job_number;
	}
}

/* Shares */

static void usage_add(struct user_statement *statement, const struct share_line *line)
{
	bool is_mine = strcmp(line->user, statement->query->user) == 0;
	const double used[RECOVERY_KINDS] = { line->own.cpu, line->own.mem, line->own.io };

	for (int k = 0; k < RECOVERY_KINDS; k++) {
		statement->recovery.kinds[k].all += used[k];
		statement->recovery.kinds[k].mine += is_mine ? used[k] : 0;
	}
	/* the promise among active nodes, otherwise by the shares of all nodes */
	if (is_mine) {
		statement->recovery.promised += line->job_count > 0 ? line->long_target_share : line->total;
		statement->received += line->usage;
		statement->share = SHARE_TREE;
	}
}

static void landed_add(const struct share_line *line, void *statement)
{
	usage_add(statement, line);
}

static int tree_read(struct user_statement *statement, const struct fl_view *view)
{
	struct shares shares;
	int rc = shares_build(&shares, view);

	for (size_t k = 0; rc == 0 && k < shares.nnodes; k++) {
		if (!shares.nodes[k].line.is_inner)
			usage_add(statement, &shares.nodes[k].line);
		shares_each(&shares, k, landed_add, statement);
	}
	if (rc == 0 && shares.nnodes > 0 && shares.nodes[0].line.usage > 0)
		statement->received /= shares.nodes[0].line.usage;
	else
		statement->received = 0;
	shares_free(&shares);
	return rc == -ENOMEM ? rc : 0;
}

static void associations_read(struct user_statement *statement, const struct fl_view *view)
{
	struct recovery_kind *kind = &statement->recovery.kinds[0];
	struct fl_association association;

	for (size_t k = 0; fl_association(view, k, &association) == 0; k++) {
		if (k == 0)
			kind->all = association.raw_usage;
		if (!association.is_user || strcmp(association.user, statement->query->user))
			continue;
		statement->share = SHARE_ASSOCIATIONS;
		statement->recovery.promised += association.norm_shares;
		statement->received += association.norm_usage;
		kind->mine += association.raw_usage;
	}
}

/* Read the submitters of the user. The one with the highest effective priority value counts. */
static void customers_read(struct user_statement *statement, const struct fl_view *view)
{
	struct fl_customer customer;

	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++) {
		if (customer.is_group || !customer_is_of(customer.name, statement->query->user))
			continue;
		statement->share = SHARE_PRIORITY;
		statement->weight_used += customer.weight_used;
		if (customer.rup * customer.factor > statement->eup) {
			statement->rup = customer.rup;
			statement->eup = customer.rup * customer.factor;
		}
	}
}

static int share_read(struct user_statement *statement, const struct fl_view *view)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	if (fl_multifactor(view, &multifactor) == 0)
		associations_read(statement, view);
	else if (fl_negotiation(view, &negotiation) == 0)
		customers_read(statement, view);
	else
		return tree_read(statement, view);
	return 0;
}

/* Recovery */

/* A real priority decays towards the weight in use, and never below RUP_LEAST. */
static int64_t priority_time(const struct user_statement *statement, double weight_used)
{
	double seconds;

	if (statement->rup <= RUP_LEAST)
		return weight_used > RUP_LEAST ? -1 : 0;
	if (weight_used >= RUP_LEAST)
		return -1;
	seconds = statement->half_life_s * log2((statement->rup - weight_used) / (RUP_LEAST - weight_used));
	return seconds < (double)RECOVERY_MOST_S ? (int64_t)ceil(seconds) : -1;
}

static void recovery_find(struct user_statement *statement)
{
	if (statement->share == SHARE_NONE)
		return;
	statement->has_recovery = true;
	if (statement->share == SHARE_PRIORITY) {
		statement->idle_s = priority_time(statement, 0);
		statement->present_s = priority_time(statement, statement->weight_used);
	} else {
		statement->idle_s = recovery_time(&statement->recovery, true);
		statement->present_s = recovery_time(&statement->recovery, false);
	}
}

/* Ranks */

static int rank_in(struct whatif *whatif, const struct suppositions *suppositions, uint32_t job_number, uint64_t *rank,
		   struct error *error)
{
	struct fl_cell *result;
	int rc = whatif_run(whatif, suppositions, &result, error);

	if (rc)
		return rc;
	*rank = standing_rank(fl_begin(result), job_number);
	fl_end(result);
	fl_detach(result);
	return 0;
}

/* Compute the rank of the first job as in the run, and without the past usage of the user. */
static int ranks_compute(struct user_statement *statement, struct whatif *whatif, struct error *error)
{
	struct suppositions none = { 0 }, without = { 0 };
	int rc = suppose_decay(&without, "--decay", statement->query->user, RECOVERY_MOST_S);

	whatif_reconfigured(whatif);
	if (rc == 0)
		rc = rank_in(whatif, &none, statement->job_number, &statement->rank, error);
	if (rc == 0)
		rc = rank_in(whatif, &without, statement->job_number, &statement->rank_without, error);
	suppose_nothing(&without);
	return rc;
}

static int ranks_find(struct user_statement *statement, const struct fl_view *view)
{
	struct standing_place place;
	struct whatif *whatif = NULL;
	struct error error = { .text = "" };
	int rc;

	if (statement->job_number == 0)
		return 0;
	rc = standing_find(&place, view, statement->job_number);
	statement->jobs = place.jobs;
	standing_free(&place);
	if (rc == 0)
		rc = whatif_open(&whatif, view, &error);
	if (rc == 0)
		rc = ranks_compute(statement, whatif, &error);
	whatif_close(whatif);
	statement->has_ranks = rc == 0;
	if (rc)
		snprintf(statement->why_no_ranks, sizeof(statement->why_no_ranks), "%s",
			 *error.text ? error.text : strerror(-rc));
	return rc == -ENOMEM ? rc : 0;
}

int statement_read(struct user_statement *statement, const struct fl_view *view)
{
	struct user_statement empty = { .query = statement->query, .used = statement->used };
	struct cell cell;
	struct fl_run run;
	int rc;

	*statement = empty;
	fl_run(view, &run);
	statement->now = run.now;
	rc = share_read(statement, view);
	if (rc)
		return rc;
	rc = cell_of_run(&cell, view);
	started_read(statement, view, rc ? 0 : cell.sched.default_duration);
	pending_read(statement, view, rc ? 0 : cell.sched.default_duration);
	if (rc == 0) {
		decay_set(statement, &cell);
		recovery_find(statement);
	} else {
		statement->no_recovery = rc == -EACCES ? "the configuration of the cell is not published to its users"
						       : "the configuration of the run cannot be read";
	}
	cell_free(&cell);
	return rc == -ENOMEM ? rc : ranks_find(statement, view);
}

/* Output */

static int print(const struct fl_view *view, struct out *out, void *context)
{
	struct user_statement *statement = context;

	if (statement_read(statement, view)) {
		out->error = -ENOMEM;
		return EXIT_OK;
	}
	if (statement->query->html)
		statement_html(out, statement);
	else if (statement->query->json)
		statement_json(out, statement);
	else
		statement_text(out, statement);
	return EXIT_OK;
}

/* Write the page. "-": standard output. */
static int page_write(const char *cell, struct user_statement *statement)
{
	struct messages messages = { .items = NULL };
	struct section_end end = { .code = EXIT_OK };
	struct whole_file file;
	struct out page;
	const char *text;
	size_t bytes;
	int code, rc;

	if (strcmp(statement->query->html, "-") == 0)
		return section_run(cell, print, statement);
	if (out_open_memory(&page, OUT_HELD_BYTES))
		return cli_fail(EXIT_NO_DATA, "no memory");
	code = section_render(&messages, cell, &page, print, statement, &end);
	if (!code)
		code = whole_file_begin(&file, statement->query->html);
	if (!code) {
		rc = out_held(&page, &text, &bytes);
		if (rc == 0)
			out_bytes(&file.out, text, bytes);
		code = whole_file_end(&file, rc);
		section_notes(&messages, cell, &end);
	}
	cli_print(&messages);
	out_close(&page);
	return code;
}

int usage_statement(const char *cell, const struct usage_query *query)
{
	struct user_statement statement = { .query = query };
	struct usage_sums sums = { .total = { 0 } };
	uint64_t faults;
	int code = usage_read(cell, query, &sums, &faults);

	statement.used = sums.total;
	usage_sums_free(&sums);
	if (code)
		return code;
	return query->html ? page_write(cell, &statement) : section_run(cell, print, &statement);
}
