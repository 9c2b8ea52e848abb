/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random resource quota sets, compared with a slow implementation: every entry of every filter is
 * compared with names each time, and use is kept in a list of written keys. FAIRLEAD_SEED=n sets
 * the seed.
 */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/quota/quota.h"
#include "tests/naive/cells.h"
#include "tests/dispatch/quota_cell.h"

#define COUNTS 4000

static const char *const queue_names[] = { "fast.q", "main.q", "bulk.q", "old.q" };
static const char *const host_names[] = { "ada", "bly", "Cox", "dry", "eve", "Fay", "gil" };
static const struct quota_names names = { queue_names, 4, host_names, 7 };
static const char *const users[] = { "ann", "bob", "cal", "abe" };
static const char *const groups[] = { "", "staff", "guests" };
static const char *const projects[] = { "", "red", "blue", "reed" };
static const char *const pes[] = { "", "mpi", "smp", "mpich" };

static uint64_t randomness;

static size_t below(size_t n)
{
	return (size_t)random_below(&randomness, n);
}

/* The slow implementation */

static bool same_letter(char a, char b, bool any_case)
{
	return a == b || (any_case && tolower(a) == tolower(b));
}

/* '*', '?' and '|' only */
static bool glob(const char *pattern, const char *end, const char *name, bool any_case)
{
	if (pattern == end)
		return !*name;
	if (*pattern == '*')
		return glob(pattern + 1, end, name, any_case) || (*name && glob(pattern, end, name + 1, any_case));
	return *name && (*pattern == '?' || same_letter(*pattern, *name, any_case)) &&
	       glob(pattern + 1, end, name + 1, any_case);
}

static bool glob_any(const char *pattern, const char *name, bool any_case)
{
	const char *bar;

	for (; (bar = strchr(pattern, '|')) != NULL; pattern = bar + 1)
		if (glob(pattern, bar, name, any_case))
			return true;
	return glob(pattern, pattern + strlen(pattern), name, any_case);
}

static bool naive_user(const char *item, const char *user, const char *group)
{
	for (const struct userset *set = usersets; *item == '@' && set < usersets + cell.nusersets; set++)
		for (size_t i = 0; glob_any(item + 1, set->name, false) && i < set->entries.n; i++) {
			const char *entry = set->entries.items[i];

			if (*entry == '@' ? *group && !strcmp(entry + 1, group) : !strcmp(entry, user))
				return true;
		}
	return *item != '@' && glob_any(item, user, false);
}

/* A path without a circle is at most as long as the number of groups. */
static bool naive_host(const char *item, const char *host, size_t depth)
{
	for (size_t g = 0; *item == '@' && depth <= cell.nhostgroups && g < cell.nhostgroups; g++)
		for (size_t i = 0; glob_any(item, hostgroups[g].name, false) && i < hostgroups[g].hostlist.n; i++)
			if (naive_host(hostgroups[g].hostlist.items[i], host, depth + 1))
				return true;
	return *item != '@' && glob_any(item, host, true);
}

struct place {
	const char *name[QUOTA_KINDS], *group;
};

static bool naive_list(const struct strlist *list, int kind, const struct place *place)
{
	const char *name = place->name[kind];

	for (size_t i = 0; i < list->n && *name; i++)
		if (kind == QUOTA_USERS ? naive_user(list->items[i], name, place->group) :
		    kind == QUOTA_HOSTS ? naive_host(list->items[i], name, 0) : glob_any(list->items[i], name, false))
			return true;
	return false;
}

static bool naive_rule(const struct quota_rule *rule, const struct place *place)
{
	for (int k = 0; k < QUOTA_KINDS; k++) {
		const struct quota_filter *filter = &rule->filters[k];

		if (naive_list(&filter->not_in, k, place) || (filter->in.n > 0 && !naive_list(&filter->in, k, place)))
			return false;
	}
	return true;
}

static void naive_key(const struct quota_rule *rule, const struct place *place, char *text, size_t size)
{
	size_t n = 0;

	for (int k = 0; k < QUOTA_KINDS; k++)
		n += (size_t)snprintf(text + n, size - n, "%s/", rule->filters[k].expanded ? place->name[k] : "");
}

static struct {
	char key[160];
	double used;
} counts[COUNTS];
static size_t ncounts;

