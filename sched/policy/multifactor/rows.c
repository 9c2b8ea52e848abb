/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored usage. In a pass all usage decays, but only usage that was charged or reported is written.
 * In each pass a part of the rest is written, too, so that all of it is written in turn. A row has
 * the pass for which its usage is valid, and each later decay is written once for all rows. Loaded
 * usage is decayed by these one by one, which restores it to the bit. Rows of associations that the
 * cell does not have stay unchanged, with their time stamp, in case the association is added again.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/multifactor/multifactor.h"

#define USAGE_BYTES 64

enum { USAGE, DECAY };			/* tables */
enum { ACCOUNT, USER, PARTITION, USAGE_EXACT, TIME_STAMP };
enum { SINCE, UNTIL, REMAINS };
enum { PASS, USAGE_RESET };

#define EPOCH_SECONDS .type = ROW_INTEGER, .most = 1ll << 53

static const struct row_column usage_columns[] = {
	[ACCOUNT] = { "account", ROW_TEXT, .is_key = true }, [USER] = { "user", ROW_TEXT, .is_key = true },
	[PARTITION] = { "partition", ROW_TEXT, .is_key = true },
	[USAGE_EXACT] = { "usage_exact", ROW_TEXT, .is_key = false },
	[TIME_STAMP] = { "time_stamp", EPOCH_SECONDS },
};

static const struct row_column decay_columns[] = {
	[SINCE] = { "since", EPOCH_SECONDS }, [UNTIL] = { "until", EPOCH_SECONDS, .is_key = true },
	[REMAINS] = { "remains", ROW_REAL, .most = 1.0 },
};

static const struct row_table tables[] = {
	[USAGE] = { "association_usage", usage_columns, sizeof(usage_columns) / sizeof(*usage_columns),
		    .age = TIME_STAMP },
	[DECAY] = { "association_decay", decay_columns, sizeof(decay_columns) / sizeof(*decay_columns), .age = UNTIL },
};

static const char *const numbers[] = { [PASS] = "pass", [USAGE_RESET] = "usage_reset" };

static struct multifactor_policy *own(struct policy *policy)
{
	return (struct multifactor_policy *)policy;
}

/* Loading */

static void begin(struct policy *policy, struct run *run)
{
	past_free(&own(policy)->past, run->strings);	/* remove what a failed load has left */
}

/*
 * Parse a decimal number with as many digits as a long double needs, without other characters. A
 * number too small for a long double is 0.
 */
static bool exact_of_text(const char *text, long double *usage)
{
	char *end;

	*usage = strtold(text, &end);
	return *text && *end == '\0' && text[strspn(text, "0123456789.e+-")] == '\0' && *usage >= 0.0L &&
	       *usage <= DBL_MAX;
}

static int load_usage(struct past *past, struct strings *strings, const struct row_value *values, size_t *column)
{
	const char *const names[3] = { values[ACCOUNT].text, values[USER].text, values[PARTITION].text };
	long double usage;

	if (!exact_of_text(values[USAGE_EXACT].text, &usage)) {
		*column = USAGE_EXACT;
		return -EUCLEAN;
	}
	if (*names[ACCOUNT] == '\0' || *names[USER] == '\0') {
		*column = *names[ACCOUNT] == '\0' ? ACCOUNT : USER;
		return -EUCLEAN;
	}
	return past_add(past, strings, names, usage, values[TIME_STAMP].integer);
}

static int load_decay(struct past *past, const struct row_value *values, size_t *column)
{
	const struct decay decay = { values[SINCE].integer, values[UNTIL].integer, values[REMAINS].real };

	*column = SINCE;
	return decay.since >= decay.until ? -EUCLEAN : past_add_decay(past, &decay);
}

static int load(struct policy *policy, struct run *run, size_t table, const struct row_value *values, size_t *column)
{
	if (table == USAGE)
		return load_usage(&own(policy)->past, run->strings, values, column);
	return load_decay(&own(policy)->past, values, column);
}

/* Add a row to the past, from which loaded() moves usage to the associations of the cell. */
static void loaded(struct policy *policy, struct run *run, const int64_t *values)
{
	struct multifactor_policy *o = own(policy);

	o->past.pass = o->pass = o->pass_kept = values[PASS];
	o->past.last_reset = o->reset = o->reset_kept = values[USAGE_RESET];
	if (!o->in_force)
		return;
	past_take(&o->past, run->strings, o->in_force);
	associations_sum(&o->in_force->tree);
}

/* Saving */

