/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation while a Slurm site's files are read, the reader
 * reports it and frees its memory.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

#include "tests/conf/failing_reads.h"

static const char CONF[] =
	"PriorityType=priority/multifactor\nPriorityWeightAge=1\nPriorityWeightTRES=\"CPU=1,gres/gpu=2\"\nAccountingStorageTRES=gres/gpu,license/matlab\n"
	"AccountingStorageEnforce=limits\nPriorityFlags=MAX_TRES,NONSENSE\nLicenses=matlab:3\nInclude more.conf\n"
	"NodeName=DEFAULT CPUs=4 Gres=gpu:1 Feature=fast\nNodeName=n[1-4],m[0-1]x[1-12]\nNodeName=DEFAULT Gres=\"\"\nNodeName=login\n"
	"NodeSet=quick Feature=fast\nNodeSet=some Nodes=n[1-2]\n"
	"PartitionName=DEFAULT Nodes=quick TRESBillingWeights=CPU=2 QOS=high\nPartitionName=a\nPartitionName=b Nodes=some,login Default=YES\n";
static const char ASSOCIATIONS[] =
	"Cluster - 'x'\nParent - 'root'\nAccount - 'Phys':Fairshare=2:GrpTRESMins=cpu=5,mem=2G:DefaultQOS='high':QOS='high'\n"
	"Parent - 'phys'\nUser - 'ann':DefaultAccount='phys'\n"
	"User - 'ann':DefaultAccount='phys':Partition='a'\nUser - 'bob':DefaultAccount='phys'\n";
static const char SSHARE[] = "Account|User|RawShares|RawUsage|Partition|GrpTRESMins\nroot|||30||\n phys|||30||cpu=3\n"
	"  phys|ann|1|20|\n  phys|bob|1|10|a\n";
static const char QOS[] = "Name|Priority\nnormal|0\nhigh|10\n";

static void test_the_readers_free_their_memory(void **state)
{
	static const char *const files[][2] = {
		{ "slurm.conf", CONF }, { "more.conf", "PriorityMaxAge=1-0\n" }, { "associations", ASSOCIATIONS }, { "sshare", SSHARE }, { "qos", QOS },
	};
	double counts[TRES_MOST];
	int error;
	size_t i;

	(void)state;
	cell_dir_create(&dir, NULL);
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		cell_dir_write(&dir, files[i][0], files[i][1]);
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	read_with_failures();
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.cell.slurm.npartitions, 2);
	assert_int_equal(dir.cell.slurm.nassociations, 5);
	assert_int_equal(dir.cell.slurm.nusers, 2);
	shell("rm '%s/associations'%s", dir.path, "");	/* sshare has the tree, too */
	read_with_failures();
	assert_int_equal(dir.cell.slurm.nassociations, 4);
	left = 0;
	/* done for each running task in each pass */
	error = slurm_tres_parse(&dir.cell.slurm, "cpu=4,gres/gpu=2", counts);
	left = -1;
	assert_int_equal(error, 0);
	assert_true(counts[TRES_CPU] == 4);
	cell_dir_destroy(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_readers_free_their_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
