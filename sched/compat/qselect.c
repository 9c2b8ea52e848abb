/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <string.h>

const struct argument qselect_options[] = {
	{ "-l", ARGUMENT_TEXT, .value = "RESOURCE=VALUE[,...]",
		.sentence = "select instances that offer these resources" },
	{ "-pe", ARGUMENT_TEXT, .value = "PE[,...]",
		.sentence = "select instances with one of these parallel environments" },
	{ "-q", ARGUMENT_TEXT, .value = "QUEUE[@HOST][,...]",
		.sentence = "select only these queues; patterns and @@GROUP are allowed" },
	{ "-qs", ARGUMENT_TEXT, .value = "a|c|d|o|s|u|A|C|D|E|S",
		.sentence = "select instances with one of these states" },
	{ "-U", ARGUMENT_TEXT, .value = "USER[,...]", .sentence = "select instances that one of these users may use" },
	{ .name = NULL },
};

/* The text of qselect -help of Grid Engine 8.1.9, with the second wc_queue_list */
const char qselect_usage[] =
	"SGE 8.1.9\n"
	"usage: qselect [options]\n"
	"        [-help]                           print this help\n"
	"        [-l resource_list]                request the given resources\n"
	"        [-pe pe_list]                     select only queues with one of these parallel environments\n"
	"        [-q wc_queue_list]                print information on given queue\n"
	"        [-qs {a|c|d|o|s|u|A|C|D|E|S}]     selects queues which are in the given state(s)\n"
	"        [-U user_list]                    select only queues where these users have access\n"
	"\n"
	"pe_list                  pe[,pe,...]\n"
	"job_identifier_list      [job_id|job_name|pattern]{, [job_id|job_name|pattern]}\n"
	"resource_list            resource[=value][,resource[=value],...]\n"
	"user_list                user|*|@group[,user|*|@group],...]\n"
	"resource_attributes      resource,resource,...\n"
	"wc_cqueue                wildcard expression matching a cluster queue\n"
	"wc_host                  wildcard expression matching a host\n"
	"wc_hostgroup             wildcard expression matching a hostgroup\n"
	"wc_qinstance             wc_cqueue@wc_host\n"
	"wc_qdomain               wc_cqueue@wc_hostgroup\n"
	"wc_queue_list            wc_cqueue|wc_qdomain|wc_qinstance\n"
	"wc_queue_list            wc_queue[,wc_queue,...]\n";

/* Convert a refusal. For a resource of no instance Grid Engine prints nothing. */
static bool refusal_take(struct voice *voice, const struct message *message)
{
	(void)voice;
	if (message->reason == REASON_NO_PE)
		fputs("error: no such parallel environment\n", stderr);
	return message->reason == REASON_NO_PE || message->reason == REASON_NO_RESOURCE;
}

int qselect_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name,
			       .verb = "queues",
			       .refusals = stderr,
			       .before = "error: ",
			       .takes_message = refusal_take };
	enum walk_what what;
	struct call call;
	int code = 1;

	if (call_open(&call, "queues", argc))
		return program_fail(program->name, "no memory", NULL);
	call_add(&call, "--names");
	while ((what = walk_next(&walk)) == WALK_OPTION)
		if (strcmp(*walk.words, "-pe") == 0)
			call_add_all(&call, walk.words, 2);
		else
			call_add_all(&call, walk.words, walk.n);
	if (what == WALK_OPERAND)
		program_fail(program->name, "invalid option argument", *walk.words);
	else if (what == WALK_END)
		code = call_show(&call, queues_show, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}
