/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/doctor_cell.h"
#include "sched/cli/doctor_nice.h"
#include "sched/cli/doctor_qmaster.h"
#include "sched/cli/doctor_store.h"
#include "sched/cli/verbs.h"
#include "sched/process/json.h"
#include "sched/run/records.h"
#include "shm/attach.h"
#include "shm/numa.h"
#include "shm/pages.h"

#define TRIES 100	/* a look into a run takes microseconds */

struct doctor_question {
	enum subject { NOTHING, MEMORY, NICE, STORE, QMASTER } subject;
	const char *where;	/* a store, or ROOT/CELL of a qmaster; NULL: that of the cell */
	enum lever lever;
	bool json;
};

#define FIELD(name) .field = offsetof(struct doctor_question, name)

static int lever_take(void *lever, struct words *w);

const struct argument doctor_options[] = {
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ "--lever", ARGUMENT_CALL, FIELD(lever), .call = lever_take, .value = "LEVER",
	  .sentence = "with nice: test this mechanism: cgroup, autogroup, nice or none" },
	{ .name = NULL },
};

struct use {			/* of one run, in bytes */
	uint64_t gen;
	uint64_t directories, jobs, tables, strings;
	/* of the job table; those that are not on the node meant for them */
	uint64_t chunks, chunks_away;
};

struct doctor {
	struct placement plan;
	uint8_t *homes;		/* of the extents, a copy; NULL before it is read */
	uint64_t extents;
	struct pages interleaved, node[MAX_NODES];
	struct use use;
	uint64_t misplaced;
	int error;		/* why it is not known where pages lie, -errno */
};

/*
 * As with all that is in the segment: whatever it says, we don't look outside of it. A copy, for it
 * changes meanwhile.
 */
static int plan_read(struct doctor *d, const struct attachment *a)
{
	view_copy(&d->plan, &a->header->placement, sizeof(d->plan));
	d->extents = a->file_bytes / EXTENT_BYTES;
	if (d->plan.nodes < 1 || d->plan.nodes > MAX_NODES || d->plan.state > PLACEMENT_REFUSED || a->file_bytes - HOMES_OFFSET < d->extents)
		return -EPROTO;
	d->homes = malloc(d->extents + 1);
	if (!d->homes)
		return -ENOMEM;
	memcpy(d->homes, (const uint8_t *)a->header + HOMES_OFFSET, d->extents);
	return 0;
}

static uint64_t table_bytes(const struct view *view, unsigned id, size_t bytes_each)
{
	uint64_t count;

	view_table(view, id, bytes_each, &count);
	return count * bytes_each;
}

static bool is_away(const struct doctor *d, const struct view *view, uint8_t home, const void *part)
{
	uint64_t extent;

	if (!part)
		return false;
	extent = (uint64_t)((const uint8_t *)part - view->base) / EXTENT_BYTES;
	return extent < d->extents && d->homes[extent] != home;
}

