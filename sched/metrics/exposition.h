/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page of metrics as text, in the OpenMetrics format or in Prometheus's older text format 0.0.4.
 * The formats differ in the names of counters and gauge histograms, in units, and in exemplars.
 *
 *     exposition_family(&page, &family);
 *     exposition_value(&page, labels, n, value);     ... for each series
 *
 * A family is written with its first sample, so a family without samples is not written at all. A
 * value that is not finite is not written.
 */
#ifndef SCHED_METRICS_EXPOSITION_H
#define SCHED_METRICS_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/process/output.h"

#define PAGE_BYTES_MOST (1u << 30) /* longest page */

enum exposition_format { PAGE_OPENMETRICS, PAGE_TEXT, PAGE_FORMATS };

enum family_type { FAMILY_GAUGE, FAMILY_COUNTER, FAMILY_HISTOGRAM, FAMILY_GAUGE_HISTOGRAM };

struct family {
	const char *name; /* counters without _total */
	enum family_type type;
	const char *unit; /* end of the name, such as "seconds"; NULL: none */
	const char *help;
};

struct label {
	const char *name, *value;
}; /* value NULL or "": the label is left out */

struct exposition {
	struct out out;
	enum exposition_format format;
	const char *cluster; /* label of all samples; NULL: none */
	const struct family *family;
	bool begun; /* the family has a sample */
	/* Family whose name alias_begin() has composed, see names.h. */
	struct family alias;
	char alias_name[96];
};

/* Begin a family. The next samples belong to it. */
void exposition_family(struct exposition *page, const struct family *family);

/*
 * Write a sample. Write nothing if the value is not finite, or is as large as INFINITY in a
 * configuration file.
 */
void exposition_value(struct exposition *page, const struct label *labels, size_t n, double value);

/* Job that an exemplar names, and its value; job_number 0: none. */
struct exemplar {
	uint32_t job_number;
	double value;
	int64_t time; /* epoch seconds */
};

struct histogram_sample {
	const double *limits; /* upper limits of all buckets except the last one */
	const uint64_t *counts; /* counts by bucket, not cumulated: nlimits + 1 */
	const struct exemplar *exemplars; /* nlimits + 1; NULL: none */
	size_t nlimits;
	double sum;
	double created; /* epoch seconds; 0: not written */
};

/* Write the samples of a histogram. A label `le` is added. */
void exposition_histogram(struct exposition *page, const struct label *labels, size_t n,
			  const struct histogram_sample *sample);

/*
 * Rows of a table as families: each column is a family, whose samples are the rows. A row is a
 * struct with a double for each column; NAN is an absent value.
 */
struct family_column {
	struct family family;
	size_t field; /* offset of the double */
};

/* Fill in the labels of a row and return their number, at most LABELS_MOST. */
#define LABELS_MOST 12
typedef size_t row_labels(const void *row, struct label *labels);

struct family_rows {
	const void *items;
	size_t n, bytes; /* number of rows, size of a row */
	row_labels *labels;
};

void exposition_columns(struct exposition *page, const struct family_column *columns, size_t ncolumns,
			const struct family_rows *rows);

/* Write the end of the page. */
void exposition_end(struct exposition *page);

#endif
