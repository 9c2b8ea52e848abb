/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/doctor/cell.h"
#include "sched/cli/doctor/nice.h"
#include "sched/cli/doctor/qmaster.h"
#include "sched/cli/doctor/store.h"
#include "sched/cli/verbs.h"
#include "sched/process/json.h"
#include "sched/run/records.h"
#include "shm/attach.h"
#include "shm/numa.h"
#include "shm/pages.h"

#define TRIES 100	/* reading a run takes microseconds */

struct doctor_question {
	enum subject { NOTHING, MEMORY, NICE, STORE, QMASTER } subject;
	const char *where;	/* a store, or ROOT/CELL of a qmaster; NULL: that of the cell */
	enum lever lever;
	bool json;
};

#define FIELD(name) .field = offsetof(struct doctor_question, name)

static int lever_take(void *lever, struct words *words);

const struct argument doctor_options[] = {
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ "--lever", ARGUMENT_CALL, FIELD(lever), .call = lever_take, .value = "LEVER",
	  .sentence = "with nice: test this mechanism: cgroup, autogroup, nice or none" },
	{ .name = NULL },
};

struct use {			/* memory used by one run, in bytes */
	uint64_t gen;
	uint64_t directories, jobs, tables, strings;
	/* Chunks of the job table, and those that are not on their intended node. */
	uint64_t chunks, chunks_away;
};

struct doctor {
	struct placement plan;
	uint8_t *homes;		/* copy of the extents' nodes, NULL before it is read */
	uint64_t extents;
	struct pages interleaved, node[MAX_NODES];
	struct use use;
	uint64_t misplaced;
	int error;		/* reason why the location of pages is unknown, -errno */
};

/*
 * Copy the plan, as the segment may change, and check it. Invalid values must not cause accesses
 * outside of the segment.
 */
static int plan_read(struct doctor *doctor, const struct attachment *attachment)
{
	view_copy(&doctor->plan, &attachment->header->placement, sizeof(doctor->plan));
	doctor->extents = attachment->file_bytes / EXTENT_BYTES;
	if (doctor->plan.nodes < 1 || doctor->plan.nodes > MAX_NODES || doctor->plan.state > PLACEMENT_REFUSED ||
	    attachment->file_bytes - HOMES_OFFSET < doctor->extents)
		return -EPROTO;
	doctor->homes = malloc(doctor->extents + 1);
	if (!doctor->homes)
		return -ENOMEM;
	memcpy(doctor->homes, (const uint8_t *)attachment->header + HOMES_OFFSET, doctor->extents);
	return 0;
}

static uint64_t table_bytes(const struct view *view, unsigned id, size_t bytes_each)
{
	uint64_t count;

	view_table(view, id, bytes_each, &count);
	return count * bytes_each;
}

static bool is_away(const struct doctor *doctor, const struct view *view, uint8_t home, const void *part)
{
	uint64_t extent;

	if (!part)
		return false;
	extent = (uint64_t)((const uint8_t *)part - view->base) / EXTENT_BYTES;
	return extent < doctor->extents && doctor->homes[extent] != home;
}

