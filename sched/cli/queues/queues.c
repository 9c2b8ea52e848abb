/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/queues/queues.h"

#include <stdlib.h>
#include <string.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct queues, name)
#define JOBS(name) .field = offsetof(struct queues, jobs.name)

static int attributes_take(void *queues, struct words *words);
static int group_take(void *queues, struct words *words);
static int names_take(void *names, struct words *words);
static int queues_take(void *queues, struct words *words);
static int letters_take(void *letters, struct words *words);
static int resources_take(void *queues, struct words *words);

const struct argument queues_options[] = {
	{ "-f", ARGUMENT_FLAG, FIELD(full), .sentence = "show each queue instance, like qstat -f" },
	{ "-g", ARGUMENT_CALL, .call = group_take, .value = "c|d|t",
	  .sentence = "c: show each cluster queue, like qstat -g c; d: show each task of an array; t: show each "
	              "slot of a parallel job" },
	{ "-ext", ARGUMENT_BITS, JOBS(show), .bits = SHOW_EXTENDED,
	  .sentence = "with -g c: also show slots by state; else like stat -ext" },
	{ "-pri", ARGUMENT_BITS, JOBS(show), .bits = SHOW_PRIORITY, .sentence = "show jobs like stat -pri" },
	{ "-urg", ARGUMENT_BITS, JOBS(show), .bits = SHOW_URGENCY, .sentence = "show jobs like stat -urg" },
	{ "-r", ARGUMENT_BITS, JOBS(show), .bits = SHOW_REQUESTS,
	  .sentence = "show the full name and the requests of each job" },
	{ "-t", ARGUMENT_BITS, JOBS(show), .bits = SHOW_TASKS, .sentence = "same as -g t" },
	{ "-s", ARGUMENT_CALL, JOBS(filter.states), .call = states_take, .value = "STATES",
	  .sentence = "show only jobs in these states, see stat -s" },
	{ "-F", ARGUMENT_CALL, .call = attributes_take,
	  .sentence = "show the resources of each instance: all, or those that follow, as in -F mem,lic; implies -f" },
	{ "-explain", ARGUMENT_CALL, FIELD(explain), .call = letters_take, .value = "a|A|c|E",
	  .sentence = "show why an instance is in this state; implies -f" },
	{ "-q", ARGUMENT_CALL, .call = queues_take, .value = "QUEUE[@HOST][,...]",
	  .sentence = "show only these queues; patterns and @@GROUP are allowed" },
	{ "-qs", ARGUMENT_CALL, FIELD(states), .call = letters_take, .value = "STATES",
	  .sentence = "show only instances with one of these states: " INSTANCE_STATES },
	{ "-ne", ARGUMENT_FLAG, FIELD(nonempty), .sentence = "show only instances that jobs use" },
	{ "-l", ARGUMENT_CALL, .call = resources_take, .value = "RESOURCE=VALUE[,...]",
	  .sentence = "show only instances that offer these resources" },
	{ "-pe", ARGUMENT_CALL, JOBS(filter.pes), .call = names_take, .value = "PE[,...]",
	  .sentence = "show only instances with one of these parallel environments" },
	{ "-U", ARGUMENT_CALL, JOBS(filter.queue_users), .call = names_take, .value = "USER[,...]",
	  .sentence = "show only instances that one of these users may use" },
	{ "-u", ARGUMENT_CALL, JOBS(filter.owners), .call = names_take, .value = "USER[,...]",
	  .sentence = "show the jobs of these users; '*' means all users; implies -f" },
	OPTION_FORMAT("-xml", offsetof(struct queues, jobs.format), queues_xml, "print XML, like qstat -f -xml "
			"and -g c -xml"),
	OPTION_FORMAT("--names", offsetof(struct queues, jobs.format), queues_names, "print only the names of "
			"instances, like qselect; exit status 1 if there is none"),
	OPTION_FORMAT("--json", offsetof(struct queues, jobs.format), queues_json, "print JSON"),
	{ .name = NULL },
};

static int attributes_take(void *queues, struct words *words)
{
	struct queues *q = queues;

	q->attributes = q->full = true;
	if (words->next >= words->argc || *words->argv[words->next] == '-')
		return EXIT_OK;
	return names_add(words->messages, &q->resources, "queues", "-F", words->argv[words->next++]);
}

