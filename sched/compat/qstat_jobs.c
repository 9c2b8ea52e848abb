/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qstat -j: all data about jobs, by number, name or pattern. Missing jobs are ignored if one of the
 * named jobs exists, and are reported if none does. For Grid Engine, and for scripts that wait for
 * its end, a job that has ended does not exist, although the verb could still report how it has
 * ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "conf/base/wildcard.h"
#include "sched/cli/xml.h"
#include "sched/compat/compat.h"

/* Return whether a job has this name, or a name that matches the pattern. */
static bool name_is_there(const struct fl_view *view, const char *pattern)
{
	struct fl_job job;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0, n = fl_count(view, list); k < n; k++)
			if (fl_get(view, list, k, &job) == 0 && wildcard_match(pattern, job.name, 0))
				return true;
	return false;
}

static bool number_is_there(const struct fl_view *view, const char *word)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	struct fl_job job;

	return number > 0 && number <= UINT32_MAX && fl_find(view, (uint32_t)number, 0, &job) == 0;
}

/*
 * Return whether a job exists. If the cell cannot be read, the answer is true, and the verb reports
 * the error.
 */
static bool job_is_there(struct fl_cell *reader, const char *word)
{
	bool there, is_number = !word[strspn(word, "0123456789")];

	if (!reader)
		return true;
	do {
		const struct fl_view *view = fl_begin(reader);

		there = is_number ? number_is_there(view, word)
				  : strlen(word) < WILDCARD_BYTES && name_is_there(view, word);
	} while (fl_end(reader) == -ESTALE);
	return there;
}

static void missing_print(const struct call *missing)
{
	fprintf(stderr, "Following jobs do not exist: \n");
	for (int k = 1; k < missing->n; k++) {
		utf8_clean(missing->words[k]);
		fprintf(stderr, "%s%s", k > 1 ? ", " : "", missing->words[k]);
	}
	fprintf(stderr, "\n");
}

static int missing_xml(const struct call *missing)
{
	struct out out;
	int rc;

	if (out_open(&out, STDOUT_FILENO))
		return -ENOMEM;
	out_text(&out, XML_HEAD "<unknown_jobs >\n");
	for (int k = 1; k < missing->n; k++)
		xml_string(&out, 4, "ST_name", missing->words[k]);
	out_text(&out, "</unknown_jobs>\n");
	rc = out_flush(&out);
	out_close(&out);
	return rc == -EPIPE ? 0 : rc;
}

/* Separate the words of the lists into existing and missing jobs. */
static void words_sort(const struct call *lists, const char *cell, struct call *there, struct call *missing)
{
	struct fl_cell *reader = NULL;

	if (fl_attach(&reader, cell))
		reader = NULL;
	for (int k = 1; k < lists->n; k++)
		for (char *rest = lists->words[k], *word; (word = strsep(&rest, ",")) != NULL;)
			if (*word)
				call_add(job_is_there(reader, word) ? there : missing, word);
	if (reader)
		fl_detach(reader);
}

static int words_most(const struct call *lists)
{
	int most = lists->n;

	for (int k = 0; k < lists->n; k++)
		for (const char *p = lists->words[k]; *p; p++)
			most += *p == ',';
	return most;
}

int qstat_jobs(const struct client_program *program, const char *cell, const struct call *lists, bool xml)
{
	struct voice voice = { .program = program->name, .verb = "stat", .refusals = stderr, .before = "error: " };
	struct call call = { .words = NULL }, there = { .words = NULL }, missing = { .words = NULL };
	int code = 1, most = words_most(lists);

	if (call_open(&call, "stat", most) || call_open(&there, "-j", most) || call_open(&missing, "-j", most)) {
		program_fail(program->name, "no memory", NULL);
		goto out;
	}
	words_sort(lists, cell, &there, &missing);
	if (there.n == 1 && missing.n > 1) {
		code = !xml || missing_xml(&missing);
		if (!xml)
			missing_print(&missing);
		goto out;
	}
	call_add(&call, xml ? "-xml" : "--qstat");
	call_add(&call, "-j");
	for (int k = 1; k < there.n; k++) {
		if (k == 1)
			call_add(&call, there.words[k]);
		else
			call_extend(&call, ",");
		if (k > 1)
			call_extend(&call, there.words[k]);
	}
	code = call_show(&call, stat_show, cell, &voice) ? 1 : 0;
out:
	call_close(&call);
	call_close(&there);
	call_close(&missing);
	return code;
}
