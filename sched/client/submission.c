/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "sched/client/job_inside.h"
#include "sched/client/operands.h"
#include "sched/client/submission.h"
#include "sched/client/trouble.h"
#include "sched/process/ranges.h"
#include "sched/process/which_cell.h"

#define FIELD(name) .field = offsetof(struct submission, name)

static int asked_take(void *submission, struct words *words);
static int bool_take(void *submission, struct words *words);
static int cell_take(void *submission, struct words *words);
static int check_take(void *submission, struct words *words);
static int clear_take(void *submission, struct words *words);
static int idle_take(void *submission, struct words *words);
static int prefix_take(void *submission, struct words *words);
static int tasks_take(void *submission, struct words *words);

/* Options that scripts use and that have no effect here. `detail` is the reason. */
#define IDLE(name_, value_, why) \
	{ name_, ARGUMENT_CALL, .call = idle_take, .value = value_, .detail = why, .sentence = "accepted and ignored: " why }

const struct argument submit_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "--again", ARGUMENT_TEXT, FIELD(copied), .value = "JOB[,...]",
	  .sentence = "submit copies of these jobs of yours without their holds; no other option is allowed" },
	{ "-b", ARGUMENT_CALL, .call = asked_take, .detail = &(const size_t){ offsetof(struct submission, binary) }, .value = "y|n",
	  .sentence = "y: run a command, n: a script (default: detected from the file)" },
	{ "-c", ARGUMENT_CALL, .call = cell_take, .value = "CELL", .detail = "a local cell makes no checkpoints of its own",
	  .sentence = "use the cell in this directory; in a file of options -c is qsub's and is ignored" },
	{ "-C", ARGUMENT_CALL, .call = prefix_take, .value = "PREFIX",
	  .sentence = "read options from script lines that begin with PREFIX (default: #$; \"\": from none)" },
	{ "-clear", ARGUMENT_CALL, .call = clear_take, .sentence = "discard the options before it" },
	{ "-h", ARGUMENT_FLAG, FIELD(held), .sentence = "submit it with a user hold" },
	{ "-now", ARGUMENT_CALL, .call = bool_take, .detail = &(const size_t){ offsetof(struct submission, follow.now) }, .value = "y|n",
	  .sentence = "y: start it in the next run or reject it, and wait for the result" },
	{ "-ot", ARGUMENT_CALL, .call = job_take_count, .detail = "override_tickets", .value = "N",
	  .sentence = "set the override tickets" },
	{ "-shell", ARGUMENT_CALL, .call = asked_take, .detail = &(const size_t){ offsetof(struct submission, shell) }, .value = "y|n",
	  .sentence = "y: run a command by the shell (default: y with -b y, else n)" },
	{ "-sync", ARGUMENT_CALL, .call = bool_take, .detail = &(const size_t){ offsetof(struct submission, follow.sync) }, .value = "y|n",
	  .sentence = "y: wait for its end, and exit with its exit status" },
	{ "-t", ARGUMENT_CALL, .call = tasks_take, .value = "N[-M[:S]]",
	  .sentence = "submit an array job with a task for each number" },
	{ "-terse", ARGUMENT_FLAG, FIELD(terse), .sentence = "print only the number of the job" },
	{ "-verify", ARGUMENT_FLAG, FIELD(shows), .sentence = "print the job, and do not submit it" },
	{ "-w", ARGUMENT_CALL, .call = check_take, .value = "e|w|n|p|v",
	  .sentence = "if it can never start: e refuse it, w warn, n accept it; p, v: check only" },
	{ "-@", ARGUMENT_CALL, .call = submission_take_file, .value = "FILE", .sentence = "read options from FILE" },
	IDLE("-binding", "[env|pe|set] HOW", "a local cell binds no jobs to cores"),
	IDLE("-display", "DISPLAY", "there are no interactive jobs"),
	IDLE("-he", "y|n", "there is no such error handling"),
	IDLE("-jsv", "URL", "no script verifies jobs before they are submitted"),
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print the result as JSON" },
	{ .name = NULL },
};

static int yes_or_no(const struct submission *submission, const struct words *words, bool *yes)
{
	return number_bool(words->value, yes)
		       ? job_wrong(&submission->job, words->row->name, words->value, "y or n is expected")
		       : EXIT_OK;
}

static int bool_take(void *submission, struct words *words)
{
	return yes_or_no(submission, words, (bool *)((char *)submission + *(const size_t *)words->row->detail));
}