static double *naive_count(const char *key)
{
	size_t i = 0;

	while (i < ncounts && strcmp(counts[i].key, key))
		i++;
	if (i == ncounts) {
		assert_true(ncounts < COUNTS);
		snprintf(counts[ncounts++].key, sizeof(counts->key), "%s", key);
		counts[i].used = 0;
	}
	return &counts[i].used;
}

/* Any cell */

static const char *const any_user[] = { "*", "ann", "bob", "a*", "c?l|bob", "@lab", "@l*", "@none", "ab" };
static const char *const any_project[] = { "*", "red", "r*d", "blue|x", "none" };
static const char *const any_pe[] = { "*", "mpi", "mpi*", "smp|ump", "s?p" };
static const char *const any_queue[] = { "*", "fast.q", "*.q", "bulk.q|old.q", "m*" };
static const char *const any_host[] = { "*", "ADA", "cox", "?a*", "eve|GIL", "@some", "@all", "@s*", "@none", "Dry" };
static const struct {
	const char *name;
	const char *const *items;
	size_t n;
} any[QUOTA_KINDS] = {
	{ "users", any_user, 9 }, { "projects", any_project, 5 }, { "pes", any_pe, 5 }, { "queues", any_queue, 5 }, { "hosts", any_host, 10 },
};

static const char *any_filters(size_t rare)
{
	static char text[400];
	size_t n = 0;

	*text = '\0';
	for (int k = 0; k < QUOTA_KINDS; k++) {
		bool braces = below(2);

		if (below(rare))
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s", n ? " " : "", any[k].name,
				      braces ? "{" : "");
		for (size_t i = 1 + below(3); i > 0; i--)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s", below(3) ? "" : "!",
					      any[k].items[below(any[k].n)], i > 1 ? "," : "");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", braces ? "}" : "");
	}
	return text;
}

static void any_cell(void)
{
	size_t many = below(3) ? 3 : 60;
	char name[32];

	cell_begin();
	add_userset("lab", below(2) ? "ann,@staff" : "bob,staff");
	add_userset("lads", "abe,@guests");
	add_hostgroup("@some", below(2) ? "ada,FAY" : "@all,gil");
	add_hostgroup("@all", "@some,cox,nowhere,@gone");
	add_hostgroup("@south", "eve");
	for (size_t i = below(5); i > 0; i--) {
		snprintf(name, sizeof(name), "set%zu", i);
		add_set(name, below(6));
		for (size_t k = below(many); k > 0; k--)
			add_rule(any_filters(1 + below(5)), below(2) ? "slots=3" : "slots=3,mem=2");
	}
}

/* Comparison */

static void check_limits(struct quotas *quotas, uint32_t hit, const struct quota_set *set,
			 const struct quota_rule *rule, const struct quota_view *view, uint32_t queue, uint32_t host,
			 const struct place *place)
{
	char text[160], key[80], wanted[80];
	struct quota_limit_now limit;

	snprintf(wanted, sizeof(wanted), "%s/%d", set->name, rule->number);
	quota_rule_name(quotas, hit, text, sizeof(text));
	assert_string_equal(text, wanted);
	naive_key(rule, place, wanted, sizeof(wanted));
	quota_key_text(quotas, hit, view, queue, host, key, sizeof(key));
	assert_string_equal(key, wanted);
	for (size_t k = 0; k < rule->nlimits; k++) {
		snprintf(text, sizeof(text), "%s %d %zu %s", set->name, rule->number, k, key);
		assert_int_equal(quota_limit(quotas, hit, view, queue, host, k, &limit), 0);
		assert_true(limit.count->used == *naive_count(text));
		limit.count->used += (double)(1 + k);
		*naive_count(text) += (double)(1 + k);
	}
	assert_int_equal(quota_limit(quotas, hit, view, queue, host, rule->nlimits, &limit), -ENOENT);
}

static void check_place(struct quotas *quotas, const struct quota_view *view, uint32_t queue, uint32_t host,
			const struct place *place)
{
	uint32_t hits[CELL_MANY];
	size_t n = quota_rules(quotas, view, queue, host, hits), found = 0, i;

	for (const struct quota_set *set = sets; set < sets + cell.nquotas; set++) {
		for (i = 0; i < set->nrules && !naive_rule(&set->rules[i], place); i++)
			;
		if (!set->enabled || i == set->nrules)
			continue;
		assert_true(found < n);
		check_limits(quotas, hits[found++], set, &set->rules[i], view, queue, host, place);
	}
	assert_int_equal(found, n);
}

