/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Values that are more specific than their term, with the words for them. */
static const struct part_of_term {
	const char *value, *term, *words;
} parts[] = {
	{ "rrcontr", "urgency", "its requests" },
	{ "wtcontr", "urgency", "its waiting time" },
	{ "dlcontr", "urgency", "its deadline" },
	{ "stckt", "tickets", "its share tree tickets" },
	{ "ftckt", "tickets", "its functional tickets" },
	{ "otckt", "tickets", "its override tickets" },
};

static void say(struct job_comparison *comparison, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct job_comparison *comparison, const char *format, ...)
{
	size_t length = strlen(comparison->sentence);
	va_list list;

	va_start(list, format);
	vsnprintf(comparison->sentence + length, sizeof(comparison->sentence) - length, format, list);
	va_end(list);
}

/* Terms and values of both jobs */

static double contribution(const struct explanation *explanation, const char *name)
{
	for (size_t i = 0; i < explanation->nterms; i++)
		if (strcmp(explanation->terms[i].name, name) == 0)
			return derived_value(&explanation->derivation, explanation->terms[i].contribution);
	return 0.0;
}

static double value(const struct explanation *explanation, const char *name)
{
	for (size_t i = 0; i < explanation->nvalues; i++)
		if (strcmp(explanation->values[i].name, name) == 0)
			return derived_value(&explanation->derivation, explanation->values[i].line);
	return 0.0;
}

static void fill(struct job_comparison *comparison)
{
	const struct explanation *a = comparison->first, *b = comparison->second;

	for (size_t i = 0; i < a->nterms && comparison->nterms < COMPARED_MOST; i++)
		comparison->terms[comparison->nterms++] =
			(struct compared_number){ a->terms[i].name, contribution(a, a->terms[i].name),
						  contribution(b, a->terms[i].name) };
	for (size_t i = 0; i < a->nvalues && comparison->nvalues < COMPARED_MOST; i++)
		comparison->values[comparison->nvalues++] =
			(struct compared_number){ a->values[i].name, value(a, a->values[i].name),
						  value(b, a->values[i].name) };
}

static double difference(const struct compared_number *number)
{
	return number->first - number->second;
}

static double prio(const struct explanation *explanation)
{
	return derived_value(&explanation->derivation, explanation->prio);
}

/* Order */

/* Return the index of the job in the list of pending jobs; SIZE_MAX: it is not in the list. */
static size_t place_of(const struct fl_view *view, const struct explanation *explanation)
{
	size_t n = fl_count(view, FL_PENDING);
	struct fl_job job;

	for (size_t k = 0; !explanation->job.is_started && explanation->prio != DERIVED_NONE && k < n; k++)
		if (fl_get(view, FL_PENDING, k, &job) == 0 && job.job_number == explanation->job.job_number)
			return k;
	return SIZE_MAX;
}

static bool explain_absence(struct job_comparison *comparison, const struct explanation *explanation)
{
	if (explanation->prio == DERIVED_NONE)
		say(comparison, "Job %u has no priority: %s. ", explanation->job.job_number, explanation->why);
	else if (explanation->job.is_started)
		say(comparison, "Job %u has started and is no longer in the list of pending jobs. ",
		    explanation->job.job_number);
	return explanation->prio == DERIVED_NONE || explanation->job.is_started;
}

/* Sentence */

/* Return the part of the term that counts most; NULL: no part has a name. */
static const struct part_of_term *part_that_counts(const struct job_comparison *comparison, const char *term)
{
	const struct part_of_term *best = NULL;
	double most = 0.0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (size_t k = 0; k < comparison->nvalues; k++)
			if (strcmp(parts[i].term, term) == 0 &&
			    strcmp(parts[i].value, comparison->values[k].name) == 0 &&
			    difference(&comparison->values[k]) > most) {
				most = difference(&comparison->values[k]);
				best = &parts[i];
			}
	return best;
}

/* Return the term in which the second job has the largest advantage. */
static size_t worst_term(const struct job_comparison *comparison)
{
	size_t worst = COMPARED_NONE;

	for (size_t i = 0; i < comparison->nterms; i++)
		if (difference(&comparison->terms[i]) < 0 &&
		    (worst == COMPARED_NONE ||
		     difference(&comparison->terms[i]) < difference(&comparison->terms[worst])))
			worst = i;
	return worst;
}

