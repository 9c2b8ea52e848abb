/* SPDX-License-Identifier: Apache-2.0 */
/* The qmaster of a cell as its files describe it, and comparison of host names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/qmaster/gdi/cell.h"

static char directory[64];
static struct gdi_cell cell;
static struct error why;

static void file(const char *name, const char *text)
{
	char path[200];
	FILE *to;

	snprintf(path, sizeof(path), "%s/common/%s", directory, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

static int setup(void **state)
{
	char path[200];

	(void)state;
	strcpy(directory, "/tmp/fairlead-cell-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/common", directory);
	mkdir(path, 0755);
	file("bootstrap",
	     "# Version: 8.1.9\nadmin_user              sgeadmin\ndefault_domain none\nsecurity_mode none\nscheduler_threads 0\n");
	file("act_qmaster", "mother.example.org\n");
	setenv("SGE_QMASTER_PORT", "6444", 1);
	why.text[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	char command[200];

	(void)state;
	gdi_cell_free(&cell);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static void assert_refused(int rc, const char *reason)
{
	gdi_cell_free(&cell);
	assert_int_equal(gdi_cell_read(&cell, directory, &why), rc);
	if (!strstr(why.text, reason))
		fail_msg("found '%s', expected '%s'", why.text, reason);
}

static void test_a_cell_is_found_by_its_files(void **state)
{
	(void)state;
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_string_equal(why.text, "");
	assert_string_equal(cell.qmaster, "mother.example.org");
	assert_int_equal(cell.port, 6444);
	assert_int_equal(cell.security, GDI_SECURITY_NONE);
	assert_string_equal(cell.admin_user, "sgeadmin");
	assert_int_equal(cell.scheduler_threads, 0);
	assert_true(*cell.host);
}

static void test_a_cell_is_found_by_the_environment(void **state)
{
	(void)state;
	setenv("SGE_ROOT", "/tmp", 1);
	setenv("SGE_CELL", directory + strlen("/tmp/"), 1);
	assert_int_equal(gdi_cell_read(&cell, NULL, &why), 0);
	unsetenv("SGE_ROOT");
	unsetenv("SGE_CELL");
	gdi_cell_free(&cell);
	assert_int_equal(gdi_cell_read(&cell, NULL, &why), -ENOENT);
	assert_non_null(strstr(why.text, "SGE_ROOT is not set"));
}

static void test_an_unusable_setting_is_reported_with_its_line(void **state)
{
	(void)state;
	file("bootstrap", "admin_user x\n\nsecurity_mode csp\n");
	assert_refused(-ENOTSUP, "common/bootstrap:3: 'csp': this security_mode is not supported; none and munge are");
	file("bootstrap", "security_mode MUNGE\nignore_fqdn perhaps\n");
	assert_refused(-EINVAL, "common/bootstrap:2: 'perhaps': ignore_fqdn must be true or false");
	file("bootstrap", "security_mode munge\nscheduler_threads -1\n");
	assert_refused(-EINVAL, "common/bootstrap:2: '-1': scheduler_threads must be a number not below 0");
	file("bootstrap", "security_mode munge\n");
	file("act_qmaster", "");
	assert_refused(-EINVAL, "act_qmaster is empty");
	file("act_qmaster", "<x>\n");
	assert_refused(-EINVAL, "act_qmaster:1: '<x>': this is not a valid host name");
	file("act_qmaster", "a\001b\n");
	assert_refused(-EINVAL, "act_qmaster:1: found a byte that is not text");
	file("act_qmaster", "a\n");
	setenv("SGE_QMASTER_PORT", "65536", 1);
	assert_refused(-EADDRNOTAVAIL, "SGE_QMASTER_PORT is '65536': it must be from 1 to 65535");
}

static void test_a_shadow_master_that_took_over_is_found_in_the_file(void **state)
{
	char *qmaster;

	(void)state;
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	file("act_qmaster", "shadow\n");
	assert_int_equal(gdi_cell_qmaster(&cell, &qmaster, &why), 0);
	assert_string_equal(qmaster, "shadow");
	assert_string_equal(cell.qmaster, "mother.example.org");
	free(qmaster);
	file("act_qmaster", "two words\n");
	assert_int_equal(gdi_cell_qmaster(&cell, &qmaster, &why), -EINVAL);
	assert_null(qmaster);
}

static void test_aliases_are_equal_to_their_name(void **state)
{
	(void)state;
	file("host_aliases", "# comment\nmother MOTHER-eth1 mother.example.org\nnode1 node1-ib,node1-mgmt\n");
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_string_equal(cell.qmaster, "mother");
	assert_true(gdi_hosts_equal(&cell, "mother-eth1", "Mother"));
	assert_true(gdi_hosts_equal(&cell, "node1-ib", "node1-mgmt"));
	assert_false(gdi_hosts_equal(&cell, "node1", "node2"));
	assert_false(gdi_hosts_equal(&cell, "mother", "mother.example.com"));
}

static void test_domains_count_as_configured_in_bootstrap(void **state)
{
	(void)state;
	file("bootstrap", "ignore_fqdn true\n");
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_true(gdi_hosts_equal(&cell, "a.example.org", "A.example.com"));
	assert_false(gdi_hosts_equal(&cell, "a.example.org", "ab.example.org"));
	gdi_cell_free(&cell);
	file("bootstrap", "ignore_fqdn false\ndefault_domain example.org\n");
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_true(gdi_hosts_equal(&cell, "a", "a.example.org"));
	assert_false(gdi_hosts_equal(&cell, "a", "a.example.com"));
}

static void test_names_beyond_any_length_are_only_names(void **state)
{
	char name[2000], *qmaster;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	file("host_aliases", "a b\n");
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_false(gdi_hosts_equal(&cell, name, "a"));
	file("act_qmaster", name);
	assert_int_equal(gdi_cell_qmaster(&cell, &qmaster, &why), -EINVAL);
	assert_null(qmaster);
}

static void test_without_security_a_request_contains_its_user(void **state)
{
	char expected[64], *credential;

	(void)state;
	assert_int_equal(gdi_cell_read(&cell, directory, &why), 0);
	assert_int_equal(gdi_credential(&cell, &credential, &why), 0);
	snprintf(expected, sizeof(expected), "none:%u %u ", (unsigned)geteuid(), (unsigned)getegid());
	assert_memory_equal(credential, expected, strlen(expected));
	free(credential);
}

int main(void)
{
#define SENTENCE(TEST) cmocka_unit_test_setup_teardown(TEST, setup, teardown)
	const struct CMUnitTest tests[] = {
		SENTENCE(test_a_cell_is_found_by_its_files),
		SENTENCE(test_a_cell_is_found_by_the_environment),
		SENTENCE(test_an_unusable_setting_is_reported_with_its_line),
		SENTENCE(test_a_shadow_master_that_took_over_is_found_in_the_file),
		SENTENCE(test_aliases_are_equal_to_their_name),
		SENTENCE(test_domains_count_as_configured_in_bootstrap),
		SENTENCE(test_names_beyond_any_length_are_only_names),
		SENTENCE(test_without_security_a_request_contains_its_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
