/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts in random nested groups, also circular ones: cell_hostgroup_has() compared with a plain
 * walk down the lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>
#include <time.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

enum { GROUPS_FEW = 9, GROUPS_MANY = 150, HOSTS = 7 };

static uint64_t seed;

static size_t chance(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static void group_name(char *name, size_t group)
{
	snprintf(name, 16, group % 2 ? "@Group%zu" : "@group%zu", group / 2);
}

static void cell_write(struct cell_dir *dir, size_t groups, size_t links)
{
	char name[16], file[32], text[400];
	size_t i, j, n;
	int end;

	for (i = 0; i < groups; i++) {
		group_name(name, i);
		snprintf(file, sizeof(file), "hgrp/%s", name);
		end = snprintf(text, sizeof(text), "group_name %s\nhostlist other", name);
		for (j = 0, n = chance(4); j < n; j++)
			end += snprintf(text + end, sizeof(text) - (size_t)end, " %s%zu", chance(2) ? "node" : "NODE",
					chance(HOSTS));
		for (j = 0, n = chance(links + 1); j < n; j++) {
			group_name(name, chance(groups + 1));
			end += snprintf(text + end, sizeof(text) - (size_t)end, " %s", name);
		}
		cell_dir_write(dir, file, text);
	}
}

/* Search depth first. seen[] prevents endless loops. */
static bool plainly_has(const struct cell *cell, const char *group, const char *host, bool *seen)
{
	const struct hostgroup *hostgroup = cell->hostgroups, *end = hostgroup + cell->nhostgroups;
	bool found = false;
	size_t i;

	while (hostgroup < end && strcmp(hostgroup->name, group))
		hostgroup++;
	if (hostgroup == end || seen[hostgroup - cell->hostgroups])
		return false;
	seen[hostgroup - cell->hostgroups] = true;
	for (i = 0; i < hostgroup->hostlist.n && !found; i++)
		found = *hostgroup->hostlist.items[i] == '@'
				? plainly_has(cell, hostgroup->hostlist.items[i], host, seen)
				: !strcasecmp(hostgroup->hostlist.items[i], host);
	return found;
}

static size_t cell_check(const struct cell *cell)
{
	bool seen[GROUPS_MANY], expected;
	size_t i, j, members = 0;
	char host[16];

	for (i = 0; i < cell->nhostgroups; i++) {
		for (j = 0; j <= HOSTS; j++) {
			snprintf(host, sizeof(host), "Node%zu", j);
			memset(seen, 0, sizeof(seen));
			expected = plainly_has(cell, cell->hostgroups[i].name, host, seen);
			if (cell_hostgroup_has(cell, cell->hostgroups[i].name, host) != expected)
				fail_msg("%s in %s: %d expected", host, cell->hostgroups[i].name, expected);
			members += expected;
		}
	}
	return members;
}

static size_t random_cell(size_t groups, size_t links)
{
	struct cell_dir dir;
	size_t members;

	cell_dir_create(&dir, NULL);
	cell_write(&dir, groups, links);
	members = cell_check(cell_dir_load(&dir));
	assert_int_equal(dir.cell.nhostgroups, groups);
	cell_dir_destroy(&dir);
	return members;
}

static void test_a_walk_up_and_a_walk_down_find_the_same_groups(void **state)
{
	const char *fixed = getenv("SEED");
	size_t i, members = 0;

	(void)state;
	seed = fixed ? strtoull(fixed, NULL, 0) : (uint64_t)time(NULL);
	seed += !seed;
	print_message("SEED=%llu\n", (unsigned long long)seed);
	for (i = 0; i < 40; i++)
		members += random_cell(1 + chance(GROUPS_FEW), i % 4);
	for (i = 0; i < 4; i++)
		members += random_cell(GROUPS_MANY, i);
	assert_true(members > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_walk_up_and_a_walk_down_find_the_same_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
