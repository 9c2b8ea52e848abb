/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table of the values shown of a job's factors, one row per value, for the lines of fairlead prio,
 * its JSON and fairlead stat -j. A letter is a column of sprio(1), a member is one of JSON. The
 * type determines how both are written. To add a value, add a row here. To add a format, write a
 * file that prints each type, and add an option in slurm/prio.c.
 */
#ifndef CLI_SLURM_PRIO_FIELDS_H
#define CLI_SLURM_PRIO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

enum prio_type {		/* type of the member of struct fl_factors */
	PRIO_JOB,		/* uint32_t */
	PRIO_NUMBER,		/* uint32_t */
	PRIO_NUMBER_OR_NONE,	/* uint32_t, 0 = none */
	PRIO_SITE,		/* int32_t, added */
	PRIO_NICE,		/* int32_t, subtracted */
	PRIO_TEXT,		/* const char *, "" = none */
	PRIO_TIME,		/* int64_t, 0 = not yet */
	PRIO_KIND,		/* bool is_started: running or pending */
	PRIO_FACTOR,		/* double, 0 to 1 */
	PRIO_WEIGHTED,		/* double, a factor times its weight */
	/* Types that need more than the member. */
	PRIO_SUM,		/* the priority */
	PRIO_SUM_NORMALISED,	/* the priority as a value of 0 to 1 */
	PRIO_CLUSTER,		/* name of the cell */
	PRIO_RANK,		/* position in the list */
	PRIO_TRES,		/* every kind of TRES with both of its factors */
	PRIO_TRES_WEIGHTED,	/* every kind of TRES, weighted */
	PRIO_TRES_FACTORS,	/* every kind of TRES, normalised */
};

enum prio_when {		/* lines that have a column by default, bits */
	PRIO_LINES = 1 << 0,	/* lines of weighted factors */
	PRIO_NORM = 1 << 1,	/* -n */
	PRIO_IF_USERS = 1 << 2,	/* with -l, or if jobs of users are selected */
	PRIO_IF_WEIGHT = 1 << 3,	/* with -l, or if it has a weight */
	PRIO_IF_LONG = 1 << 4,	/* with -l */
};

struct prio_field {
	enum prio_type type;
	uint16_t offset;	/* offset in struct fl_factors */
	/* offset in struct fl_multifactor of a uint32_t, or of a text for TRES; 0: none */
	uint16_t weight;
	char letter;		/* 0: no column */
	/* Position in the lines, ascending, and the lines that have it; 0: only on request. */
	uint8_t at, when;
	uint8_t job_at;		/* position in stat -j, 0: not there */
	const char *title, *column;	/* title of the column, and its default format */
	const char *key;	/* ",\"member\":"; NULL: not in JSON */
	const char *weight_key;	/* member of the weight */
	const char *label;	/* label in stat -j */
};

#define OF(member) .offset = offsetof(struct fl_factors, member)
#define WEIGHT(member) .weight = offsetof(struct fl_multifactor, member)
#define KEY(member) .key = ",\"" member "\":"
#define WEIGHT_KEY(member) .weight_key = ",\"" member "\":"
#define COLUMN(is, titled, as) .letter = (is), .title = (titled), .column = (as)
#define LINES(place, bits) .at = (place), .when = (bits)
#define LABEL(place, text) .job_at = (place), .label = (text)
#define ANY (PRIO_LINES | PRIO_NORM)