static void use_read(struct doctor *doctor, const struct view *view)
{
	struct use *use = &doctor->use;
	/* rounded up to whole extents */
	uint64_t results_bytes =
		(LOAD_ONCE(records_run(view)->results_bytes) + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	const struct job_facts *facts;

	memset(use, 0, sizeof(*use));
	use->gen = view->gen;
	use->directories = HOMES_OFFSET;
	for (uint64_t row = 0; (facts = records_facts(view, row)) != NULL; row += CHUNK_ROWS, use->chunks++) {
		uint8_t home = numa_home_of(&doctor->plan, (unsigned)use->chunks);
		const struct job_results *results = records_results(view, row);

		use->chunks_away += is_away(doctor, view, home, facts) || is_away(doctor, view, home, results);
		use->jobs += sizeof(*facts) + (results ? results_bytes : 0);
	}
	for (enum table_id id = 0; id < TABLES; id++)
		use->tables += table_bytes(view, id, records_bytes_each(id));
	use->strings = table_bytes(view, TABLE_STRINGS, sizeof(uint32_t)) + table_bytes(view, TABLE_TEXT, 1);
}

static int run_look(struct doctor *doctor, struct attachment *a)
{
	struct view view;

	for (int k = 0; k < TRIES; k++) {
		attach_begin(a, &view);
		use_read(doctor, &view);
		if (attach_end(a, &view) == 0)
			return 0;
	}
	return -ESTALE;
}

static void home_look(struct doctor *doctor, const struct attachment *attachment, uint8_t home, struct pages *pages)
{
	const struct pages_file file = { attachment->fd, (const uint8_t *)attachment->header, doctor->homes,
					 doctor->extents };
	int err = pages_look(pages, &file, &doctor->plan, home);

	doctor->error = doctor->error ? doctor->error : err;
	doctor->misplaced += pages_misplaced(pages, &doctor->plan, home);
}

static int doctor_look(struct doctor *doctor, struct attachment *attachment)
{
	int err = plan_read(doctor, attachment);

	if (!err)
		err = run_look(doctor, attachment);
	if (err)
		return err;
	home_look(doctor, attachment, HOME_ALL, &doctor->interleaved);
	for (unsigned k = 0; k < doctor->plan.nodes; k++)
		home_look(doctor, attachment, numa_home_of(&doctor->plan, k), &doctor->node[k]);
	return 0;
}

/* Text */

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void home_print(const struct doctor *doctor, const char *name, uint8_t home, const struct pages *pages)
{
	printf("%-12s %12.1f %10.1f %10.1f %10.1f ", name, mib(pages->planned), mib(pages->there), mib(pages->huge),
	       mib(pages_misplaced(pages, &doctor->plan, home)));
	for (unsigned k = 0; k < doctor->plan.nodes; k++)
		if (pages->on[k])
			printf(" %" PRIu32 ":%.1f", doctor->plan.os[k], mib(pages->on[k]));
	if (pages->elsewhere)
		printf(" others:%.1f", mib(pages->elsewhere));
	putchar('\n');
}

static void use_print(const struct doctor *doctor)
{
	const struct use *use = &doctor->use;

	printf("\nrun %" PRIu64 ", MiB: directories %.2f, job table %.2f, tables %.2f, strings %.2f\n", use->gen,
	       mib(use->directories), mib(use->jobs), mib(use->tables), mib(use->strings));
	if (use->chunks_away)
		printf("%" PRIu64 " of %" PRIu64 " chunks of the job table are not in the part of their node\n",
		       use->chunks_away, use->chunks);
}

static void state_print(const struct placement *plan)
{
	if (plan->state == PLACEMENT_ONE)
		printf("one node: the kernel chooses where memory is\n");
	else if (plan->state == PLACEMENT_BOUND)
		printf("%" PRIu32 " nodes, memory is bound to them\n", plan->nodes);
	else if (plan->state == PLACEMENT_FOREIGN)
		printf("%" PRIu32 " nodes of another machine: memory is not bound\n", plan->nodes);
	else
		printf("%" PRIu32 " nodes, but memory could not be bound: %s\n", plan->nodes,
		       strerror((int)plan->error));
}

static void doctor_print(const struct doctor *doctor)
{
	char name[32];

	state_print(&doctor->plan);
	printf("\n%-12s %12s %10s %10s %10s  %s\n", "MiB", "planned", "there", "huge", "misplaced", "node:MiB");
	for (unsigned k = 0; k < doctor->plan.nodes; k++) {
		snprintf(name, sizeof(name), "node %" PRIu32, doctor->plan.os[k]);
		home_print(doctor, name, numa_home_of(&doctor->plan, k), &doctor->node[k]);
	}
	if (doctor->plan.nodes > 1)
		home_print(doctor, "interleaved", HOME_ALL, &doctor->interleaved);
	use_print(doctor);
}

/* JSON */

static const char *const state_names[] = {
	[PLACEMENT_ONE] = "one", [PLACEMENT_BOUND] = "bound", [PLACEMENT_FOREIGN] = "foreign", [PLACEMENT_REFUSED] = "refused",
};

static void home_write_json(struct out *out, const struct doctor *doctor, uint8_t home, const struct pages *pages)
{
	char node[16];

	json_write_number(out, "\"planned\":", (int64_t)pages->planned);
	json_write_number(out, ",\"there\":", (int64_t)pages->there);
	json_write_number(out, ",\"huge\":", (int64_t)pages->huge);
	json_write_number(out, ",\"misplaced\":", (int64_t)pages_misplaced(pages, &doctor->plan, home));
	json_write_literal(out, ",\"on\":{");
	for (unsigned k = 0; k < doctor->plan.nodes; k++) {
		snprintf(node, sizeof(node), "%" PRIu32, doctor->plan.os[k]);
		json_write_string(out, k ? "," : "", node);
		json_write_number(out, ":", (int64_t)pages->on[k]);
	}
	json_write_number(out, "},\"elsewhere\":", (int64_t)pages->elsewhere);
	json_write_literal(out, "}");
}

static int doctor_print_json(const struct doctor *doctor)
{
	const struct use *use = &doctor->use;
	struct out out;
	int err;

	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	json_write_string(&out, "{\"state\":", state_names[doctor->plan.state]);
	json_write_bool(&out, ",\"where_known\":", !doctor->error);
	json_write_number(&out, ",\"misplaced\":", (int64_t)doctor->misplaced);
	json_write_literal(&out, ",\"nodes\":[");
	for (unsigned k = 0; k < doctor->plan.nodes; k++) {
		json_write_number(&out, k ? ",{\"node\":" : "{\"node\":", doctor->plan.os[k]);
		json_write_literal(&out, ",");
		home_write_json(&out, doctor, numa_home_of(&doctor->plan, k), &doctor->node[k]);
	}
	json_write_literal(&out, "],\"interleaved\":{");
	home_write_json(&out, doctor, HOME_ALL, &doctor->interleaved);
	json_write_number(&out, ",\"run\":{\"generation\":", (int64_t)use->gen);
	json_write_number(&out, ",\"directories\":", (int64_t)use->directories);
	json_write_number(&out, ",\"jobs\":", (int64_t)use->jobs);
	json_write_number(&out, ",\"tables\":", (int64_t)use->tables);
	json_write_number(&out, ",\"strings\":", (int64_t)use->strings);
	json_write_number(&out, ",\"chunks\":", (int64_t)use->chunks);
	json_write_number(&out, ",\"chunks_away\":", (int64_t)use->chunks_away);
	json_write_literal(&out, "}}\n");
	err = out_flush(&out);
	out_close(&out);
	return err ? cli_unwritten(-err) : EXIT_OK;
}

/* Verb */

static int verdict(const struct doctor *doctor, const char *cell)
{
	errno = -doctor->error;
	if (doctor->plan.state == PLACEMENT_ONE)
		return EXIT_OK;
	if (doctor->error)
		return cli_fail(EXIT_PERMISSION, "%s: the kernel does not report on which nodes its memory is: %m",
				cell);
	return doctor->plan.state != PLACEMENT_BOUND || doctor->misplaced || doctor->use.chunks_away ? EXIT_DIFFERENCE
												     : EXIT_OK;
}

static int doctor_memory(const char *cell, bool json)
{
	struct doctor doctor = { .error = 0 };
	struct messages messages = { .items = NULL };
	struct attachment attachment;
	int err = attach_open(&attachment, cell, RECORDS_VERSION);

	if (err)
		return cli_attach_failed(cell, err);
	if (!attach_writer_alive(&attachment))
		cli_warn_ended(&messages, cell, attachment.header->writer_pid);
	cli_print(&messages);
	err = doctor_look(&doctor, &attachment);
	attach_close(&attachment);
	if (err)
		err = cli_fail(EXIT_NO_DATA, "%s: %s", cell,
			       err == -ESTALE	? "no run stayed published long enough to be read"
			       : err == -ENOMEM ? "no memory"
						: "the plan in shared memory is damaged");
	if (!err && json)
		err = doctor_print_json(&doctor);
	else if (!err)
		doctor_print(&doctor);
	free(doctor.homes);
	return err ? err : verdict(&doctor, cell);
}

static enum subject subject_of(const char *word)
{
	return !strcmp(word, "memory") ? MEMORY : !strcmp(word, "nice") ? NICE : !strcmp(word, "store") ? STORE :
	       !strcmp(word, "qmaster") ? QMASTER : NOTHING;
}

static int doctor_look_at(const struct doctor_question *question, const char *cell)
{
	if (question->subject == NICE)
		return doctor_nice(question->lever, question->json);
	if (question->lever != LEVER_AUTO)
		return cli_fail(EXIT_USAGE, "doctor: --lever can only be used with nice");
	if (question->subject == STORE)
		return doctor_store(cell, question->where, question->json);
	if (question->subject == QMASTER)
		return doctor_qmaster(cell, question->where, question->json);
	if (!cell || !*cell)
		return cli_no_cell("");
	return question->subject == MEMORY ? doctor_memory(cell, question->json) : doctor_cell(cell, question->json);
}

static int lever_take(void *lever, struct words *words)
{
	if (lever_parse(lever, words->value) || *(enum lever *)lever == LEVER_AUTO)
		return cli_fail(
			EXIT_USAGE,
			"--lever: \"%s\" is not a CPU control mechanism; allowed are cgroup, autogroup, nice and none",
			words->value);
	return EXIT_OK;
}

/* Parse an operand. Return false if the word is not allowed here. */
static bool operand_take(struct doctor_question *question, const char *word)
{
	if (!question->subject)
		return (question->subject = subject_of(word)) != NOTHING;
	if ((question->subject != STORE && question->subject != QMASTER) || question->where)
		return false;
	question->where = word;
	return true;
}

int doctor_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = doctor_options, .argc = argc, .argv = argv, .next = 1 };
	struct doctor_question question = { .lever = LEVER_AUTO };
	int code = options_take(&words, &question);

	for (; !code && words.next < argc; words.next++)
		if (!operand_take(&question, argv[words.next]))
			return cli_fail(EXIT_USAGE,
					"doctor: unexpected word %s; allowed are memory, nice, store and qmaster",
					argv[words.next]);
	return code ? code : doctor_look_at(&question, cell);
}
