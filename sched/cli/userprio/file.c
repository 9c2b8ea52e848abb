/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read the output of `userprio -long`: "Attribute = expression" lines. Numbered attributes
 * (-legacy) belong to the record of their number. Other attributes (-modular) belong to a record
 * that ends with an empty line.
 */
#include "sched/cli/userprio/show.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/text_set.h"

#define LINE_MOST (256u << 10)		/* bytes */
#define RECORDS_MOST (1u << 20)

struct file_reading {
	struct userprio_records *records;
	/* numbers of records as texts; the index of a text is the index of its record */
	struct text_set numbers;
	/* the last record has no numbers, and its end was not read yet */
	bool in_modular;
	unsigned line;
	const char *path;
};

static int fail(const struct file_reading *reading, const char *why)
{
	return cli_fail(EXIT_DIFFERENCE, "userprio: %s:%u: %s", reading->path, reading->line, why);
}

static struct userprio_record *record_new(struct file_reading *reading)
{
	struct userprio_record *record = reading->records->n < RECORDS_MOST ? userprio_add(reading->records) : NULL;

	if (record)
		record->ad = classad_create();
	return record && record->ad ? record : NULL;
}

/*
 * Cut off the number of "Priority12" and return its record. NULL: memory is exhausted, or there are
 * too many records.
 */
static struct userprio_record *record_of_number(struct file_reading *reading, char *digits)
{
	uint32_t number = text_set_find(&reading->numbers, digits);

	if (number == INDEX_NONE) {
		struct userprio_record *record;

		if (reading->numbers.n != reading->records->n || text_set_add(&reading->numbers, digits, &number) ||
		    !(record = record_new(reading)))
			return NULL;
		record->place = strtoull(digits, NULL, 10);
	}
	*digits = '\0';
	return &reading->records->items[number];
}

static struct userprio_record *record_of_name(struct file_reading *reading, char *name)
{
	char *digits = name + strlen(name);

	while (digits > name && isdigit((unsigned char)digits[-1]))
		digits--;
	if (*digits)
		return reading->in_modular ? NULL : record_of_number(reading, digits);
	if (reading->numbers.n > 0)
		return NULL;
	if (!reading->in_modular) {
		reading->in_modular = true;
		return record_new(reading);
	}
	return &reading->records->items[reading->records->n - 1];
}

/* Store an attribute that applies to all records. Return false if it applies to one record. */
static bool common_take(struct file_reading *reading, const char *name, const char *value)
{
	if (strcasecmp(name, "LastUpdate") == 0 || strcasecmp(name, "LastUpdateTime") == 0) {
		reading->records->last_update = strtoll(value, NULL, 10);
		return true;
	}
	return !reading->in_modular && (strcasecmp(name, "NumSubmittors") == 0 || strcasecmp(name, "MyType") == 0 ||
					strcasecmp(name, "TargetType") == 0);
}

