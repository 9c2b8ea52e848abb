/* SPDX-License-Identifier: Apache-2.0 */
/* Texts read as a cell's condor_config. For one file of a program. Include after cmocka.h. */
#ifndef TESTS_CONDOR_CONFIG_TEXT_H
#define TESTS_CONDOR_CONFIG_TEXT_H

#include "tests/conf/cell_dir.h"

static struct cell_dir d;

/* Until done(). */
static const struct condor_conf *read_text(const char *text)
{
	cell_dir_create(&d, NULL);
	cell_dir_write(&d, "condor_config", text);
	cell_dir_load(&d);
	return &d.cell.condor;
}

static void done(void)
{
	cell_dir_destroy(&d);
}

static bool reported(enum severity severity, int line, const char *piece)
{
	for (size_t i = 0; i < d.report.n; i++)
		if (d.report.findings[i].severity == severity && d.report.findings[i].line == line &&
		    strstr(d.report.findings[i].text, piece))
			return true;
	report_print(&d.report, stderr);
	return false;
}

#endif