static const struct prio_field prio_fields[] = {	/* in the order of JSON */
	{ PRIO_JOB, OF(job_number), COLUMN('i', "JOBID", "%.15i"), LINES(10, ANY), KEY("job_number") },
	{ PRIO_TEXT, OF(owner), COLUMN('u', "USER", "%.8u"), LINES(30, ANY | PRIO_IF_USERS), KEY("user") },
	{ PRIO_TEXT, OF(account), KEY("account") },
	{ PRIO_TEXT, OF(partition), COLUMN('r', "PARTITION", "%9r"), LINES(20, ANY), KEY("partition"), LABEL(10, "partition") },
	{ PRIO_TEXT, OF(qos), KEY("qos") },
	{ PRIO_CLUSTER, COLUMN('c', "CLUSTER", "%c") },
	{ PRIO_KIND, OF(is_started), KEY("kind") },
	{ PRIO_RANK, KEY("rank") },
	{ PRIO_NUMBER, OF(priority), KEY("priority") },
	{ PRIO_SUM, OF(sum), COLUMN('Y', "PRIORITY", "%.10Y"), LINES(40, PRIO_LINES), KEY("sum"), LABEL(110, "sum") },
	{ PRIO_SUM_NORMALISED, OF(sum), COLUMN('y', "PRIORITY", "%10y"), LINES(40, PRIO_NORM) },
	{ PRIO_NUMBER_OR_NONE, OF(direct_priority), KEY("direct_priority") },
	{ PRIO_TIME, OF(submission_time), KEY("submission_time") },
	{ PRIO_TIME, OF(eligible_time), KEY("eligible_time") },
	{ PRIO_TIME, OF(accrue_time), KEY("accrue_time") },
	{ PRIO_FACTOR, OF(age), WEIGHT(weight_age), COLUMN('a', "AGE", "%10a"), LINES(60, PRIO_NORM | PRIO_IF_WEIGHT), KEY("age"),
	  WEIGHT_KEY("age") },
	{ PRIO_FACTOR, OF(assoc), WEIGHT(weight_assoc), COLUMN('b', "ASSOC", "%10b"), LINES(70, PRIO_NORM | PRIO_IF_WEIGHT), KEY("assoc"),
	  WEIGHT_KEY("assoc") },
	{ PRIO_FACTOR, OF(fairshare), WEIGHT(weight_fairshare), COLUMN('f', "FAIRSHARE", "%10f"), LINES(80, PRIO_NORM | PRIO_IF_WEIGHT),
	  KEY("fairshare"), WEIGHT_KEY("fairshare") },
	{ PRIO_FACTOR, OF(job_size), WEIGHT(weight_job_size), COLUMN('j', "JOBSIZE", "%10j"), LINES(90, PRIO_NORM | PRIO_IF_WEIGHT),
	  KEY("job_size"), WEIGHT_KEY("job_size") },
	{ PRIO_FACTOR, OF(partition_factor), WEIGHT(weight_partition), COLUMN('p', "PARTITION", "%10p"),
	  LINES(100, PRIO_NORM | PRIO_IF_WEIGHT), KEY("partition_factor"), WEIGHT_KEY("partition") },
	{ PRIO_FACTOR, OF(job_qos), WEIGHT(weight_qos), COLUMN('q', "QOS", "%10q"), LINES(110, PRIO_NORM | PRIO_IF_WEIGHT), KEY("job_qos"),
	  WEIGHT_KEY("qos") },
	{ PRIO_WEIGHTED, OF(weighted_age), WEIGHT(weight_age), COLUMN('A', "AGE", "%.10A"), LINES(60, PRIO_LINES | PRIO_IF_WEIGHT),
	  KEY("weighted_age"), LABEL(20, "age") },
	{ PRIO_WEIGHTED, OF(weighted_assoc), WEIGHT(weight_assoc), COLUMN('B', "ASSOC", "%.10B"), LINES(70, PRIO_LINES | PRIO_IF_WEIGHT),
	  KEY("weighted_assoc"), LABEL(30, "association") },
	{ PRIO_WEIGHTED, OF(weighted_fairshare), WEIGHT(weight_fairshare), COLUMN('F', "FAIRSHARE", "%.10F"),
	  LINES(80, PRIO_LINES | PRIO_IF_WEIGHT), KEY("weighted_fairshare"), LABEL(40, "fairshare") },
	{ PRIO_WEIGHTED, OF(weighted_job_size), WEIGHT(weight_job_size), COLUMN('J', "JOBSIZE", "%.10J"),
	  LINES(90, PRIO_LINES | PRIO_IF_WEIGHT), KEY("weighted_job_size"), LABEL(50, "job size") },
	{ PRIO_WEIGHTED, OF(weighted_partition), WEIGHT(weight_partition), COLUMN('P', "PARTITION", "%.10P"),
	  LINES(100, PRIO_LINES | PRIO_IF_WEIGHT), KEY("weighted_partition"), LABEL(60, "partition factor") },
	{ PRIO_WEIGHTED, OF(weighted_qos), WEIGHT(weight_qos), COLUMN('Q', "QOS", "%.10Q"), LINES(110, PRIO_LINES | PRIO_IF_WEIGHT),
	  KEY("weighted_qos"), LABEL(70, "qos factor") },
	{ PRIO_WEIGHTED, OF(weighted_tres), KEY("weighted_tres"), LABEL(80, "tres") },
	{ PRIO_SITE, OF(site), COLUMN('S', "SITE", "%.10S"), LINES(50, PRIO_LINES), KEY("site"), LABEL(90, "site") },
	{ PRIO_NICE, OF(nice), COLUMN('N', "NICE", "%.11N"), LINES(120, PRIO_LINES | PRIO_IF_LONG), KEY("nice"), LABEL(100, "nice") },
	{ PRIO_TRES, KEY("tres") },
	{ PRIO_TRES_FACTORS, WEIGHT(weight_tres), COLUMN('t', "TRES", "%20t"), LINES(130, PRIO_NORM | PRIO_IF_WEIGHT) },
	{ PRIO_TRES_WEIGHTED, WEIGHT(weight_tres), COLUMN('T', "TRES", "%.20T"), LINES(130, PRIO_LINES | PRIO_IF_WEIGHT) },
};

#undef OF
#undef WEIGHT
#undef KEY
#undef WEIGHT_KEY
#undef COLUMN
#undef LINES
#undef LABEL
#undef ANY

#define PRIO_FIELDS (sizeof(prio_fields) / sizeof(*prio_fields))

/* Return the field of a column's letter, or NULL. */
const struct prio_field *prio_field_find(char letter);

/* Return a pointer to the value in the factors. */
static inline const void *prio_at(const struct fl_factors *factors, const struct prio_field *field)
{
	return (const char *)factors + field->offset;
}

/* Return the field with the weighted value of a factor. Return other fields unchanged. */
const struct prio_field *prio_field_weighted(const struct prio_field *field);

/* Return the weight of a factor. For TRES, return 1 if any has a weight. */
uint32_t prio_weight(const struct fl_multifactor *multifactor, const struct prio_field *field);

#endif