static int put_usage(const struct row_sink *sink, const struct strings *strings, const uint32_t names[3],
		     long double usage, int64_t time_stamp)
{
	char text[USAGE_BYTES];
	const struct row_value values[] = {
		[ACCOUNT] = { .text = strings_text(strings, names[0]) },
		[USER] = { .text = strings_text(strings, names[1]) },
		[PARTITION] = { .text = strings_text(strings, names[2]) },
		[USAGE_EXACT] = { .text = text },
		[TIME_STAMP] = { .integer = time_stamp },
	};

	snprintf(text, sizeof(text), "%.*Lg", LDBL_DECIMAL_DIG, usage);
	return sink->put(sink->context, USAGE, values);
}

static int save_past(const struct past *past, const struct strings *strings, const struct row_sink *sink)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && past->changed && i < past->n; i++)
		rc = put_usage(sink, strings,
			       (uint32_t[]){ past->items[i].account, past->items[i].user, past->items[i].partition },
			       past->items[i].usage, past->items[i].time_stamp);
	return rc;
}

/*
 * Delete the decays up to the pass that all stored rows include, and write the newer ones. If all
 * rows are written, delete all decays: after the clock was set back they would be wrong.
 */
static int save_decays(const struct multifactor *multifactor, const struct row_sink *sink)
{
	int rc;

	if (multifactor->ndecays == 0 && !multifactor->all_changed)
		return 0;
	rc = sink->remove(sink->context, DECAY, multifactor->all_changed ? 1ll << 53 : multifactor->stored_pass);
	for (size_t i = 0; rc == 0 && !multifactor->all_changed && i < multifactor->ndecays; i++) {
		const struct decay *decay = &multifactor->decays[i];
		const struct row_value values[] = { [SINCE] = { .integer = decay->since },
						    [UNTIL] = { .integer = decay->until },
						    [REMAINS] = { .real = decay->left } };

		rc = sink->put(sink->context, DECAY, values);
	}
	return rc;
}

static int save_tree(const struct multifactor *multifactor, const struct strings *strings, const struct row_sink *sink)
{
	size_t n = multifactor->all_changed ? multifactor->tree.n : multifactor->nchanged;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < n; k++) {
		size_t i = multifactor->all_changed ? k : multifactor->changed[k];

		if (multifactor_keeps(multifactor, i))
			rc = put_usage(sink, strings, &multifactor->names[3 * i], multifactor->tree.items[i].usage,
				       multifactor->pass);
	}
	return rc;
}

static int save(struct policy *policy, struct run *run, const struct row_sink *sink)
{
	struct multifactor_policy *o = own(policy);
	const struct multifactor *multifactor = o->in_force;
	int rc = save_past(&o->past, run->strings, sink);

	o->pass = multifactor ? multifactor->pass : o->past.pass;
	o->reset = multifactor ? multifactor->last_reset : o->past.last_reset;
	if (rc == 0 && o->pass != o->pass_kept)
		rc = sink->number(sink->context, numbers[PASS], o->pass);
	if (rc == 0 && o->reset != o->reset_kept)
		rc = sink->number(sink->context, numbers[USAGE_RESET], o->reset);
	if (rc == 0 && multifactor)
		rc = save_decays(multifactor, sink);
	return rc == 0 && multifactor ? save_tree(multifactor, run->strings, sink) : rc;
}

static void saved(struct policy *policy, struct run *run)
{
	struct multifactor_policy *o = own(policy);

	(void)run;
	o->past.changed = false;
	o->pass_kept = o->pass;
	o->reset_kept = o->reset;
	if (o->in_force)
		multifactor_stored(o->in_force);
}

/*
 * Before the first pass, rows in use may be as old as the last scheduler, and if passes are rare,
 * as old as the first round. Decays are deleted when usage is newer.
 */
static bool oldest(const struct policy *policy, size_t table, int64_t *limit)
{
	const struct multifactor *multifactor = ((const struct multifactor_policy *)policy)->in_force;

	if (table != USAGE || !multifactor || !multifactor->passed)
		return false;
	if (*limit > multifactor_oldest_stored(multifactor))
		*limit = multifactor_oldest_stored(multifactor);
	return true;
}

const struct policy_rows multifactor_rows = {
	.tables = tables, .ntables = sizeof(tables) / sizeof(*tables), .numbers = numbers,
	.nnumbers = sizeof(numbers) / sizeof(*numbers),
	.begin = begin, .load = load, .loaded = loaded, .save = save, .saved = saved, .oldest = oldest,
};
