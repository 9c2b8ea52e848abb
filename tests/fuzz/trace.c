/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload trace, plain or compressed. A line "=== OPTIONS" may precede it, with the words sort,
 * allocated, think, exact, keeps, swf, accounting, sacct, half (arrivals), window. The result is
 * either jobs in their order, with reliable numbers and sums, or a fault with a text.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/trace/trace.h"
#include "tests/fuzz/support.h"

#define TIME_MOST INT64_C(300000000000)
#define WAIT_MOST INT64_C(4000000000)

static bool is_clean(const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	bool clean = !text || utf8_clean(copy) == 0;

	free(copy);
	return clean;
}

static void job_look(const struct trace_job *job, const struct trace_options *options)
{
	const char *const texts[] = { job->user,      job->group, job->project, job->department, job->queue,
				      job->partition, job->pe,	  job->hard,	job->qos,	 job->name };

	MUST(job->user && job->slots > 0 && job->slots <= 1000000000 && job->line > 0);
	MUST(job->submit >= 0 && job->submit <= TIME_MOST);
	MUST(job->start == 0 || (job->start >= job->submit && job->start - job->submit <= WAIT_MOST));
	MUST(job->run_s >= 0 && job->run_s <= UINT32_MAX && job->limit_s >= 0 && job->limit_s <= UINT32_MAX);
	MUST(job->think_s >= 0 && job->think_s <= UINT32_MAX && (options->think_times || job->after == 0));
	MUST(isfinite(job->cpu_s) && (job->cpu_s == -1 || job->cpu_s >= 0));
	MUST(!options->exact_limits || job->limit_s > 0);
	MUST(!options->keeps_limits || job->limit_s == 0 || job->run_s <= job->limit_s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		MUST(is_clean(texts[i]));
}

static void about_look(const struct trace *trace, uint64_t jobs, double slot_s, bool ended)
{
	const struct trace_about *about = trace_about(trace);
	uint64_t reported = about->jobs;

	MUST(about->jobs == jobs && about->slot_s == slot_s && isfinite(about->allocated_s));
	for (size_t i = 0; i < TRACE_REASONS; i++) {
		MUST((about->left_out[i].n == 0) == (about->left_out[i].line == 0));
		reported += about->left_out[i].n;
	}
	MUST(!ended || reported == about->records);
	MUST(about->records <= about->lines);
	MUST(is_clean(about->computer) && is_clean(about->acknowledge) && is_clean(about->time_zone));
}

static void trace_read(const char *file, const struct trace_options *options)
{
	struct error error = { "" };
	struct trace_job job;
	uint64_t jobs = 0;
	int64_t submit = 0;
	double slot_s = 0;
	struct trace *trace;
	int rc = trace_open(&trace, file, options, &error);

	MUST(rc == 0 || (!trace && rc < 0 && error.text[0]));
	if (rc == 0) {
		while ((rc = trace_next(trace, &job, &error)) == 0) {
			job_look(&job, options);
			MUST(job.submit >= submit);
			submit = job.submit;
			slot_s += (double)job.slots * (double)job.run_s;
			jobs++;
		}
		MUST(rc == 1 || (rc == -EINVAL && error.text[0]));
		about_look(trace, jobs, slot_s, rc == 1);
		MUST(trace_next(trace, &job, &error) == rc);
		trace_close(trace);
	}
	fuzz_taken(jobs > 0);
}

#ifdef BROKEN			/* clocks never differ */
void __wrap_trace_started(struct trace *trace, struct trace_job *job, int64_t start);

void __wrap_trace_started(struct trace *trace, struct trace_job *job, int64_t start)
{
	(void)trace;
	job->start = start;
}
#endif

/* Read the options from a piece of the input. */
static size_t options_read(const uint8_t *data, size_t size, struct trace_options *options)
{
	const uint8_t *end = size >= 4 && memcmp(data, "=== ", 4) == 0 ? memchr(data, '\n', size) : NULL;
	char words[200];
	size_t n;

	*options = (struct trace_options){ .sort = false };
	if (!end)
		return 0;
	n = (size_t)(end - data) < sizeof(words) ? (size_t)(end - data) : sizeof(words) - 1;
	memcpy(words, data, n);
	words[n] = '\0';
	options->sort = strstr(words, "sort");
	options->allocated = strstr(words, "allocated");
	options->think_times = strstr(words, "think");
	options->exact_limits = strstr(words, "exact");
	options->keeps_limits = strstr(words, "keeps");
	options->format = strstr(words, "swf")		? TRACE_SWF
			  : strstr(words, "accounting") ? TRACE_ACCOUNTING
			  : strstr(words, "sacct")	? TRACE_SACCT
							: TRACE_ANY;
	options->arrival_factor = strstr(words, "half") ? 0.5 : 0;
	if (strstr(words, "window"))
		options->from = 100, options->until = 1700000000;
	return (size_t)(end + 1 - data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_options options;
	size_t begin = options_read(data, size, &options);
	char file[256];

	setenv("TZ", "UTC", 1);
	scratch_put("trace", data + begin, size - begin);
	scratch_path(file, "trace");
	trace_read(file, &options);
	scratch_remove("trace");
	return 0;
}