static void find_decisive(struct job_comparison *comparison)
{
	for (size_t i = 0; i < comparison->nterms; i++)
		if (difference(&comparison->terms[i]) > 0 &&
		    (comparison->decisive == COMPARED_NONE ||
		     difference(&comparison->terms[i]) > difference(&comparison->terms[comparison->decisive])))
			comparison->decisive = i;
}

static void explain_terms(struct job_comparison *comparison)
{
	double all = 0.0;
	const struct compared_number *best = &comparison->terms[comparison->decisive];
	const struct part_of_term *part = part_that_counts(comparison, best->name);
	size_t worst = worst_term(comparison);

	for (size_t i = 0; i < comparison->nterms; i++)
		all += difference(&comparison->terms[i]);
	say(comparison, "%s %s, which contributes %.5g more",
	    all - difference(best) > 0 ? "mainly because of its" : "because of its", best->name, difference(best));
	if (part)
		say(comparison, ", mainly for %s", part->words);
	if (all - difference(best) < 0)
		say(comparison, ". Without this difference the order would be reversed");
	else if (all == difference(best))
		say(comparison, ". Without this difference both would have the same priority");
	if (worst != COMPARED_NONE)
		say(comparison, ". In contrast, its %s contributes %.5g less", comparison->terms[worst].name,
		    -difference(&comparison->terms[worst]));
	say(comparison, ".");
}

/* Explain the order at equal priorities: the earlier submission, then the smaller number. */
static void explain_tie(struct job_comparison *comparison)
{
	const struct fl_job *a = &comparison->first->job, *b = &comparison->second->job;

	if (a->submission_time != b->submission_time)
		say(comparison, "because both have the same priority and it was submitted %lld s earlier.",
		    (long long)(b->submission_time - a->submission_time));
	else
		say(comparison,
		    "because both have the same priority and the same submission time, and its number is smaller.");
}

/*
 * Explain HTCondor's order: the better effective priority; among jobs of one submitter the
 * submitter's own order.
 */
static void explain_user_priorities(struct job_comparison *comparison)
{
	double eup[2] = { value(comparison->first, "eup"), value(comparison->second, "eup") },
	       rup[2] = { value(comparison->first, "rup"), value(comparison->second, "rup") };

	if (eup[0] == eup[1])
		say(comparison,
		    "because both submitters have the same effective priority, and it is first by JobPrio, then "
		    "submission.");
	else if (rup[0] < rup[1])
		say(comparison,
		    "because its submitter has the better effective priority (%.5g, not %.5g): less usage, real "
		    "priority %.5g, not %.5g.",
		    eup[0], eup[1], rup[0], rup[1]);
	else
		say(comparison,
		    "because its submitter has the better effective priority (%.5g, not %.5g): priority factor %.5g, "
		    "not %.5g.",
		    eup[0], eup[1], value(comparison->first, "factor"), value(comparison->second, "factor"));
}

static void explain_order(struct job_comparison *comparison)
{
	say(comparison, "Job %u is before job %u ", comparison->first->job.job_number,
	    comparison->second->job.job_number);
	if (comparison->first->is_by_submitter)
		explain_user_priorities(comparison);
	else if (prio(comparison->first) < prio(comparison->second))
		say(comparison,
		    "because its partition has a higher PriorityTier, which is compared before priorities.");
	else if (prio(comparison->first) == prio(comparison->second))
		explain_tie(comparison);
	else if (comparison->decisive != COMPARED_NONE)
		explain_terms(comparison);
	else
		say(comparison, "because of its priority: %.5g, not %.5g.", prio(comparison->first),
		    prio(comparison->second));
}

void explanations_compare(const struct fl_view *view, const struct explanation *x, const struct explanation *y,
			  struct job_comparison *comparison)
{
	size_t places[2] = { place_of(view, x), place_of(view, y) };
	bool swapped = places[1] < places[0] && places[0] != SIZE_MAX, absent;

	*comparison = (struct job_comparison){ .first = swapped ? y : x,
					       .second = swapped ? x : y,
					       .decisive = COMPARED_NONE };
	fill(comparison);
	find_decisive(comparison);
	absent = explain_absence(comparison, comparison->first);
	absent |= explain_absence(comparison, comparison->second);
	if (!absent)
		explain_order(comparison);
	else
		comparison->sentence[strlen(comparison->sentence) - 1] = '\0';
}
