/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cell of mirror_cell.h with Slurm's priorities: two accounts, three users, two partitions.
 * Include after cmocka.h and its headers.
 */
#ifndef TESTS_MULTIFACTOR_CELL_H
#define TESTS_MULTIFACTOR_CELL_H

#include "tests/mirror/cell.h"

#define ASSOCIATIONS "Cluster - 'ref':Fairshare=1:QOS='normal'\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=0\n" \
	"Account - 'phys':Fairshare=60\nAccount - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\n" \
	"User - 'bob':DefaultAccount='phys':Fairshare=3\nParent - 'chem'\nUser - 'cal':DefaultAccount='chem':Fairshare=1\n"
#define MACHINE "NodeName=n[1-10] CPUs=4 RealMemory=1000\nPartitionName=batch Nodes=ALL Default=YES PriorityJobFactor=10\n" \
	"PartitionName=fast Nodes=ALL PriorityJobFactor=20 PriorityTier=5\n"
#define FROZEN "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityCalcPeriod=5\nPriorityFlags=NO_FAIR_TREE\n"

#define SLURM_START "{'event':'task_start','granted':[{'queue':'batch@n1','slots':4}],"
#define SUBMITTED 1699999000	/* the value in ADD */

static inline void put_slurm(struct fixture *fixture, const char *lines)
{
	char text[2000];

	snprintf(text, sizeof(text), "PriorityType=priority/multifactor\nPriorityMaxAge=1-0\n%s%s", MACHINE, lines);
	put(fixture, "slurm.conf", text);
	put(fixture, "associations", ASSOCIATIONS);
	put(fixture, "qos", "Name|Priority|UsageFactor|Flags\nnormal|0|1.000000|\nhigh|100|2.000000|\nfree|20|0.000000|\n");
	snprintf(text, sizeof(text), "%s/sched_conf", fixture->cell.directory);
	remove(text);		/* a cell with only slurm.conf uses that algorithm */
	reload(fixture);
}

static inline struct fl_factors factors(const struct fixture *fixture, uint32_t number)
{
	struct fl_factors factors;

	if (fl_factors(fixture->view, number, 0, &factors) != 0)
		fail_msg("job %u has no factors", number);
	return factors;
}

static inline struct fl_association share(const struct fixture *fixture, const char *user)
{
	struct fl_association association;

	for (size_t k = 0; fl_association(fixture->view, k, &association) == 0; k++)
		if (strcmp(association.user, user) == 0)
			return association;
	fail_msg("there is no %s", user);
	return association;
}

#endif
