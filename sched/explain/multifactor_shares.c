/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair-share: path from the root of the associations to the job's, for each variant. Names are
 * those of sshare: S norm_shares, U_A norm_usage, U_E effective_usage. Formulas are those of
 * tickets/classic.c, fairshare_2009.c and fair_tree.c. Usage is that of the last pass, and values
 * that were computed before it are unchanged since.
 */
#include <math.h>
#include <stdlib.h>

#include "sched/explain/multifactor.h"

#define CLASSIC_COLUMNS "association", "shares", "of its level", "norm_shares", "usage", "norm_usage", "effective_usage"
#define FAIR_TREE_COLUMNS \
	"association", "shares", "of its level", "norm_shares", "usage", "of the one above", "effective_usage", \
		"level_fs"

struct share_step {			/* lines of an association on the path */
	uint32_t norm_shares, effective_usage, usage;
};

static const struct association *item_of(const struct priced_job *job, uint32_t i)
{
	return &job->m->tree.items[i];
}

static const char *name_of(const struct priced_job *job, uint32_t i)
{
	const struct slurm_association *association = &job->m->conf->associations[i];

	return *association->user ? association->user : association->account;
}

static uint32_t derive_raw_usage(const struct priced_job *job, uint32_t i)
{
	char text[TEXT_BYTES];
	uint32_t line = derive_given_extended(job->d, text_made(text, "usage of %s", name_of(job, i)),
					      item_of(job, i)->usage, "last pass");

	return derived_holder(job->d, derived_unit(job->d, line, "TRES s"), HOLDER_ASSOCIATION, name_of(job, i));
}

static uint32_t derive_shares(const struct priced_job *job, uint32_t i)
{
	char text[TEXT_BYTES];

	return derived_holder(job->d,
			      derive_whole(job->d, text_made(text, "shares of %s", name_of(job, i)),
					   item_of(job, i)->shares, "sacctmgr"),
			      HOLDER_ASSOCIATION, name_of(job, i));
}

/* Derive the sum of shares of all associations that compete with it. */
static uint32_t derive_level_shares(const struct priced_job *job, uint32_t i)
{
	const struct association_tree *tree = &job->m->tree;
	struct line_operand *terms = calloc(tree->n, sizeof(*terms));
	uint32_t line = DERIVED_NONE;
	size_t n = 0;

	for (uint32_t k = 1; terms && k < tree->n; k++)
		if (tree->items[k].fairshare_parent == item_of(job, i)->fairshare_parent &&
		    tree->items[k].shares != SHARES_OF_PARENT)
			terms[n++] = (struct line_operand){ derive_shares(job, k), 1 };
	if (terms)
		line = derive_from(job->d, PRECISION_WHOLE, "shares of its level", OPERATION_SUM, terms, n);
	else
		job->d->rc = -ENOMEM;
	free(terms);
	return line;
}

/* Classic, and 2009 */

/* Derive norm_shares: S of the association above, times its part of the shares of its level. */
static uint32_t derive_norm_shares(const struct priced_job *job, uint32_t i, uint32_t above, uint32_t shares,
				   uint32_t level)
{
	const struct association *item = item_of(job, i);
	char text[TEXT_BYTES];
	uint32_t line;

	text_made(text, "norm_shares of %s", name_of(job, i));
	if (item->shares == SHARES_OF_PARENT)
		line = derive(job->d, text, OPERATION_SAME, 1, above);
	else if (item->level_shares > 0.0)
		line = derive(job->d, text, OPERATION_PRODUCT, 2, above,
			      derive(job->d, "part of its level", OPERATION_QUOTIENT, 2, shares, level));
	else
		line = derive_given(job->d, text, 0.0, "its level has no shares");
	return multifactor_settle_line(job, line, item->norm_shares);
}

/* Derive the capacity for 2009: CPU seconds of all cpus in two half-lives. */
static uint32_t derive_capacity(const struct priced_job *job)
{
	uint32_t cpus = derive_whole(job->d, "cpus of the cluster", (int64_t)job->m->conf->cpus, "slurm.conf");
	uint32_t half = derived_unit(
		job->d, derive_whole(job->d, "PriorityDecayHalfLife", job->m->conf->half_life, "slurm.conf"), "s");

	return derive(job->d, "capacity", OPERATION_PRODUCT, 3, cpus, half,
		      derive_given(job->d, "two", 2.0, "constant"));
}