static void check_who(struct quotas *quotas, struct quota_view *view, struct place *place)
{
	assert_int_equal(quota_view_make(quotas, view,
					 &(struct quota_who){ place->name[QUOTA_USERS], place->group,
							      place->name[QUOTA_PROJECTS], place->name[QUOTA_PES] }),
			 0);
	for (uint32_t queue = 0; queue < names.nqueues; queue++) {
		for (uint32_t host = 0; host < names.nhosts; host++) {
			place->name[QUOTA_QUEUES] = queue_names[queue];
			place->name[QUOTA_HOSTS] = host_names[host];
			check_place(quotas, view, queue, host, place);
		}
	}
}

static void test_random_sets_give_the_same_result_as_the_slow_way(void **state)
{
	struct quota_view view = { 0 };
	struct quotas *quotas;

	(void)state;
	for (size_t round = cells_wanted(300); round > 0; round--) {
		any_cell();
		ncounts = 0;
		assert_int_equal(quotas_create(&quotas, &cell, &names), 0);
		quotas_begin(quotas, NULL, NULL);
		for (int i = 0; i < 12; i++)
			check_who(quotas, &view,
				  &(struct place){ .name = { users[below(4)], projects[below(4)], pes[below(4)] },
						   .group = groups[below(3)] });
		quota_view_free(&view);
		quotas_destroy(quotas);
		cell_end();
	}
}

/*
 * Return a variant of `who` with the same rights. A user that no rule names may become another one,
 * and a project that no rule names or counts may become none.
 */
static struct quota_who who_alike(const struct quotas *quotas, const struct quota_who *who)
{
	struct quota_who other = { users[below(4)], groups[below(3)], who->project, who->pe };

	if (quotas_name_user(quotas, who->user, who->group) || quotas_name_user(quotas, other.user, other.group)) {
		other.user = who->user;
		other.group = who->group;
	}
	if (!quotas_name_project(quotas, who->project) && !quotas_count_project(quotas, who->project))
		other.project = NULL;
	return other;
}

static void check_alike(const struct quotas *quotas, const struct quota_view views[2], uint32_t queue, uint32_t host)
{
	uint32_t hits[2][CELL_MANY];
	size_t n = quota_rules(quotas, &views[0], queue, host, hits[0]);
	char key[2][80];

	assert_int_equal(quota_rules(quotas, &views[1], queue, host, hits[1]), n);
	assert_memory_equal(hits[0], hits[1], n * sizeof(**hits));
	for (size_t i = 0; i < n; i++) {
		quota_key_text(quotas, hits[0][i], &views[0], queue, host, key[0], sizeof(key[0]));
		quota_key_text(quotas, hits[1][i], &views[1], queue, host, key[1], sizeof(key[1]));
		assert_string_equal(key[0], key[1]);
	}
}

static void test_an_unnamed_user_gets_the_common_view(void **state)
{
	struct quota_view views[2] = { 0 };
	struct quotas *quotas;
	size_t seen = 0;

	(void)state;
	for (size_t round = 3 * cells_wanted(300); round > 0; round--) {
		any_cell();
		assert_int_equal(quotas_create(&quotas, &cell, &names), 0);

		struct quota_who who = { users[below(4)], groups[below(3)], projects[below(4)], pes[below(4)] };
		struct quota_who other = who_alike(quotas, &who);

		seen += quotas_sets(quotas) > 0 && (who.user != other.user || who.project != other.project);
		assert_int_equal(quota_view_make(quotas, &views[0], &who), 0);
		assert_int_equal(quota_view_make(quotas, &views[1], &other), 0);
		for (uint32_t at = 0; at < 4 * 7; at++)
			check_alike(quotas, views, at % 4, at / 4);
		quota_view_free(&views[0]);
		quota_view_free(&views[1]);
		quotas_destroy(quotas);
		cell_end();
	}
	assert_true(seen > 0 || cells_wanted(300) < 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_sets_give_the_same_result_as_the_slow_way),
		cmocka_unit_test(test_an_unnamed_user_gets_the_common_view),
	};

	randomness = seed_get("quota");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