static int group_take(void *queues, struct words *words)
{
	struct queues *q = queues;

	q->summary |= strchr(words->value, 'c') != NULL;
	q->jobs.one_by_one |= strchr(words->value, 'd') != NULL;
	q->jobs.spread |= strchr(words->value, 't') != NULL;
	if (*words->value && !words->value[strspn(words->value, "cdt")])
		return EXIT_OK;
	return message_add(words->messages, EXIT_USAGE, "queues", "-g %s: c, d and t are allowed", words->value);
}

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "queues", words->row->name, (char *)words->value);
}

static int letters_take(void *letters, struct words *words)
{
	*(const char **)letters = words->value;
	return instance_states_check(words->messages, "queues", words->row->name, words->value,
				     strcmp(words->row->name, "-qs") == 0 ? INSTANCE_STATES : "aAcE");
}

/* Append to a list. Jobs are filtered by the list as typed, which is cut later. */
static int list_keep(struct messages *messages, char **list, const char *more)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", more) < 0)
		return message_no_memory(messages);
	free(*list);
	*list = longer;
	return EXIT_OK;
}

static int queues_take(void *queues, struct words *words)
{
	struct queues *q = queues;
	int code = list_keep(words->messages, &q->queue_list, words->value);

	return code ? code : names_add(words->messages, &q->patterns, "queues", "-q", (char *)words->value);
}

static int resources_take(void *queues, struct words *words)
{
	struct queues *q = queues;
	int code = list_keep(words->messages, &q->resource_list, words->value);

	return code ? code : wanted_add(words->messages, &q->wanted, "queues", (char *)words->value);
}

static void format_choose(struct queues *queues)
{
	unsigned columns = queues->jobs.show & (SHOW_EXTENDED | SHOW_PRIORITY | SHOW_URGENCY);

	queues->full |= queues->jobs.filter.owners.n > 0 || queues->explain;
	queues->jobs.spread |= queues->jobs.show & SHOW_TASKS;
	queues->jobs.below_queues = true;
	queues->jobs.show |= columns != SHOW_EXTENDED ? SHOW_TIMES : 0u;
	if (queues->jobs.format.print != queues_picture)
		return;
	if (queues->summary || (columns & SHOW_EXTENDED && !queues->full))
		queues->jobs.format.print = queues_table;
	else if (queues->full)
		queues->jobs.format.print = queues_list;
}

static int report(struct messages *messages, const struct queues *queues, const char *cell)
{
	if (queues->nothing)
		return cluster_nothing(messages, cell);
	if (queues->error)
		return cluster_failed(messages, cell, queues->error);
	if (*queues->jobs.error.text)
		return message_add(messages, EXIT_NO_DATA, "queues", "%s", queues->jobs.error.text);
	if (!queues->unknown)
		return EXIT_OK;
	message_add(messages, EXIT_NO_DATA, NULL, "%s: there is no %s \"%s\"; there %s %s", cell, queues->unknown_kind,
		    queues->unknown, queues->known.n == 1 ? "is" : "are",
		    queues->known.n ? queues->known.text : "none");
	return message_reason(messages, queues->unknown_reason, queues->unknown);
}

int queues_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	static struct queues queues = { .jobs = { .filter.states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED,
						  .format.print = queues_picture } };
	struct words words = { .table = queues_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	int code;

	queues.jobs.messages = messages;
	code = options_read(&words, &queues);
	if (!code && words.next < argc)
		code = message_add(messages, EXIT_USAGE, "queues", "a queue is named by -q %s", argv[words.next]);
	format_choose(&queues);
	queues.jobs.filter.queues = queues.queue_list;
	queues.jobs.filter.resources = queues.resource_list;
	if (!code)
		code = wanted_find(&queues.jobs, cell);
	if (!code)
		code = section_show(messages, cell, queues.jobs.format.print, &queues);
	code = code ? code : report(messages, &queues, cell);
	queues_end(&queues);
	names_free(&queues.resources);
	names_free(&queues.patterns);
	stat_filter_free(&queues.jobs.filter);
	free(queues.queue_list);
	free(queues.resource_list);
	wanted_free(&queues.jobs);
	free(queues.wanted.items);
	return code;
}

int queues_run(const char *cell, int argc, char **argv)
{
	return verb_print(queues_show, cell, argc, argv);
}
