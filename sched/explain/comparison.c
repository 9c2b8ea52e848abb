/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names of values, where one of them says more than the term that it is in. */
static const struct part_of_term {
	const char *value, *term, *words;
} parts[] = {
	{ "rrcontr", "urgency", "what it requests" }, { "wtcontr", "urgency", "its waiting time" }, { "dlcontr", "urgency", "its deadline" },
	{ "stckt", "tickets", "its share tree tickets" }, { "ftckt", "tickets", "its functional tickets" }, { "otckt", "tickets", "its override tickets" },
};

static void say(struct job_comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct job_comparison *c, const char *format, ...)
{
	size_t length = strlen(c->sentence);
	va_list list;

	va_start(list, format);
	vsnprintf(c->sentence + length, sizeof(c->sentence) - length, format, list);
	va_end(list);
}

/* Side by side */

static double contribution(const struct explanation *x, const char *name)
{
	for (size_t i = 0; i < x->nterms; i++)
		if (strcmp(x->terms[i].name, name) == 0)
			return derived_value(&x->derivation, x->terms[i].contribution);
	return 0.0;
}

static double value(const struct explanation *x, const char *name)
{
	for (size_t i = 0; i < x->nvalues; i++)
		if (strcmp(x->values[i].name, name) == 0)
			return derived_value(&x->derivation, x->values[i].line);
	return 0.0;
}

static void fill(struct job_comparison *c)
{
	const struct explanation *a = c->first, *b = c->second;

	for (size_t i = 0; i < a->nterms && c->nterms < COMPARED_MOST; i++)
		c->terms[c->nterms++] = (struct compared_number){ a->terms[i].name, contribution(a, a->terms[i].name), contribution(b, a->terms[i].name) };
	for (size_t i = 0; i < a->nvalues && c->nvalues < COMPARED_MOST; i++)
		c->values[c->nvalues++] = (struct compared_number){ a->values[i].name, value(a, a->values[i].name), value(b, a->values[i].name) };
}

static double difference(const struct compared_number *n)
{
	return n->first - n->second;
}

static double prio(const struct explanation *x)
{
	return derived_value(&x->derivation, x->prio);
}

/* Who stands first */

/* In the list of those that wait; SIZE_MAX: not there. */
static size_t place_of(const struct fl_view *view, const struct explanation *x)
{
	size_t n = fl_count(view, FL_PENDING);
	struct fl_job job;

	for (size_t k = 0; !x->job.is_started && x->prio != DERIVED_NONE && k < n; k++)
		if (fl_get(view, FL_PENDING, k, &job) == 0 && job.job_number == x->job.job_number)
			return k;
	return SIZE_MAX;
}

static bool tell_absent(struct job_comparison *c, const struct explanation *x)
{
	if (x->prio == DERIVED_NONE)
		say(c, "Job %u has no priority: %s. ", x->job.job_number, x->why);
	else if (x->job.is_started)
		say(c, "Job %u has started: it stands in no list. ", x->job.job_number);
	return x->prio == DERIVED_NONE || x->job.is_started;
}

/* Why */

/* What within the term counts most; NULL: nothing that has a name. */
static const struct part_of_term *part_that_counts(const struct job_comparison *c, const char *term)
{
	const struct part_of_term *best = NULL;
	double most = 0.0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t k = 0; k < c->nvalues; k++)
			if (strcmp(parts[i].term, term) == 0 && strcmp(parts[i].value, c->values[k].name) == 0 && difference(&c->values[k]) > most) {
				most = difference(&c->values[k]);
				best = &parts[i];
			}
	return best;
}

/* The term that takes most away from the first. */
static size_t worst_term(const struct job_comparison *c)
{
	size_t worst = COMPARED_NONE;

	for (size_t i = 0; i < c->nterms; i++)
		if (difference(&c->terms[i]) < 0 && (worst == COMPARED_NONE || difference(&c->terms[i]) < difference(&c->terms[worst])))
			worst = i;
	return worst;
}

