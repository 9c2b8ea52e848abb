/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell with Slurm's priorities: two accounts, three users, and the usage of their associations.
 * Include after cmocka.h and its headers.
 */
#ifndef TESTS_STORE_SLURM_CELL_H
#define TESTS_STORE_SLURM_CELL_H

#include "sched/policy/multifactor/multifactor.h"
#include "tests/store/cell.h"

#define PERIOD 300		/* PriorityCalcPeriod, seconds */
#define DAY 86400
#define DECAYING "PriorityDecayHalfLife=7-0\nPriorityCalcPeriod=5\n"
#define BOB "User - 'bob':DefaultAccount='phys':Fairshare=3\n"
#define ASSOCIATION_USAGE "{'event':'association_usage','account':'%s','user':'%s','usage_raw':%s}"

static const char *const slurm_users[][2] = { { "phys", "ann" }, { "phys", "bob" }, { "chem", "cal" } };

static inline void put_associations(struct fixture *fixture, const char *bob)
{
	char text[1000];

	snprintf(
		text, sizeof(text),
		"Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=0\n"
		"Account - 'phys':Fairshare=60\nAccount - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\n"
		"%sParent - 'chem'\nUser - 'cal':DefaultAccount='chem':Fairshare=1\n",
		bob);
	put(fixture, "associations", text);
}

/*
 * Write lines of slurm.conf in addition to those that describe the machine. A cell with slurm.conf
 * and without sched_conf uses that algorithm.
 */
static inline void put_slurm(struct fixture *fixture, const char *lines)
{
	char text[2000];

	snprintf(
		text, sizeof(text),
		"PriorityType=priority/multifactor\nNodeName=n[1-10] CPUs=4\nPartitionName=batch Nodes=ALL Default=YES\n%s",
		lines);
	put(fixture, "slurm.conf", text);
	put_associations(fixture, BOB);
	put_away(fixture, "sched_conf");
	reload(fixture);
}

/* Start a job of a user on one processor. */
static inline void run_job(struct fixture *fixture, uint32_t number, size_t user, int64_t start_time)
{
	TELL(fixture, ADD "%u,'owner':'%s','account':'%s'}", number, slurm_users[user][1], slurm_users[user][0]);
	TELL(fixture,
	     "{'event':'task_start','start_time':%lld,'granted':[{'queue':'all.q@node','slots':1}],'job_number':%u}",
	     (long long)start_time, number);
}

/* Return a user's association, or an account. */
static inline struct fl_association share(const struct fixture *fixture, const char *name)
{
	struct fl_association association;

	for (size_t k = 0; fl_association(fixture->view, k, &association) == 0; k++)
		if (strcmp(*association.user ? association.user : association.account, name) == 0)
			return association;
	fail_msg("there is no %s", name);
	return association;
}

/* Return the policy where multifactor is active. */
static inline const struct multifactor *multifactor_of(const struct fixture *fixture)
{
	return ((const struct multifactor_policy *)fixture->sched->policies.in_force)->in_force;
}

/* Return the shares of all associations and the clock, in all digits. The caller frees the text. */
static inline char *all_shares(const struct fixture *fixture)
{
	const struct multifactor *multifactor = multifactor_of(fixture);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "pass %lld reset %lld\n", (long long)multifactor->pass, (long long)multifactor->last_reset);
	for (size_t i = 0; i < multifactor->tree.n; i++) {
		const struct association *association = &multifactor->tree.items[i];

		fprintf(out, "%s %s: usage %La %La %La factor %a rank %u\n", multifactor->conf->associations[i].account,
			multifactor->conf->associations[i].user, association->usage, association->norm_usage,
			association->effective_usage, association->factor, association->rank);
	}
	fclose(out);
	return text;
}

static inline void execute(const char *sql)
{
	assert_int_equal(sqlite3_exec(file.store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* Begin with an empty store. */
static inline void begin_anew(struct fixture *fixture)
{
	store_close(file.store);
	file.store = NULL;
	directory_clear(file.directory);
	OPEN(&file);
	kill_and_restart(fixture);
}

/* Check that a store with this damage is refused with these words. */
static inline void check_damage(struct fixture *fixture, const char *damage, const char *words)
{
	const struct store_usage_options options = { .reported_again = true };

	execute("SAVEPOINT sound");
	execute(damage);
	FAILS(&file, store_usage_attach(file.store, sched_durable(fixture->sched), &options, &file.error), -EUCLEAN,
	      words);
	execute("ROLLBACK TO sound; RELEASE sound");
}

#endif
