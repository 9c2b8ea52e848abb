/* SPDX-License-Identifier: Apache-2.0 */
/* Output of explain or stat -j about the selected job, in a window that can be scrolled. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/array.h"
#include "sched/cli/top/top.h"

#define TEXT_MOST ((size_t)4 << 20)	/* longer output is cut */

/* Run this program again with its output in a pipe. Returns the process, or -1. */
static pid_t verb_start(const char *cell, const char *verb, const char *number, int output)
{
	const char *const explain[] = { "fairlead", "-c", cell, verb, number, NULL };
	const char *const stat[] = { "fairlead", "-c", cell, verb, "-j", number, NULL };
	pid_t process = fork();
	int null;

	if (process)
		return process;
	null = open("/dev/null", O_RDONLY);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execv("/proc/self/exe", (char *const *)(strcmp(verb, "stat") == 0 ? stat : explain));
	_exit(127);
}

/* Read everything, up to TEXT_MOST bytes. The caller frees. NULL: memory is exhausted. */
static char *pipe_read(int input)
{
	size_t used = 0;
	char *text = NULL;

	for (;;) {
		ssize_t n;

		if (array_grow(&text, used + 65536, 1)) {
			free(text);
			return NULL;
		}
		n = used < TEXT_MOST ? read(input, text + used, 65535) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	text[used] = '\0';
	return text;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void job_text_open(struct top *top, const char *verb)
{
	char number[16];
	int ends[2];
	pid_t process;

	if (top->job_number == 0) {
		snprintf(top->message, sizeof(top->message), "No job is selected. Views 1, 2 and 3 have jobs.");
		return;
	}
	if (pipe2(ends, O_CLOEXEC)) {
		snprintf(top->message, sizeof(top->message), "cannot create a pipe: %s", strerror(errno));
		return;
	}
	snprintf(number, sizeof(number), "%u", top->job_number);
	process = verb_start(top->cell, verb, number, ends[1]);
	close(ends[1]);
	job_text_close(top);
	if (process > 0)
		top->shown.text = pipe_read(ends[0]);
	close(ends[0]);
	while (process > 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR)
		;
	if (!top->shown.text)
		snprintf(top->message, sizeof(top->message), "cannot run %s %s: not enough memory or processes", verb,
			 number);
	else
		top->shown.lines = count_lines(top->shown.text);
	snprintf(top->shown.title, sizeof(top->shown.title), "%s of job %s", verb, number);
}

void job_text_close(struct top *top)
{
	free(top->shown.text);
	top->shown.text = NULL;
	top->shown.first = 0;
}

void job_text_show(struct top *top, struct top_page *page, unsigned rows)
{
	const char *line = top->shown.text;

	page_add(page, PAGE_HEAD, "%s", top->shown.title);
	top->height = rows > 1 ? rows - 1 : 1;
	for (size_t k = 0; *line && k < top->shown.first + top->height; k++) {
		size_t n = strcspn(line, "\n");

		if (k >= top->shown.first)
			page_add(page, PAGE_PLAIN, "%.*s", (int)(n < PAGE_COLUMNS_MOST ? n : PAGE_COLUMNS_MOST), line);
		line += n + (line[n] == '\n');
	}
}