static uint32_t derive_norm_usage(const struct priced_job *job, uint32_t i, uint32_t usage, uint32_t all)
{
	const struct association *item = item_of(job, i);
	char text[TEXT_BYTES];
	uint32_t line;

	text_made(text, "norm_usage of %s", name_of(job, i));
	if (job->m->conf->method == FAIRSHARE_2009)
		all = derive_capacity(job);
	if (!(derived_value(job->d, all) > 0))
		return derive_given_extended(job->d, text, item->norm_usage, "last pass");
	line = derive(job->d, "part of all usage", OPERATION_QUOTIENT, 2, usage, all);
	line = derive(job->d, text, OPERATION_LEAST, 2, line, derive_given_extended(job->d, "one", 1.0L, "constant"));
	return multifactor_settle_line(job, line, item->norm_usage);
}

/* Derive effective_usage: U_A + (U_E above it - U_A) x shares / shares of its level. */
static uint32_t derive_classic_usage(const struct priced_job *job, uint32_t i, uint32_t own, uint32_t above,
				     uint32_t shares, uint32_t level)
{
	const struct association *item = item_of(job, i);
	char text[TEXT_BYTES];
	uint32_t line;

	text_made(text, "effective_usage of %s", name_of(job, i));
	if (item->fairshare_parent == 0) {
		line = derive(job->d, text, OPERATION_SAME, 1, own);
	} else if (item->shares == SHARES_OF_PARENT || !(item->level_shares > 0.0)) {
		line = derive(job->d, text, OPERATION_SAME, 1, above);
	} else {
		line = derive(job->d, "usage of the one above beyond its own", OPERATION_DIFFERENCE, 2, above, own);
		line = derive(job->d, "times shares", OPERATION_PRODUCT, 2, line, shares);
		line = derive(job->d, "lent by siblings", OPERATION_QUOTIENT, 2, line, level);
		line = derive(job->d, text, OPERATION_SUM, 2, own, line);
	}
	return multifactor_settle_line(job, line, item->effective_usage);
}

/*
 * Derive how far its usage relative to its shares, compared with its siblings, moves it away from
 * the association above it (depth-oblivious).
 */
static uint32_t derive_pull(const struct priced_job *job, uint32_t parent_ratio, uint32_t item_ratio)
{
	uint32_t distance = derive(job->d, "logarithm of the ratio above", OPERATION_LOGARITHM, 1, parent_ratio), five,
		 line;
	uint32_t own = derive(job->d, "logarithm of its own", OPERATION_LOGARITHM, 1, item_ratio);
	uint32_t one = derive_given_extended(job->d, "one", 1.0L, "constant");

	if (derived_value(job->d, derive(job->d, "both pull in one direction if not negative", OPERATION_PRODUCT, 2,
					 distance, own)) >= 0)
		return item_ratio;
	five = derive_given_extended(job->d, "five", 5.0L, "constant");
	line = derive(job->d, "distance", OPERATION_PRODUCT, 4, five, distance, five, distance);
	line = derive(job->d, "and one", OPERATION_SUM, 2, one, line);
	line = derive(job->d, "how much it pulls", OPERATION_QUOTIENT, 2, one, line);
	line = derive_in(job->d, PRECISION_DOUBLE, "pull", OPERATION_POWER, 2, item_ratio, line);
	return line;
}

static uint32_t derive_oblivious_usage(const struct priced_job *job, uint32_t i, uint32_t own,
				       const struct share_step *above, uint32_t norm_shares)
{
	const struct association *item = item_of(job, i), *parent = item_of(job, item->fairshare_parent);
	uint32_t parent_ratio, level, ratio, line;
	char text[TEXT_BYTES];

	text_made(text, "effective_usage of %s", name_of(job, i));
	if (item->norm_shares == 0.0 || parent->norm_shares == 0.0 || parent->effective_usage == 0.0L ||
	    item->norm_usage == 0.0L)
		return multifactor_settle_line(job, derive(job->d, text, OPERATION_SAME, 1, own),
					       item->effective_usage);
	parent_ratio = derive(job->d, "usage to shares above it", OPERATION_QUOTIENT, 2, above->effective_usage,
			      above->norm_shares);
	level = derive_given_extended(job->d, "norm_usage of its level", parent->child_usage, "last pass");
	level = derive(job->d, "usage to shares of its level", OPERATION_QUOTIENT, 2, level, above->norm_shares);
	ratio = derive(job->d, "usage to shares, beside its level", OPERATION_QUOTIENT, 3, own, norm_shares, level);
	ratio = derive_pull(job, parent_ratio, ratio);
	line = derive_in(job->d, PRECISION_EXTENDED, "usage by its shares", OPERATION_PRODUCT, 3, parent_ratio, ratio,
			 norm_shares);
	line = derive(job->d, text, OPERATION_LEAST, 2, line, derive_given_extended(job->d, "one", 1.0L, "constant"));
	return multifactor_settle_line(job, line, item->effective_usage);
}

