/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation while an HTCondor pool's files are read, the reader
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

static const char CONFIG[] =
	"A = 1\nA = $(A)2$(A:x)\nB @=end\n $(A) + $INT(A)\n@end\nif defined A\n if version >= 8\n endif\nelif 1 + 1\nendif\n"
	"include : more\nLOCAL_CONFIG_DIR = config.d\nLOCAL_CONFIG_FILE = local\nDEFAULT_DOMAIN_NAME = example.org\nINTREVAL_X = $ENV(HOME)\n"
	"GROUP_NAMES = a, a.b, c, <none>, x.y\nGROUP_QUOTA_a = 2 * 3\nGROUP_QUOTA_DYNAMIC_a.b = 0.5\nGROUP_ACCEPT_SURPLUS = True\n"
	"GROUP_AUTOREGROUP_c = True\nGROUP_PRIO_FACTOR_c = 0.5\nPREEMPTION_REQUIREMENTS = $(B) > 1\nADD_SIGNIFICANT_ATTRIBUTES = X, Y\n"
	"CLASSAD_USER_MAPFILE_PriorityFactorAuthorization = more\nlic_LIMIT = 4\nCONCURRENCY_LIMIT_DEFAULT_lic = 2\nNEGOTIATOR_INTREVAL = 5\nNEGOTIATOR.CLAIM_WORKLIFE = 0\n";
static const char LOG[] =
	"107 1 CreationTimestamp 1\n103 Accountant. LastUpdateTime 5\n105 \n101 Customer.ann@p * *\n103 Customer.ann@p Priority 5\n106 \n"
	"101 Customer.gone@p * *\n102 Customer.gone@p\n103 Resource.s1@h@<1.2.3.4:5> RemoteUser \"ann@p\"\n"
	"103 Resource.s2@h@<1.2.3.4:5> RemoteUser \"ann@p\"\n102 Resource.s2@h@<1.2.3.4:5>\n105 \n101 Customer.bob@p * *\n";
static const char LONG[] = "Name1 = \"ann@p\"\nPriority1 = 5\nName2 = \"a\"\n\nName = \"bob@p\"\nPriority = 7\n";

static void test_the_readers_free_their_memory(void **state)
{
	static const char *const files[][2] = {
		{ "condor_config", CONFIG }, { "more", "C = 1\n" }, { "config.d/1", "D = 1\n" }, { "local", "E = 1\n" }, { "userprio", LOG },
	};

	(void)state;
	cell_dir_create(&dir, NULL);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		cell_dir_write(&dir, files[i][0], files[i][1]);
	cell_dir_load(&dir);
	assert_int_equal(dir.report.faults, 0);
	read_with_failures();
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.cell.condor.ngroups, 4);
	assert_int_equal(dir.cell.condor.ncustomers, 1);
	assert_int_equal(dir.cell.condor.nresources, 1);
	assert_int_equal(dir.cell.condor.nlimits, 2);
	cell_dir_write(&dir, "userprio", LONG);
	read_with_failures();
	assert_int_equal(dir.report.faults, 0);
	assert_int_equal(dir.cell.condor.ncustomers, 3);
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