static void use_read(struct doctor *d, const struct view *view)
{
	struct use *use = &d->use;
	/* whole extents */
	uint64_t results_bytes = (LOAD_ONCE(records_run(view)->results_bytes) + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	const struct job_facts *facts;

	memset(use, 0, sizeof(*use));
	use->gen = view->gen;
	use->directories = HOMES_OFFSET;
	for (uint64_t row = 0; (facts = records_facts(view, row)) != NULL; row += CHUNK_ROWS, use->chunks++) {
		uint8_t home = numa_home_of(&d->plan, (unsigned)use->chunks);
		const struct job_results *results = records_results(view, row);

		use->chunks_away += is_away(d, view, home, facts) || is_away(d, view, home, results);
		use->jobs += sizeof(*facts) + (results ? results_bytes : 0);
	}
	for (enum table_id id = 0; id < TABLES; id++)
		use->tables += table_bytes(view, id, records_bytes_each(id));
	use->strings = table_bytes(view, TABLE_STRINGS, sizeof(uint32_t)) + table_bytes(view, TABLE_TEXT, 1);
}

static int run_look(struct doctor *d, struct attachment *a)
{
	struct view view;

	for (int k = 0; k < TRIES; k++) {
		attach_begin(a, &view);
		use_read(d, &view);
		if (attach_end(a, &view) == 0)
			return 0;
	}
	return -ESTALE;
}

static void home_look(struct doctor *d, const struct attachment *a, uint8_t home, struct pages *pages)
{
	const struct pages_file file = { a->fd, (const uint8_t *)a->header, d->homes, d->extents };
	int err = pages_look(pages, &file, &d->plan, home);

	d->error = d->error ? d->error : err;
	d->misplaced += pages_misplaced(pages, &d->plan, home);
}

static int doctor_look(struct doctor *d, struct attachment *a)
{
	int err = plan_read(d, a);

	if (!err)
		err = run_look(d, a);
	if (err)
		return err;
	home_look(d, a, HOME_ALL, &d->interleaved);
	for (unsigned k = 0; k < d->plan.nodes; k++)
		home_look(d, a, numa_home_of(&d->plan, k), &d->node[k]);
	return 0;
}

/* Text */

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void home_print(const struct doctor *d, const char *name, uint8_t home, const struct pages *pages)
{
	printf("%-12s %12.1f %10.1f %10.1f %10.1f ", name, mib(pages->planned), mib(pages->there), mib(pages->huge),
	       mib(pages_misplaced(pages, &d->plan, home)));
	for (unsigned k = 0; k < d->plan.nodes; k++)
		if (pages->on[k])
			printf(" %" PRIu32 ":%.1f", d->plan.os[k], mib(pages->on[k]));
	if (pages->elsewhere)
		printf(" others:%.1f", mib(pages->elsewhere));
	putchar('\n');
}

static void use_print(const struct doctor *d)
{
	const struct use *use = &d->use;

	printf("\nrun %" PRIu64 ", MiB: directories %.2f, job table %.2f, tables %.2f, strings %.2f\n", use->gen, mib(use->directories), mib(use->jobs),
	       mib(use->tables), mib(use->strings));
	if (use->chunks_away)
		printf("%" PRIu64 " of %" PRIu64 " chunks of the job table are not in the part of their node\n", use->chunks_away, use->chunks);
}

static void state_print(const struct placement *plan)
{
	if (plan->state == PLACEMENT_ONE)
		printf("one node: memory lies where the kernel puts it\n");
	else if (plan->state == PLACEMENT_BOUND)
		printf("%" PRIu32 " nodes, memory is bound to them\n", plan->nodes);
	else if (plan->state == PLACEMENT_FOREIGN)
		printf("%" PRIu32 " nodes of another machine: memory is not bound\n", plan->nodes);
	else
		printf("%" PRIu32 " nodes, but memory could not be bound: %s\n", plan->nodes, strerror((int)plan->error));
}

static void doctor_print(const struct doctor *d)
{
	char name[32];

	state_print(&d->plan);
	printf("\n%-12s %12s %10s %10s %10s  %s\n", "MiB", "planned", "there", "huge", "misplaced", "node:MiB");
	for (unsigned k = 0; k < d->plan.nodes; k++) {
		snprintf(name, sizeof(name), "node %" PRIu32, d->plan.os[k]);
		home_print(d, name, numa_home_of(&d->plan, k), &d->node[k]);
	}
	if (d->plan.nodes > 1)
		home_print(d, "interleaved", HOME_ALL, &d->interleaved);
	use_print(d);
}

/* JSON */

static const char *const state_names[] = {
	[PLACEMENT_ONE] = "one", [PLACEMENT_BOUND] = "bound", [PLACEMENT_FOREIGN] = "foreign", [PLACEMENT_REFUSED] = "refused",
};

static void home_write_json(struct out *o, const struct doctor *d, uint8_t home, const struct pages *pages)
{
	char node[16];

	json_write_number(o, "\"planned\":", (int64_t)pages->planned);
	json_write_number(o, ",\"there\":", (int64_t)pages->there);
	json_write_number(o, ",\"huge\":", (int64_t)pages->huge);
	json_write_number(o, ",\"misplaced\":", (int64_t)pages_misplaced(pages, &d->plan, home));
	json_write_literal(o, ",\"on\":{");
	for (unsigned k = 0; k < d->plan.nodes; k++) {
		snprintf(node, sizeof(node), "%" PRIu32, d->plan.os[k]);
		json_write_string(o, k ? "," : "", node);
		json_write_number(o, ":", (int64_t)pages->on[k]);
	}
	json_write_number(o, "},\"elsewhere\":", (int64_t)pages->elsewhere);
	json_write_literal(o, "}");
}

static int doctor_print_json(const struct doctor *d)
{
	const struct use *use = &d->use;
	struct out o;
	int err;

	if (out_open(&o, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	json_write_string(&o, "{\"state\":", state_names[d->plan.state]);
	json_write_bool(&o, ",\"where_known\":", !d->error);
	json_write_number(&o, ",\"misplaced\":", (int64_t)d->misplaced);
	json_write_literal(&o, ",\"nodes\":[");
	for (unsigned k = 0; k < d->plan.nodes; k++) {
		json_write_number(&o, k ? ",{\"node\":" : "{\"node\":", d->plan.os[k]);
		json_write_literal(&o, ",");
		home_write_json(&o, d, numa_home_of(&d->plan, k), &d->node[k]);
	}
	json_write_literal(&o, "],\"interleaved\":{");
	home_write_json(&o, d, HOME_ALL, &d->interleaved);
	json_write_number(&o, ",\"run\":{\"generation\":", (int64_t)use->gen);
	json_write_number(&o, ",\"directories\":", (int64_t)use->directories);
	json_write_number(&o, ",\"jobs\":", (int64_t)use->jobs);
	json_write_number(&o, ",\"tables\":", (int64_t)use->tables);
	json_write_number(&o, ",\"strings\":", (int64_t)use->strings);
	json_write_number(&o, ",\"chunks\":", (int64_t)use->chunks);
	json_write_number(&o, ",\"chunks_away\":", (int64_t)use->chunks_away);
	json_write_literal(&o, "}}\n");
	err = out_flush(&o);
	out_close(&o);
	errno = -err;
	return err ? cli_fail(EXIT_NO_DATA, "writing the output: %m") : EXIT_OK;
}

/* The verb */

static int verdict(const struct doctor *d, const char *cell)
{
	errno = -d->error;
	if (d->plan.state == PLACEMENT_ONE)
		return EXIT_OK;
	if (d->error)
		return cli_fail(EXIT_PERMISSION, "%s: the kernel does not tell where its memory lies: %m", cell);
	return d->plan.state != PLACEMENT_BOUND || d->misplaced || d->use.chunks_away ? EXIT_DIFFERENCE : EXIT_OK;
}

static int doctor_memory(const char *cell, bool json)
{
	struct doctor d = { .error = 0 };
	struct attachment a;
	int err = attach_open(&a, cell, RECORDS_VERSION);

	if (err)
		return cli_attach_failed(cell, err);
	if (!attach_writer_alive(&a))
		cli_warn_ended(cell, a.header->writer_pid);
	err = doctor_look(&d, &a);
	attach_close(&a);
	if (err)
		err = cli_fail(EXIT_NO_DATA, "%s: %s", cell, err == -ESTALE ? "no run stayed long enough to be looked at" :
			       err == -ENOMEM ? "no memory" : "the plan in shared memory is damaged");
	if (!err && json)
		err = doctor_print_json(&d);
	else if (!err)
		doctor_print(&d);
	free(d.homes);
	return err ? err : verdict(&d, cell);
}

static enum subject subject_of(const char *word)
{
	return !strcmp(word, "memory") ? MEMORY : !strcmp(word, "nice") ? NICE : !strcmp(word, "store") ? STORE :
	       !strcmp(word, "qmaster") ? QMASTER : NOTHING;
}

static int doctor_look_at(const struct doctor_question *q, const char *cell)
{
	if (q->subject == NICE)
		return doctor_nice(q->lever, q->json);
	if (q->lever != LEVER_AUTO)
		return cli_fail(EXIT_USAGE, "doctor: --lever is for nice alone");
	if (q->subject == STORE)
		return doctor_store(cell, q->where, q->json);
	if (q->subject == QMASTER)
		return doctor_qmaster(cell, q->where, q->json);
	if (!cell || !*cell)
		return cli_no_cell("");
	return q->subject == MEMORY ? doctor_memory(cell, q->json) : doctor_cell(cell, q->json);
}

static int lever_take(void *lever, struct words *w)
{
	if (lever_parse(lever, w->value) || *(enum lever *)lever == LEVER_AUTO)
		return cli_fail(EXIT_USAGE, "--lever: \"%s\" is none; there are cgroup, autogroup, nice and none", w->value);
	return EXIT_OK;
}

/* False: the word is none that can stand here. */
static bool operand_take(struct doctor_question *q, const char *word)
{
	if (!q->subject)
		return (q->subject = subject_of(word)) != NOTHING;
	if ((q->subject != STORE && q->subject != QMASTER) || q->where)
		return false;
	q->where = word;
	return true;
}

int doctor_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = doctor_options, .argc = argc, .argv = argv, .next = 1 };
	struct doctor_question question = { .lever = LEVER_AUTO };
	int code = options_take(&words, &question);

	for (; !code && words.next < argc; words.next++)
		if (!operand_take(&question, argv[words.next]))
			return cli_fail(EXIT_USAGE, "doctor: unexpected word %s; memory, nice, store and qmaster are all it knows", argv[words.next]);
	return code ? code : doctor_look_at(&question, cell);
}