/* Parse y or n. A script cannot declare that it is not a script. */
static int asked_take(void *submission, struct words *words)
{
	struct submission *s = submission;
	enum yes_no *field = (enum yes_no *)((char *)submission + *(const size_t *)words->row->detail);
	bool yes = false;
	int code = yes_or_no(s, words, &yes);

	if (!code && field == &s->binary && s->source == SOURCE_SCRIPT)
		return job_wrong(&s->job, "-b", words->value, "only the command line can set this, not the "
				"script itself");
	if (!code)
		*field = yes ? YES : NO;
	return code;
}

static int check_take(void *submission, struct words *words)
{
	struct submission *s = submission;

	s->check = words->value;
	s->asks = *words->value == 'p' || *words->value == 'v';
	return job_check_letter(&s->job, words->value);
}

/* Set the prefix of option lines. Like with qsub, an option in the script comes too late. */
static int prefix_take(void *submission, struct words *words)
{
	struct submission *s = submission;

	if (s->source != SOURCE_SCRIPT)
		s->prefix = words->value;
	return EXIT_OK;
}

static int idle_take(void *submission, struct words *words)
{
	struct submission *s = submission;
	bool known = s->nidle == IDLE_MOST;

	if (!strcmp(words->row->name, "-binding"))
		job_skip_binding(words);
	for (size_t k = 0; k < s->nidle; k++)
		known = known || s->idle[k] == words->row;
	if (!known)
		s->idle[s->nidle++] = words->row;
	return EXIT_OK;
}

/* Set the cell. In a file or a script, -c is the option of qsub for checkpoint intervals. */
static int cell_take(void *submission, struct words *words)
{
	struct submission *s = submission;

	if (s->source != SOURCE_COMMAND_LINE)
		return idle_take(submission, words);
	s->cell = which_cell(words->value);
	return EXIT_OK;
}

static int tasks_take(void *submission, struct words *words)
{
	struct submission *s = submission;
	struct ranges tasks = { 0 };
	size_t digits = strspn(words->value, "0123456789");
	char *between = NULL;
	int code;

	s->tasks = words->value;
	/* like qsub: "1:22" means 1-22 */
	if (digits > 0 && words->value[digits] == ':' && words->value[digits + 1] &&
	    strspn(words->value + digits + 1, "0123456789") == strlen(words->value + digits + 1)) {
		between = submission_keep(s, strdup(words->value));
		if (!between)
			return message_no_memory(s->job.messages);
		between[digits] = '-';
		s->tasks = between;
	}
	code = operands_check_tasks(s->job.messages, s->job.verb, "-t", s->tasks);
	if (!code && ranges_parse(&tasks, s->tasks) == 0)
		s->follow.tasks = ranges_count(&tasks);
	ranges_free(&tasks);
	return code;
}

void submission_reset(struct submission *submission)
{
	struct submission fresh = {
		.job = { .verb = submission->job.verb, .messages = submission->job.messages },
		.follow = { .tasks = 1 },
		.cell = submission->cell,
		.command = submission->command,
		.dashes = submission->dashes,
		.script = submission->script,
		.script_bytes = submission->script_bytes,
		.script_name = submission->script_name,
		.directive = submission->directive,
		.again = submission->again,
		.source = submission->source,
		.kept = submission->kept,
		.nopen = submission->nopen,
	};

	memcpy(fresh.open, submission->open, sizeof(submission->open));
	job_close(&submission->job);
	*submission = fresh;
}

static int clear_take(void *submission, struct words *words)
{
	(void)words;
	submission_reset(submission);
	return EXIT_OK;
}

/* Sources in their order */

/*
 * Parse the command line. The first operand ends the options, and the rest belongs to the command.
 */
static int command_line_take(struct submission *submission, int argc, char **argv)
{
	struct words words = { .table = submit_options, .argc = argc, .argv = argv, .next = 1, .keeps_order = true,
			       .messages = submission->job.messages };
	int code;

	job_begin_source(&submission->job);
	code = options_read(&words, submission);
	submission->command = argv + words.next;
	submission->dashes =
		!code && words.next > 1 && !strcmp(argv[words.next - 1], "--") && !strcmp(words.word, "--");
	return code;
}

static int sources_take(struct submission *submission, int argc, char **argv)
{
	int code;

	submission_reset(submission);
	code = submission_take_defaults(submission);
	if (!code && submission->script)
		code = submission_take_script(submission);
	return code ? code : command_line_take(submission, argc, argv);
}

/*
 * Read all sources. The command line has the highest precedence and is applied last. It is also
 * read first, because it names the cell. Together with the default options it determines whether
 * there is a script with options.
 */