static char *blanks_cut(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

static int line_take(struct file_reading *reading, char *line)
{
	char *name = blanks_cut(line), *equals = strchr(name, '=');
	struct userprio_record *record;
	struct error error = { "" };

	if (!*name) {
		reading->in_modular = false;
		return EXIT_OK;
	}
	if (*name == '#')
		return EXIT_OK;
	if (!equals)
		return fail(reading, "no =, Attribute = value is allowed");
	*equals = '\0';
	name = blanks_cut(name);
	if (common_take(reading, name, equals + 1))
		return EXIT_OK;
	record = record_of_name(reading, name);
	if (!record)
		return fail(reading,
			    "attributes with and without numbers are mixed, or there are more than a million records");
	if (classad_set(record->ad, name, equals + 1, &error))
		return fail(reading, error.text);
	return EXIT_OK;
}

static double number_of(const struct userprio_record *record, const char *name, double absent)
{
	struct classad_room room = { .now = 0 };
	struct classad_value value;
	double number = absent;

	classad_attribute(&(struct classad_pair){ record->ad, NULL }, name, &room, &value);
	if (!classad_number(&value, &number) || !(number > -1e300 && number < 1e300))
		number = absent;
	classad_room_free(&room);
	return number;
}

static int64_t whole_of(const struct userprio_record *record, const char *name, double absent)
{
	double number = number_of(record, name, absent);

	return number > -9e15 && number < 9e15 ? (int64_t)number : (int64_t)absent;
}

static char *text_of(const struct userprio_record *record, const char *name, const char *absent)
{
	struct classad_room room = { .now = 0 };
	struct classad_value value;
	char *text;

	classad_attribute(&(struct classad_pair){ record->ad, NULL }, name, &room, &value);
	text = strdup(value.type == CLASSAD_STRING ? value.text : absent);
	classad_room_free(&room);
	return text;
}

/* Return the columns for which the record has attributes. */
static unsigned columns_of(const struct userprio_record *record)
{
	static const struct {
		const char *attribute;
		unsigned columns;
		enum { OF_ALL, OF_SUBMITTERS, OF_GROUPS } of;
	} known[] = {
		{ "Priority", USERPRIO_EFFECTIVE, OF_SUBMITTERS },
		{ "PriorityFactor", USERPRIO_FACTOR, OF_ALL },
		{ "WeightedAccumulatedUsage", USERPRIO_USE, OF_ALL },
		{ "AccumulatedUsage", USERPRIO_USE, OF_ALL },
		{ "WeightedResourcesUsed", USERPRIO_TOTAL, OF_ALL },
		{ "ResourcesUsed", USERPRIO_USE, OF_ALL },
		{ "BeginUsageTime", USERPRIO_START, OF_ALL },
		{ "LastUsageTime", USERPRIO_LAST | USERPRIO_SINCE, OF_ALL },
		{ "Requested", USERPRIO_REQUESTED, OF_ALL },
		{ "Floor", USERPRIO_FLOOR, OF_ALL },
		{ "Ceiling", USERPRIO_CEILING, OF_ALL },
		{ "EffectiveQuota", USERPRIO_EFFECTIVE_QUOTA, OF_ALL },
		{ "ConfigQuota", USERPRIO_CONFIG_QUOTA, OF_ALL },
		{ "SubtreeQuota", USERPRIO_SUBTREE_QUOTA, OF_GROUPS },
		{ "SurplusPolicy", USERPRIO_SURPLUS, OF_GROUPS },
		{ "GroupAutoRegroup", USERPRIO_SURPLUS, OF_GROUPS },
		{ "GroupSortKey", USERPRIO_SORT_KEY, OF_GROUPS },
	};
	unsigned columns = record->factor > 0 ? USERPRIO_REAL : 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((known[i].of == OF_ALL || (known[i].of == OF_GROUPS) == record->is_group) &&
		    classad_find(record->ad, known[i].attribute))
			columns |= known[i].columns;
	return columns;
}

static bool record_fill(struct userprio_record *record)
{
	static const char *const leases[3] = { "PriorityFactor", "Ceiling", "Floor" };
	char name[64];

	record->name = text_of(record, "Name", "");
	record->group = text_of(record, "AccountingGroup", "<none>");
	record->surplus =
		text_of(record, "SurplusPolicy", number_of(record, "GroupAutoRegroup", 0) != 0 ? "regroup" : "");
	if (!record->name || !record->group || !record->surplus)
		return false;
	record->is_group = number_of(record, "IsAccountingGroup", *record->name && !strchr(record->name, '@')) != 0;
	record->priority = number_of(record, "Priority", 0);
	record->factor = number_of(record, "PriorityFactor", 0);
	record->used = number_of(record, "ResourcesUsed", 0);
	record->weight_used = number_of(record, "WeightedResourcesUsed", record->used);
	record->tree_used = number_of(record, "HierWeightedResourcesUsed", record->weight_used);
	record->accumulated = number_of(record, "AccumulatedUsage", 0);
	record->weight_accumulated = number_of(record, "WeightedAccumulatedUsage", record->accumulated);
	record->config_quota = number_of(record, "ConfigQuota", 0);
	record->effective_quota = number_of(record, "EffectiveQuota", 0);
	record->subtree_quota = number_of(record, "SubtreeQuota", 0);
	record->requested = number_of(record, "Requested", 0);
	record->sort_key = number_of(record, "GroupSortKey", 0);
	record->share = number_of(record, "SubmitterShare", 0);
	record->limit = number_of(record, "SubmitterLimit", 0);
	record->columns = columns_of(record);
	record->begin = whole_of(record, "BeginUsageTime", 0);
	record->last = whole_of(record, "LastUsageTime", 0);
	record->ceiling = whole_of(record, "Ceiling", -1);
	record->floor = whole_of(record, "Floor", 0);
	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%sLeaseExpiration", leases[i]);
		record->leases[i].until = whole_of(record, name, 0);
		snprintf(name, sizeof(name), "%sPreLeaseValue", leases[i]);
		record->leases[i].before = number_of(record, name, 0);
	}
	return true;
}

/*
 * Order records by number. HTCondor sorts attributes by name, so record 10 comes before record 2.
 */
static int records_compare(const void *a, const void *b)
{
	const struct userprio_record *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

int userprio_file_read(struct userprio_records *records, const char *path)
{
	struct file_reading reading = { .records = records, .path = path };
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int code = EXIT_OK;

	if (!file)
		return cli_fail(EXIT_DIFFERENCE, "userprio: -inputfile %s: %m", path);
	while (!code && (n = getline(&line, &size, file)) > 0) {
		reading.line++;
		code = (size_t)n > LINE_MOST || memchr(line, '\0', (size_t)n)
			       ? fail(&reading, "a line that no -long writes")
			       : line_take(&reading, line);
	}
	if (!code && ferror(file))
		code = cli_fail(EXIT_DIFFERENCE, "userprio: -inputfile %s: %m", path);
	for (size_t i = 0; !code && i < records->n; i++)
		if (!record_fill(&records->items[i]))
			code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code && reading.numbers.n > 1)
		qsort(records->items, records->n, sizeof(*records->items), records_compare);
	fclose(file);
	free(line);
	text_set_free(&reading.numbers);
	return code;
}
