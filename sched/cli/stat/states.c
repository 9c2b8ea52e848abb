/* SPDX-License-Identifier: Apache-2.0 */
/* -s: states and kinds of hold, like qstat(1). */
#include <string.h>

#include "sched/cli/cli.h"
#include "sched/cli/stat/filter.h"

/* Sorted so that a longer word precedes its own prefix. */
static const struct state_word {
	const char *word;
	unsigned bits;
} state_words[] = {
	{ "hu", STATE_HOLDS << FL_HOLD_USER }, { "ho", STATE_HOLDS << FL_HOLD_OPERATOR }, { "hs", STATE_HOLDS << FL_HOLD_SYSTEM },
	{ "hd", STATE_HOLDS << FL_HOLD_ARRAY }, { "hj", STATE_PREDECESSOR }, { "ha", STATE_START_TIME },
	{ "h", STATE_KINDS }, { "p", STATE_PENDING }, { "r", STATE_RUNNING }, { "s", STATE_SUSPENDED },
	{ "z", STATE_FINISHED },
	{ "a", STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED },
};

#define STATE_WORDS (sizeof(state_words) / sizeof(*state_words))

int instance_states_check(struct messages *messages, const char *verb, const char *option, const char *letters,
			  const char *allowed)
{
	if (*letters && !letters[strspn(letters, allowed)])
		return EXIT_OK;
	return message_add(messages, EXIT_USAGE, verb, "%s: \"%s\" is not one of the states; they are %s", option,
			   letters, allowed);
}

static const struct state_word *word_at(const char *p)
{
	for (size_t k = 0; k < STATE_WORDS; k++)
		if (strncmp(p, state_words[k].word, strlen(state_words[k].word)) == 0)
			return &state_words[k];
	return NULL;
}

int states_take(void *field, struct words *words)
{
	unsigned *states = field;
	const struct state_word *word;

	*states = 0;
	for (const char *p = words->value; *p; p += strlen(word->word)) {
		word = word_at(p);
		if (!word)
			return message_add(words->messages, EXIT_USAGE, "stat",
					"-s %s: the states are p h r s z a, and of holds hu ho hs hd hj ha",
					words->value);
		*states |= word->bits;
	}
	return *states ? EXIT_OK
		       : message_add(words->messages, EXIT_USAGE, "stat",
				  "-s needs one or more of p h r s z a, and of holds hu ho hs hd hj ha");
}


/*
 * Return whether two ranges have a common id. Ids of the range with the longer step are tried until
 * their remainders repeat. This takes at most 65,536 steps for any ranges.
 */
static bool overlap(const struct fl_range *x, const struct fl_range *y)
{
	const struct fl_range *a = x->step > y->step ? x : y, *b = a == x ? y : x;
	uint64_t first = a->min > b->min ? a->min : b->min, last = a->max < b->max ? a->max : b->max;

	if (b->step == 0)
		return false;
	first = a->min + (first - a->min + a->step - 1) / a->step * a->step;
	for (uint32_t k = 0; k < b->step && first <= last; k++, first += a->step)
		if ((first - b->min) % b->step == 0)
			return true;
	return false;
}

/*
 * Return whether one of the row's tasks is in a list. Both lists are sorted and walked in parallel.
 */
static bool row_has(const struct fl_job *job, const struct fl_range *ids, size_t n)
{
	const struct fl_range own = { job->task, job->task, 1 };
	const struct fl_range *tasks = job->is_started || job->nranges == 0 ? &own : job->tasks;
	size_t ntasks = tasks == &own ? 1 : job->nranges;

	for (size_t i = 0, k = 0; i < n && k < ntasks;) {
		if (overlap(&tasks[k], &ids[i]))
			return true;
		if (ids[i].max < tasks[k].max)
			i++;
		else
			k++;
	}
	return false;
}

static bool waits_for_job(const struct fl_view *view, uint32_t job_number, bool by_task)
{
	struct fl_job job;
	uint32_t number;

	for (size_t k = 0; fl_predecessor(view, job_number, by_task, k, &number) == 0; k++)
		if (fl_find(view, number, 0, &job) == 0)
			return true;
	return false;
}

/* Return whether tasks of a row have a requested kind of hold. */
static bool is_held_so(const struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job)
{
	const struct fl_range *ids;
	size_t n;

	for (unsigned kind = FL_HOLD_USER; kind <= FL_HOLD_ARRAY; kind++)
		if (filter->states & STATE_HOLDS << kind &&
		    fl_held(view, job->job_number, (enum fl_hold)kind, &ids, &n) == 0 && row_has(job, ids, n))
			return true;
	/*
	 * a qmaster may not report the held tasks of such an array, but the job that it waits for
	 */
	return filter->states & STATE_HOLDS << FL_HOLD_ARRAY && strchr(job->state, 'h') &&
	       waits_for_job(view, job->job_number, true);
}

static bool is_pending_so(const struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job)
{
	return is_held_so(filter, view, job) ||
	       (filter->states & STATE_START_TIME && job->execution_time > filter->now) ||
	       (filter->states & STATE_PREDECESSOR && waits_for_job(view, job->job_number, false));
}

bool states_have(const struct stat_filter *filter, const struct fl_view *view, const struct fl_job *job)
{
	/* like qstat: a kind of hold selects started tasks, too, but hj and ha do not */
	if (job->is_started)
		return filter->states & (strpbrk(job->state, "sST") ? STATE_SUSPENDED : STATE_RUNNING) ||
		       is_held_so(filter, view, job);
	/* like qstat: a kind of hold restricts the pending jobs even if "p" is requested, too */
	return filter->states & STATE_KINDS ? is_pending_so(filter, view, job) : filter->states & STATE_PENDING;
}
