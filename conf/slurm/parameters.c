/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.conf(5): the table of the parameters that stand alone on their lines, with their types and
 * ranges.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm/files.h"

struct parameter {
	const char *name;
	/* Puts the value where it belongs. 0, -EINVAL with what is allowed in `e`, -ENOMEM. */
	int (*parse)(const struct parameter *p, void *member, const char *value, struct error *e);
	size_t offset;
	/* the member is one of struct slurm_files: it waits for other lines */
	bool is_kept;
	uint32_t least, most;
	const char *const *words;	/* NULL-ended */
};

_Static_assert(sizeof(enum usage_reset) == sizeof(uint32_t) && sizeof(enum priority_version) == sizeof(uint32_t), "words are stored as numbers");

static int parameter_u32(const struct parameter *p, void *member, const char *value, struct error *e)
{
	uint64_t v;
	int rc = slurm_number(value, p->most, &v, e);

	if (!rc)
		*(uint32_t *)member = (uint32_t)v;
	return rc;
}

/*
 * Minutes in the file, seconds here. What is infinite wraps in Slurm, to 60 seconds less than 2^32.
 */
static int parameter_minutes(const struct parameter *p, void *member, const char *value, struct error *e)
{
	uint32_t minutes;
	int rc = slurm_minutes(value, &minutes, e);

	if (rc)
		return rc;
	if (minutes < p->least)
		return error_set(e, -EINVAL, "at least one minute is needed");
	if (minutes == SLURM_INFINITE && p->most)
		return error_set(e, -EINVAL, "a time that is not infinite is allowed");
	*(uint32_t *)member = minutes == SLURM_INFINITE ? UINT32_MAX - 59 : minutes * 60;
	return 0;
}

static int parameter_bool(const struct parameter *p, void *member, const char *value, struct error *e)
{
	(void)p;
	return slurm_bool(value, member, e);
}

static int parameter_word(const struct parameter *p, void *member, const char *value, struct error *e)
{
	char allowed[120] = "";
	uint32_t i;

	for (i = 0; p->words[i]; i++) {
		if (!strcasecmp(p->words[i], value)) {
			*(uint32_t *)member = i;
			return 0;
		}
		if (i > 0)
			strcat(allowed, p->words[i + 1] ? ", " : " or ");
		strcat(allowed, p->words[i]);
	}
	return error_set(e, -EINVAL, "%s is allowed", allowed);
}

static int parameter_text(const struct parameter *p, void *member, const char *value, struct error *e)
{
	(void)p, (void)e;
	return slurm_text(member, value);
}

static const char *const versions[] = { [PRIORITY_CURRENT] = "current", [PRIORITY_2009] = "2009", NULL };
static const char *const ties[] = { [TIES_IMPLEMENTED] = "implemented", [TIES_DOCUMENTED] = "documented", NULL };
static const char *const siblings[] = { [SIBLINGS_NEWEST_FIRST] = "newest", [SIBLINGS_BY_NAME] = "name", NULL };
static const char *const charge_ends[] = { [CHARGE_ENDS_ALWAYS] = "always", [CHARGE_ENDS_WITH_LIMITS] = "limits", NULL };
static const char *const resets[] = {
	[RESET_NONE] = "NONE", [RESET_NOW] = "NOW", [RESET_DAILY] = "DAILY", [RESET_WEEKLY] = "WEEKLY", [RESET_MONTHLY] = "MONTHLY",
	[RESET_QUARTERLY] = "QUARTERLY", [RESET_YEARLY] = "YEARLY", NULL,
};

#define VALUE(key, type, member, ...) { .name = key, .parse = type, .offset = offsetof(struct slurm_conf, member), __VA_ARGS__ }
#define WEIGHT(key, member) VALUE(key, parameter_u32, member, .most = UINT32_MAX)
#define KEPT(key, member) { .name = key, .parse = parameter_text, .offset = offsetof(struct slurm_files, member), .is_kept = true }

