/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.conf(5): the table of parameters that have lines of their own, with their types and ranges.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/slurm/files.h"

struct parameter {
	const char *name;
	/*
	 * Store the value in the member. Returns 0, -EINVAL with the allowed values in `error`, or
	 * -ENOMEM.
	 */
	int (*parse)(const struct parameter *parameter, void *member, const char *value, struct error *error);
	size_t offset;
	/* the member is in struct slurm_files and is processed after the last line */
	bool is_kept;
	uint32_t least, most;
	const char *const *words;	/* NULL-terminated */
};

_Static_assert(sizeof(enum usage_reset) == sizeof(uint32_t) && sizeof(enum priority_version) == sizeof(uint32_t),
	       "words are stored as numbers");

static int parameter_u32(const struct parameter *parameter, void *member, const char *value, struct error *error)
{
	uint64_t v;
	int rc = slurm_number(value, parameter->most, &v, error);

	if (!rc)
		*(uint32_t *)member = (uint32_t)v;
	return rc;
}

/* Read minutes and store seconds. In Slurm an infinite value wraps to 60 seconds less than 2^32. */
static int parameter_minutes(const struct parameter *parameter, void *member, const char *value, struct error *error)
{
	uint32_t minutes;
	int rc = slurm_minutes(value, &minutes, error);

	if (rc)
		return rc;
	if (minutes < parameter->least)
		return error_set(error, -EINVAL, "at least one minute is needed");
	if (minutes == SLURM_INFINITE && parameter->most)
		return error_set(error, -EINVAL, "a time that is not infinite is allowed");
	*(uint32_t *)member = minutes == SLURM_INFINITE ? UINT32_MAX - 59 : minutes * 60;
	return 0;
}

static int parameter_bool(const struct parameter *parameter, void *member, const char *value, struct error *error)
{
	(void)parameter;
	return slurm_bool(value, member, error);
}

static int parameter_word(const struct parameter *parameter, void *member, const char *value, struct error *error)
{
	char allowed[120] = "";
	uint32_t i;

	for (i = 0; parameter->words[i]; i++) {
		if (!strcasecmp(parameter->words[i], value)) {
			*(uint32_t *)member = i;
			return 0;
		}
		if (i > 0)
			strcat(allowed, parameter->words[i + 1] ? ", " : " or ");
		strcat(allowed, parameter->words[i]);
	}
	return error_set(error, -EINVAL, "%s is allowed", allowed);
}

static int parameter_text(const struct parameter *parameter, void *member, const char *value, struct error *error)
{
	(void)parameter, (void)error;
	return slurm_text(member, value);
}

static const char *const versions[] = { [PRIORITY_CURRENT] = "current", [PRIORITY_2009] = "2009", NULL };
static const char *const ties[] = { [TIES_IMPLEMENTED] = "implemented", [TIES_DOCUMENTED] = "documented", NULL };
static const char *const siblings[] = { [SIBLINGS_NEWEST_FIRST] = "newest", [SIBLINGS_BY_NAME] = "name", NULL };
static const char *const charge_ends[] = {
	[CHARGE_ENDS_ALWAYS] = "always", [CHARGE_ENDS_WITH_LIMITS] = "limits", NULL
};
static const char *const resets[] = {
	[RESET_NONE] = "NONE", [RESET_NOW] = "NOW", [RESET_DAILY] = "DAILY", [RESET_WEEKLY] = "WEEKLY",
	[RESET_MONTHLY] = "MONTHLY",
	[RESET_QUARTERLY] = "QUARTERLY", [RESET_YEARLY] = "YEARLY", NULL,
};

#define VALUE(key, type, member, ...) \
	{ .name = key, .parse = type, .offset = offsetof(struct slurm_conf, member), __VA_ARGS__ }
#define WEIGHT(key, member) VALUE(key, parameter_u32, member, .most = UINT32_MAX)
#define KEPT(key, member) \
	{ .name = key, .parse = parameter_text, .offset = offsetof(struct slurm_files, member), .is_kept = true }

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
		.half_life = 7 * 86400,
		.calc_period = 300,
		.max_age = 7 * 86400,
		.damping = 1,
		.default_partition = UINT32_MAX,
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

struct slurm_place slurm_parameter_place(const struct slurm_files *files, const char *name)
{
	return files->places[parameter_find(name) - table];
}

/*
 * Warn about unknown names. Slurm refuses them. Later versions may have more names, so only the
 * families of parameters that are used are checked.
 */
static void unknown_check(struct slurm_files *files, const char *key)
{
	static const char *const families[] = { "Priority", "FairShare", "FairTree", "ChargeJob" };
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strncasecmp(key, families[i], strlen(families[i])))
			slurm_report(files, WARNING, files->line.place,
				     "\"%.60s\" is not a known parameter of slurm.conf: it is ignored", key);
}

static int parameter_read(struct slurm_files *files, const struct parameter *parameter, const char *value)
{
	struct slurm_place *place = &files->places[parameter - table];
	void *member = (char *)(parameter->is_kept ? (void *)files : (void *)files->conf) + parameter->offset;
	struct error error = { "" };
	int rc = 0;

	/* overriding a value of another file is intended */
	if (place->file == files->line.place.file)
		slurm_report(files, WARNING, files->line.place, "%s is already in line %d: the last one counts",
			     parameter->name, place->line);
	*place = files->line.place;
	if (parameter->parse)
		rc = parameter->parse(parameter, member, value, &error);
	if (rc == -EINVAL)
		slurm_report(files, FAULT, files->line.place, "error parsing value \"%.60s\" of %s: %s", value,
			     parameter->name, error.text);
	return rc == -ENOMEM ? rc : 0;
}

int slurm_parameters_read(struct slurm_files *files)
{
	const struct parameter *parameter;
	int rc = 0;
	size_t i;

	for (i = 0; i < files->line.n && !rc; i++) {
		parameter = parameter_find(files->line.pairs[i].key);
		if (parameter)
			rc = parameter_read(files, parameter, files->line.pairs[i].value);
		else
			unknown_check(files, files->line.pairs[i].key);
	}
	return rc;
}
