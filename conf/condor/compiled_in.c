/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of macros that are not set, as $(NAME) expands them: the parameters that Fairlead uses,
 * and macros from which policies are composed. Source: HTCondor's manual, "Configuration Macros",
 * "Policy Configuration for Execution Points".
 */
#include <string.h>
#include <strings.h>

#include "conf/condor/macros.h"

struct compiled_in {
	const char *name, *text;
};

/* Values that replace or supplement the defaults in the table of parameters. */
static const struct compiled_in texts[] = {
	/* times */
	{ "MINUTE", "60" }, { "HOUR", "(60 * $(MINUTE))" },
	{ "StateTimer", "(time() - EnteredCurrentState)" }, { "ActivityTimer", "(time() - EnteredCurrentActivity)" },
	{ "StartIdleTime", "15 * $(MINUTE)" }, { "ContinueIdleTime", "5 * $(MINUTE)" },
	{ "MaxSuspendTime", "10 * $(MINUTE)" },
	{ "MaxVacateTime", "10 * $(MINUTE)" }, { "MachineMaxVacateTime", "$(MaxVacateTime)" },
	{ "BenchmarkTimer", "(time() - LastBenchmark)" },
	/* jobs */
	{ "STANDARD", "1" }, { "VANILLA", "5" }, { "MPI", "8" }, { "VM", "13" },
	{ "IsStandard", "(TARGET.JobUniverse == $(STANDARD))" }, { "IsVanilla", "(TARGET.JobUniverse == $(VANILLA))" },
	{ "IsMPI", "(TARGET.JobUniverse == $(MPI))" }, { "IsVM", "(TARGET.JobUniverse == $(VM))" },
	{ "SmallJob", "(TARGET.ImageSize < (15 * 1024))" },
	{ "MediumJob", "(TARGET.ImageSize >= (15 * 1024) && TARGET.ImageSize < (50 * 1024))" },
	{ "BigJob", "(TARGET.ImageSize >= (50 * 1024))" },
	{ "JOB_DEFAULT_REQUESTCPUS", "1" }, { "JOB_DEFAULT_REQUESTMEMORY", "128" },
	/* loads, and policies for running jobs */
	{ "BackgroundLoad", "0.3" }, { "HighLoad", "0.5" },
	{ "WANT_SUSPEND", "False" }, { "SUSPEND", "False" }, { "CONTINUE", "True" }, { "IS_OWNER", "False" },
	{ "UPDATE_INTERVAL", "300" },
	/* the negotiator */
	{ "GROUP_SORT_EXPR",
		"ifThenElse(AccountingGroup =?= \"<none>\", 3.4e+38, ifThenElse(GroupQuota > 0, GroupResourcesInUse "
		"/ GroupQuota, 3.3e+38))" },
	{ "NEGOTIATOR_TIMEOUT", "30" }, { "NEGOTIATOR_UPDATE_INTERVAL", "300" },
	{ "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD", "0" },
	{ "ACCOUNTANT_DATABASE_FILE", "$(SPOOL)/Accountantnew.log" }, { "MAX_ACCOUNTANT_DATABASE_SIZE", "1000000" },
	/* the machine and its directories */
	{ "DETECTED_CPUS_LIMIT", "$(DETECTED_CPUS)" }, { "NUM_CPUS", "$(DETECTED_CPUS_LIMIT)" },
	{ "RELEASE_DIR", "/usr" }, { "LOCAL_DIR", "$(TILDE)" }, { "ETC", "$(LOCAL_DIR)" },
	{ "LOG", "$(LOCAL_DIR)/log" },
	{ "SPOOL", "$(LOCAL_DIR)/spool" }, { "EXECUTE", "$(LOCAL_DIR)/execute" }, { "LOCK", "$(LOG)" },
	{ "RUN", "$(LOCK)" },
	{ "BIN", "$(RELEASE_DIR)/bin" }, { "SBIN", "$(RELEASE_DIR)/sbin" }, { "LIB", "$(RELEASE_DIR)/lib" },
	{ "LIBEXEC", "$(RELEASE_DIR)/libexec" }, { "FILESYSTEM_DOMAIN", "$(FULL_HOSTNAME)" },
	{ "COLLECTOR_HOST", "$(CONDOR_HOST)" },
	/* program that reads the configuration */
	{ "IsMaster", "false" }, { "IsCollector", "false" }, { "IsNegotiator", "false" }, { "IsSchedd", "false" },
	{ "IsStartd", "false" },
	{ "IsStarter", "false" }, { "IsShadow", "false" }, { "IsTool", "false" }, { "IsSubmit", "false" },
	{ "IsWindows", "false" },
};

/*
 * Return true if the name is "Is" and the name of the subsystem. "IsNegotiator" is true for the
 * negotiator, and so on.
 */
static bool is_subsystem_itself(const char *subsystem, const char *name)
{
	return subsystem && strncasecmp(name, "Is", 2) == 0 && strcasecmp(name + 2, subsystem) == 0;
}

const char *macro_compiled_in(const char *subsystem, const char *name)
{
	const struct macro_parameter *parameter;

	if (is_subsystem_itself(subsystem, name))
		return "true";
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcasecmp(texts[i].name, name) == 0)
			return texts[i].text;
	parameter = macro_parameter_find(name);
	return parameter && parameter->fallback && !parameter->has_no_macro && strcasecmp(parameter->name, name) == 0
		       ? parameter->fallback
		       : "";
}