static struct share_step classic_step(const struct priced_job *job, uint32_t i, const struct share_step *above,
				      uint32_t all)
{
	bool of_parent = item_of(job, i)->shares == SHARES_OF_PARENT;
	uint32_t shares = of_parent ? DERIVED_NONE : derive_shares(job, i),
		 level = of_parent ? DERIVED_NONE : derive_level_shares(job, i), own;
	struct share_step step;

	step.norm_shares = derive_norm_shares(job, i, above->norm_shares, shares, level);
	step.usage = derive_raw_usage(job, i);
	own = derive_norm_usage(job, i, step.usage, all);
	if (job->m->conf->method == FAIRSHARE_DEPTH_OBLIVIOUS && item_of(job, i)->fairshare_parent != 0 && !of_parent)
		step.effective_usage = derive_oblivious_usage(job, i, own, above, step.norm_shares);
	else
		step.effective_usage = derive_classic_usage(job, i, own, above->effective_usage, shares, level);
	sections_row(job->x, name_of(job, i),
		     ROW(shares, level, step.norm_shares, step.usage, own, step.effective_usage));
	return step;
}

/* Derive 2^(-(U_E / S) / damping); in 2009 (S - U_E + 1) / 2. */
static uint32_t derive_classic_factor(const struct priced_job *job, const struct share_step *step)
{
	const struct slurm_conf *conf = job->m->conf;
	uint32_t line, two = derive_given(job->d, "two", 2.0, "constant"), one;

	if (conf->method == FAIRSHARE_2009) {
		one = derive_given(job->d, "one", 1.0, "constant");
		line = derive_in(job->d, PRECISION_DOUBLE, "effective_usage", OPERATION_SAME, 1, step->effective_usage);
		line = derive(job->d, "shares beyond usage", OPERATION_DIFFERENCE, 2, step->norm_shares, line);
		line = derive(job->d, "and one", OPERATION_SUM, 2, line, one);
		return derive(job->d, "fair-share factor", OPERATION_QUOTIENT, 2, line, two);
	}
	if (!(derived_value(job->d, step->norm_shares) > 0))
		return derive_given(job->d, "fair-share factor", 0.0, "it has no shares");
	line = derive(job->d, "effective_usage / norm_shares", OPERATION_QUOTIENT, 2, step->effective_usage,
		      step->norm_shares);
	line = derive_in(job->d, PRECISION_DOUBLE, "overuse", OPERATION_SAME, 1, line);
	sections_line(job->x, line);
	if (!(derived_value(job->d, line) > 0))
		return derive_given(job->d, "fair-share factor", 1.0, "nothing was used");
	line = derive(job->d, "-overuse", OPERATION_DIFFERENCE, 2, derive_given(job->d, "nothing", 0.0, "constant"),
		      line);
	line = derive(job->d, "-overuse / FairShareDampeningFactor", OPERATION_QUOTIENT, 2, line,
		      derive_whole(job->d, "FairShareDampeningFactor", conf->damping, "slurm.conf"));
	return derive(job->d, "fair-share factor", OPERATION_POWER, 2, two, line);
}

/* Fair Tree */

static struct share_step fair_step(const struct priced_job *job, uint32_t i, const struct share_step *above)
{
	const struct association *item = item_of(job, i);
	bool of_parent = item->shares == SHARES_OF_PARENT;
	uint32_t shares = of_parent ? DERIVED_NONE : derive_shares(job, i),
		 level = of_parent ? DERIVED_NONE : derive_level_shares(job, i), fs = DERIVED_NONE;
	struct share_step step = { .usage = derive_raw_usage(job, i) };
	char text[TEXT_BYTES];