static const struct parameter table[] = {
	KEPT("PriorityType", priority_type),
	VALUE("PriorityDecayHalfLife", parameter_minutes, half_life),
	VALUE("PriorityCalcPeriod", parameter_minutes, calc_period, .least = 1, .most = 1),
	VALUE("PriorityUsageResetPeriod", parameter_word, reset, .words = resets),
	VALUE("PriorityFavorSmall", parameter_bool, favor_small),
	VALUE("PriorityMaxAge", parameter_minutes, max_age),
	WEIGHT("PriorityWeightAge", weight_age),
	WEIGHT("PriorityWeightAssoc", weight_assoc),
	WEIGHT("PriorityWeightFairshare", weight_fairshare),
	WEIGHT("PriorityWeightJobSize", weight_job_size),
	WEIGHT("PriorityWeightPartition", weight_partition),
	WEIGHT("PriorityWeightQOS", weight_qos),
	KEPT("PriorityWeightTRES", weight_tres),
	VALUE("FairShareDampeningFactor", parameter_u32, damping, .most = UINT16_MAX),
	KEPT("PriorityFlags", flags),
	KEPT("AccountingStorageEnforce", enforce),
	KEPT("AccountingStorageTRES", accounting_tres),
	KEPT("AccountingStorageType", storage_type),
	KEPT("Licenses", licenses),
	KEPT("PrioritySiteFactorPlugin", site_factor),
	{ .name = "PriorityParameters" }, { .name = "PrioritySiteFactorParameters" },
	VALUE("PriorityVersion", parameter_word, version, .words = versions),
	VALUE("FairTreeTies", parameter_word, ties, .words = ties),
	VALUE("FairTreeSiblings", parameter_word, siblings, .words = siblings),
	VALUE("ChargeJobEnd", parameter_word, charge_ends, .words = charge_ends),
};
enum { PARAMETERS = sizeof(table) / sizeof(*table) };
_Static_assert(sizeof(table) / sizeof(*table) <= SLURM_PARAMETERS_MOST, "struct slurm_files has too few places");

void slurm_defaults(struct slurm_conf *conf)
{
	*conf = (struct slurm_conf){
		.half_life = 7 * 86400, .calc_period = 300, .max_age = 7 * 86400, .damping = 1, .default_partition = UINT32_MAX,
	};
}

static const struct parameter *parameter_find(const char *name)
{
	size_t i;

	for (i = 0; i < PARAMETERS; i++)
		if (!strcasecmp(table[i].name, name))
			return &table[i];
	return NULL;
}

bool slurm_parameter_is(const char *name)
{
	return parameter_find(name) != NULL;
}

struct slurm_place slurm_parameter_place(const struct slurm_files *f, const char *name)
{
	return f->places[parameter_find(name) - table];
}

/*
 * Slurm refuses names that it does not know. Later versions may have more of them, so that only the
 * families that count are looked at.
 */
static void unknown_check(struct slurm_files *f, const char *key)
{
	static const char *const families[] = { "Priority", "FairShare", "FairTree", "ChargeJob" };
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strncasecmp(key, families[i], strlen(families[i])))
			slurm_report(f, WARNING, f->line.place, "\"%.60s\" is no parameter of slurm.conf that is known: it is ignored", key);
}

static int parameter_read(struct slurm_files *f, const struct parameter *p, const char *value)
{
	struct slurm_place *place = &f->places[p - table];
	void *member = (char *)(p->is_kept ? (void *)f : (void *)f->conf) + p->offset;
	struct error e = { "" };
	int rc = 0;

	if (place->file == f->line.place.file)	/* over another file's value it is meant */
		slurm_report(f, WARNING, f->line.place, "%s stands in line %d already: the last one counts", p->name, place->line);
	*place = f->line.place;
	if (p->parse)
		rc = p->parse(p, member, value, &e);
	if (rc == -EINVAL)
		slurm_report(f, FAULT, f->line.place, "error parsing value \"%.60s\" of %s: %s", value, p->name, e.text);
	return rc == -ENOMEM ? rc : 0;
}

int slurm_parameters_read(struct slurm_files *f)
{
	const struct parameter *p;
	int rc = 0;
	size_t i;

	for (i = 0; i < f->line.n && !rc; i++) {
		p = parameter_find(f->line.pairs[i].key);
		if (p)
			rc = parameter_read(f, p, f->line.pairs[i].value);
		else
			unknown_check(f, f->line.pairs[i].key);
	}
	return rc;
}