static void find_decisive(struct job_comparison *c)
{
	for (size_t i = 0; i < c->nterms; i++)
		if (difference(&c->terms[i]) > 0 && (c->decisive == COMPARED_NONE || difference(&c->terms[i]) > difference(&c->terms[c->decisive])))
			c->decisive = i;
}

static void tell_terms(struct job_comparison *c)
{
	double all = 0.0;
	const struct compared_number *best = &c->terms[c->decisive];
	const struct part_of_term *part = part_that_counts(c, best->name);
	size_t worst = worst_term(c);

	for (size_t i = 0; i < c->nterms; i++)
		all += difference(&c->terms[i]);
	say(c, "%s %s, worth %.5g more", all - difference(best) > 0 ? "most of all by its" : "by its", best->name, difference(best));
	if (part)
		say(c, ", above all for %s", part->words);
	if (all - difference(best) < 0)
		say(c, "; without that it would stand behind it");
	else if (all == difference(best))
		say(c, "; without that both would have the same priority");
	if (worst != COMPARED_NONE)
		say(c, ". Against it, its %s counts %.5g less", c->terms[worst].name, -difference(&c->terms[worst]));
	say(c, ".");
}

/* Equal priorities: the earlier submission, then the smaller number. */
static void tell_tie(struct job_comparison *c)
{
	const struct fl_job *a = &c->first->job, *b = &c->second->job;

	if (a->submission_time != b->submission_time)
		say(c, "as both have the same priority, and it was submitted %lld s earlier.", (long long)(b->submission_time - a->submission_time));
	else
		say(c, "as both have the same priority and were submitted in the same second, and its number is the smaller one.");
}

/* HTCondor's: the better effective priority, and among jobs of one submitter their own order. */
static void tell_user_priorities(struct job_comparison *c)
{
	double eup[2] = { value(c->first, "eup"), value(c->second, "eup") }, rup[2] = { value(c->first, "rup"), value(c->second, "rup") };

	if (eup[0] == eup[1])
		say(c, "as both submitters have the same effective priority, and its own order (JobPrio, then submission) comes first.");
	else if (rup[0] < rup[1])
		say(c, "as its submitter's effective priority is better (%.5g against %.5g), having used less (real priority %.5g against %.5g).",
		    eup[0], eup[1], rup[0], rup[1]);
	else
		say(c, "as its submitter's effective priority is better (%.5g against %.5g), by its factor (%.5g against %.5g).", eup[0], eup[1],
		    value(c->first, "factor"), value(c->second, "factor"));
}

static void tell_why(struct job_comparison *c)
{
	say(c, "Job %u stands before job %u ", c->first->job.job_number, c->second->job.job_number);
	if (strcmp(c->first->policy, "userprio") == 0)
		tell_user_priorities(c);
	else if (prio(c->first) < prio(c->second))
		say(c, "as its partition has a higher PriorityTier, which comes before all priorities.");
	else if (prio(c->first) == prio(c->second))
		tell_tie(c);
	else if (c->decisive != COMPARED_NONE)
		tell_terms(c);
	else
		say(c, "by its priority: %.5g against %.5g.", prio(c->first), prio(c->second));
}

void explanations_compare(const struct fl_view *view, const struct explanation *x, const struct explanation *y, struct job_comparison *c)
{
	size_t places[2] = { place_of(view, x), place_of(view, y) };
	bool swapped = places[1] < places[0] && places[0] != SIZE_MAX, absent;

	*c = (struct job_comparison){ .first = swapped ? y : x, .second = swapped ? x : y, .decisive = COMPARED_NONE };
	fill(c);
	find_decisive(c);
	absent = tell_absent(c, c->first);
	absent |= tell_absent(c, c->second);
	if (!absent)
		tell_why(c);
	else
		c->sentence[strlen(c->sentence) - 1] = '\0';
}