	if (of_parent || !(item->level_shares > 0.0))
		step.norm_shares = derive_given(job->d, text_made(text, "norm_shares of %s", name_of(job, i)),
						item->norm_shares, "its parent");
	else
		step.norm_shares =
			multifactor_settle_line(job,
						derive(job->d, text_made(text, "norm_shares of %s", name_of(job, i)),
						       OPERATION_QUOTIENT, 2, shares, level),
						item->norm_shares);
	if (derived_value(job->d, above->usage) > 0) {
		step.effective_usage =
			derive(job->d, "part of the one above", OPERATION_QUOTIENT, 2, step.usage, above->usage);
		step.effective_usage =
			derive(job->d, text_made(text, "effective_usage of %s", name_of(job, i)), OPERATION_LEAST, 2,
			       step.effective_usage, derive_given_extended(job->d, "one", 1.0L, "constant"));
	} else {
		step.effective_usage = derive_given_extended(
			job->d, text_made(text, "effective_usage of %s", name_of(job, i)), 0.0L, "nothing was used");
	}
	step.effective_usage = multifactor_settle_line(job, step.effective_usage, item->effective_usage);
	if (!of_parent && derived_value(job->d, step.effective_usage) > 0)
		fs = derive(job->d, text_made(text, "level_fs of %s", name_of(job, i)), OPERATION_QUOTIENT, 2,
			    step.norm_shares, step.effective_usage);
	sections_row(job->x, name_of(job, i),
		     ROW(shares, level, step.norm_shares, step.usage, above->usage, step.effective_usage, fs));
	if (fs == DERIVED_NONE)
		sections_note(job->x, "%s: level_fs is %s.", name_of(job, i),
			      of_parent ? "that of its parent (fairshare=parent)" : "infinite: it has no usage");
	return step;
}

/* Report the competitors that are ranked before it, with all associations below them. */
static void note_rank(const struct priced_job *job, uint32_t i)
{
	const struct association_tree *tree = &job->m->tree;
	const struct association *item = item_of(job, i);
	size_t all = 0, before = 0;

	for (uint32_t k = 1; k < tree->n; k++) {
		if (tree->items[k].fairshare_parent != item->fairshare_parent)
			continue;
		all++;
		before += tree->items[k].level_fs > item->level_fs;
	}
	sections_note(
		job->x,
		"%s: %zu associations compete on its level. %zu of them have a greater level_fs. "
		"They and all below them are ranked before it.",
		name_of(job, i), all, before);
}

static uint32_t derive_fair_tree_factor(const struct priced_job *job)
{
	const struct association *item = item_of(job, job->association);
	uint32_t rank = derive_whole(job->d, "rank from the last", item->rank, "Fair Tree"), users;

	users = derive_whole(job->d, "users", (int64_t)job->m->tree.users, "cell");
	sections_begin(job->x, "Fair-share factor");
	sections_line(job->x, rank);
	sections_line(job->x, users);
	return derive(job->d, "fair-share factor", OPERATION_QUOTIENT, 2, rank, users);
}

/* Path */

static uint32_t derive_way(const struct priced_job *job, bool is_fair_tree)
{
	uint32_t way[64], n = 0, all;
	const struct association *root = item_of(job, 0);
	struct share_step step, source;

	for (uint32_t i = job->association; i != 0 && i != ASSOCIATION_NONE && n < 64;
	     i = item_of(job, i)->fairshare_parent)
		way[n++] = i;
	all = derive_raw_usage(job, 0);
	step = (struct share_step){
		derive_given(job->d, "norm_shares of root", root->norm_shares, "root"),
		derive_given_extended(job->d, "effective_usage of root", root->effective_usage, "root"), all
	};
	source = step;
	while (n-- > 0) {
		source = step;
		step = is_fair_tree ? fair_step(job, way[n], &step) : classic_step(job, way[n], &step, all);
	}
	if (is_fair_tree) {
		for (uint32_t i = job->association; i != 0 && i != ASSOCIATION_NONE;
		     i = item_of(job, i)->fairshare_parent)
			note_rank(job, i);
		return derive_fair_tree_factor(job);
	}
	sections_begin(job->x, "Fair-share factor");
	return derive_classic_factor(job, item_of(job, job->association)->shares == SHARES_OF_PARENT ? &source : &step);
}

struct factor_lines multifactor_derive_fairshare(const struct priced_job *job)
{
	static const char *const classic[] = { CLASSIC_COLUMNS }, *const fair[] = { FAIR_TREE_COLUMNS };
	const struct slurm_conf *conf = job->m->conf;
	bool is_fair_tree = conf->method == FAIRSHARE_FAIR_TREE;
	uint32_t factor;

	if (conf->weight_fairshare == 0 || conf->no_storage || job->association == NONE)
		return (struct factor_lines){ derive_given(job->d, "fair-share factor", 0.0,
							   job->association == NONE ? "it has no association"
										    : "PriorityWeightFairshare is 0"),
					      DERIVED_NONE, DERIVED_NONE };
	sections_begin(job->x, "Fair-share: path from root to its association");
	sections_columns(job->x, is_fair_tree ? sizeof(fair) / sizeof(*fair) : sizeof(classic) / sizeof(*classic),
			 is_fair_tree ? fair : classic);
	factor = multifactor_settle_line(job, derive_way(job, is_fair_tree), item_of(job, job->association)->factor);
	sections_line(job->x, factor);
	return (struct factor_lines){ factor, DERIVED_NONE, DERIVED_NONE };
}