int submission_gather(struct submission *submission, int argc, char **argv)
{
	int code = command_line_take(submission, argc, argv);

	if (!code && (!submission->cell || !*submission->cell))
		return cell_missing(submission->job.messages, "");
	if (!code && submission->copied)
		return EXIT_OK;
	if (!code)
		code = cell_check_jobs(submission->job.messages, submission->cell, "qsub", (char *[]){ NULL });
	if (!code)
		code = sources_take(submission, argc, argv);
	if (!code)
		code = submission_choose(submission);
	submission->directive = submission->prefix ? submission->prefix : "#$";
	submission->again = true;
	return code || !submission->script ? code : sources_take(submission, argc, argv);
}

/* The request */

static int not_utf8(const struct submission *submission, const char *word)
{
	return message_add(submission->job.messages, EXIT_USAGE, "submit", "\"%s\" is not UTF-8", word);
}

/* Set the words of the command: those after the options, with the name of a script first. */
static int words_set(struct submission *submission)
{
	char **word = submission->command + (submission->script && *submission->command);
	struct job *job = &submission->job;
	size_t n = 0, most = 1;
	const char **words;

	while (word[most - 1])
		most++;
	words = taking_array(&job->taking, most, sizeof(*words));
	if (!words)
		return message_no_memory(job->messages);
	if (submission->script)
		words[n++] = submission->script_name;
	while (*word)
		words[n++] = *word++;
	for (size_t k = 0; k < n; k++)
		if (!job_is_text(words[k]))
			return not_utf8(submission, words[k]);
	return job_execute(job, &(const struct execution){ .command = { words, n } }, "command");
}

static int command_set(struct submission *submission)
{
	struct job *job = &submission->job;
	int code = words_set(submission);

	if (!code && submission->script)
		code = job_execute(job, &(const struct execution){ .script = submission->script }, "script");
	/* like qsub: -b y means a command line for a shell, unless -shell is used */
	if (!code && !submission->script &&
	    (submission->shell == YES || (submission->shell == UNSAID && submission->binary == YES)))
		code = job_execute_bool(job, "use_shell", true);
	return code;
}

/* Set a user hold of all tasks. */
static int hold_set(struct job *job, const char *tasks)
{
	struct value *hold = taking_array(&job->taking, 2, sizeof(*hold));

	if (!hold)
		return message_no_memory(job->messages);
	hold[0] = (struct value){ .name = "hold", .type = VALUE_OBJECT, .n = 1, .span = 2 };
	hold[1] = job_text_value("u", tasks);
	return job_put_value(job, hold);
}

int submission_finish(struct submission *submission)
{
	const struct job_request *request = &submission->job.request;
	struct job *job = &submission->job;
	int code = EXIT_OK;

	job->is_array = submission->tasks != NULL;
	if (submission->json && (submission->follow.now || submission->follow.sync))
		return message_add(job->messages, EXIT_USAGE, "submit",
				   "--json cannot be combined with -now and -sync, which wait "
				   "for events");
	if (!submission->tasks && job_request_has(request, "task_concurrency"))
		return message_add(job->messages, EXIT_USAGE, "submit", "-tc can only be used with -t");
	if (job_request_has(request, "master_queue_list") && !job_request_has(request, "pe"))
		return message_add(job->messages, EXIT_USAGE, "submit", "-masterq can only be used with -pe");
	if (submission->follow.now)
		code = job_put_bool(job, "now", true);
	if (!code && submission->tasks)
		code = job_put_text(job, "tasks", "-t", submission->tasks);
	if (!code && submission->held)
		code = hold_set(job, submission->tasks ? submission->tasks : "1");
	for (size_t k = 0; !code && k < submission->nidle; k++)
		message_add(job->messages, EXIT_OK, "submit", "%s has no effect: %s", submission->idle[k]->name,
			    (const char *)submission->idle[k]->detail);
	code = code ? code : command_set(submission);
	return code ? code : job_finish(job);
}

struct scheduler_request submission_request(const struct submission *submission)
{
	return (struct scheduler_request){ .kind = REQUEST_SUBMIT,
					   .job = &submission->job,
					   .check = submission->check,
					   .verify = submission->asks,
					   .follow = submission_follows(submission) };
}

bool submission_follows(const struct submission *submission)
{
	return (submission->follow.now || submission->follow.sync) && !submission->asks;
}

void submission_close(struct submission *submission)
{
	job_close(&submission->job);
	free(submission->script);
	for (size_t k = 0; k < submission->kept.n; k++)
		free(submission->kept.texts[k]);
	free(submission->kept.texts);
}
