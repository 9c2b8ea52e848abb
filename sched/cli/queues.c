/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/queues.h"

#include <stdlib.h>
#include <string.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct queues, name)
#define STATES "aACDduESsco"

static int attributes_take(void *queues, struct words *w);
static int group_take(void *queues, struct words *w);
static int names_take(void *names, struct words *w);
static int letters_take(void *letters, struct words *w);
static int wanted_take(void *wanted, struct words *w);

const struct argument queues_options[] = {
	{ "-f", ARGUMENT_FLAG, FIELD(full), .sentence = "each queue instance, as qstat -f prints it" },
	{ "-g", ARGUMENT_CALL, .call = group_take, .value = "c", .sentence = "each cluster queue, as qstat -g c prints it" },
	{ "-ext", ARGUMENT_FLAG, FIELD(extended), .sentence = "with -g c: slots by state, too" },
	{ "-F", ARGUMENT_CALL, .call = attributes_take, .sentence = "what each instance offers: of all resources, or of those named behind it: -F mem,lic; implies -f" },
	{ "-explain", ARGUMENT_CALL, FIELD(explain), .call = letters_take, .value = "a|A|c|E", .sentence = "why an instance is in that state; implies -f" },
	{ "-q", ARGUMENT_CALL, FIELD(patterns), .call = names_take, .value = "QUEUE[@HOST][,...]", .sentence = "these only; patterns, @@GROUP" },
	{ "-qs", ARGUMENT_CALL, FIELD(states), .call = letters_take, .value = "STATES", .sentence = "instances in one of these states: " STATES },
	{ "-ne", ARGUMENT_FLAG, FIELD(nonempty), .sentence = "instances that jobs use" },
	{ "-l", ARGUMENT_CALL, FIELD(wanted), .call = wanted_take, .value = "RESOURCE=VALUE[,...]", .sentence = "instances that offer that" },
	{ "-pe", ARGUMENT_CALL, FIELD(pes), .call = names_take, .value = "PE[,...]", .sentence = "instances with one of these parallel environments" },
	{ "-U", ARGUMENT_CALL, FIELD(allowed), .call = names_take, .value = "USER[,...]", .sentence = "instances that one of these users may use" },
	{ "-u", ARGUMENT_CALL, FIELD(users), .call = names_take, .value = "USER[,...]", .sentence = "with the jobs of these users; '*' means all; implies -f" },
	OPTION_FORMAT("--json", offsetof(struct queues, format), queues_json, "for programs"),
	{ .name = NULL },
};

static int attributes_take(void *queues, struct words *w)
{
	struct queues *q = queues;

	q->attributes = q->full = true;
	if (w->next >= w->argc || *w->argv[w->next] == '-')
		return EXIT_OK;
	return names_add(&q->resources, "queues: -F", w->argv[w->next++]);
}

static int group_take(void *queues, struct words *w)
{
	((struct queues *)queues)->summary = true;
	return strcmp(w->value, "c") == 0 ? EXIT_OK : cli_fail(EXIT_USAGE, "queues: -g knows \"c\", cluster queues, and not \"%s\"", w->value);
}

static int names_take(void *names, struct words *w)
{
	char option[32];

	snprintf(option, sizeof(option), "queues: %.16s", w->row->name);
	return names_add(names, option, (char *)w->value);
}

static int letters_take(void *letters, struct words *w)
{
	const char *allowed = strcmp(w->row->name, "-qs") == 0 ? STATES : "aAcE";
	size_t known = strspn(w->value, allowed);

	*(const char **)letters = w->value;
	if (*w->value && !w->value[known])
		return EXIT_OK;
	return cli_fail(EXIT_USAGE, "queues: %s: \"%s\" is none of the states; they are %s", w->row->name, w->value, allowed);
}

static int wanted_take(void *wanted, struct words *w)
{
	return wanted_add(wanted, "queues", (char *)w->value);
}

static void format_choose(struct queues *q)
{
	q->full |= q->users.n > 0 || q->explain;
	if (q->format.print != queues_picture)
		return;
	if (q->summary || q->extended)
		q->format.print = queues_table;
	else if (q->full)
		q->format.print = queues_list;
}

static int report(const struct queues *q, const char *cell)
{
	if (q->nothing)
		return cluster_nothing(cell);
	if (q->error)
		return cluster_failed(cell, q->error);
	if (q->unknown)
		return cli_fail(EXIT_NO_DATA, "%s: there is no %s \"%s\"; there %s %s", cell, q->unknown_kind, q->unknown, q->known.n == 1 ? "is" : "are",
				q->known.n ? q->known.text : "none");
	return EXIT_OK;
}

int queues_run(const char *cell, int argc, char **argv)
{
	static struct queues q = { .format.print = queues_picture };
	struct words words = { .table = queues_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, &q);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "queues: a queue is named by -q %s", argv[words.next]);
	if (!code && q.summary && q.full)
		code = cli_fail(EXIT_USAGE, "queues: -g c sums up what -f, -F, -u and -explain list: one of them");
	format_choose(&q);
	if (!code)
		code = section_run(cell, q.format.print, &q);
	code = code ? code : report(&q, cell);
	queues_end(&q);
	names_free(&q.resources);
	names_free(&q.patterns);
	names_free(&q.pes);
	names_free(&q.allowed);
	names_free(&q.users);
	free(q.wanted.items);
	return code;
}
