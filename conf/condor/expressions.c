/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about expressions that are valid and never intended. They call functions that do not
 * exist here, or refer to attributes that are undefined wherever the expression is evaluated,
 * including misspelled ones. An undefined policy preempts no claim.
 */
#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"

/* Attributes that only the negotiation sets. */
static const char *const of_negotiation[] = {
	"RemoteUserPrio", "RemoteUserFloor", "RemoteUserResourcesInUse", "RemoteGroup", "RemoteGroupResourcesInUse",
	"RemoteGroupQuota",
	"RemoteNegotiatingGroup", "RemoteAutoregroup", "SubmitterUserPrio", "SubmittorPrio",
	"SubmitterUserResourcesInUse", "SubmitterGroup",
	"SubmitterGroupResourcesInUse", "SubmitterGroupQuota", "SubmitterNegotiatingGroup", "SubmitterAutoregroup", NULL
};

/* Attributes of a claim, and other attributes that look like one of them. */
static const char *const of_claims[] = {
	"EnteredCurrentState", "EnteredCurrentActivity", "EnteredCurrentStatus", "RemoteOwner", "RemoteUser",
	"TotalJobRunTime",
	"TotalClaimRunTime", "TotalTimeClaimedBusy", "AccountingGroup", "CurrentRank", NULL
};

/* Attributes that HTCondor's daemons measure or count, and that are not set here. */
static const char *const not_here[] = {
	"KeyboardIdle", "ConsoleIdle", "CondorLoadAvg", "TotalLoadAvg", "TotalCondorLoadAvg", "CpuBusy", "CpuBusyTime",
	"CpuIsBusy", "ClockMin",
	"ClockDay", "TotalJobSuspendTime", "TotalClaimSuspendTime", "TotalTimeClaimedIdle", "TotalTimeClaimedRetiring",
	"TotalTimeClaimedSuspended", "TotalTimeMatchedIdle", "TotalTimeOwnerIdle", "TotalTimePreemptingKilling",
	"TotalTimePreemptingVacating",
	"TotalTimeUnclaimedBenchmarking", "TotalTimeUnclaimedIdle", "TotalTimeBackfillBusy", "TotalTimeBackfillIdle",
	"LastPeriodicCheckpoint",
	"LastBenchmark", "Mips", "JobId", "GlobalJobId", "ClientMachine", "RecentJobStarts", "JobStarts",
	"JobPreemptions",
	"JobRankPreemptions", "JobUserPrioPreemptions", "ImageSize", "ResidentSetSize", "ProportionalSetSize",
	"MemoryUsage", "DiskUsage",
	"CpusUsage", "GPUsUsage", "RemoteWallClockTime", "RemoteUserCpu", "CumulativeSuspensionTime", "NumJobStarts",
	"NumShadowStarts",
	"NumRestarts", "JobStartDate", "JobCurrentStartDate", "JobLastStartDate", "JobStatus",
	"EnteredCurrentJobStatus", NULL
};

static bool has(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcasecmp(*names, name) == 0)
			return true;
	return false;
}

static const char *alike_among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (macro_name_is_similar(name, *names))
			return *names;
	return NULL;
}

/*
 * Return the attribute that was probably meant, or NULL if the name is known or resembles no known
 * name.
 */
static const char *attribute_meant(const char *name)
{
	const char *meant = alike_among(of_negotiation, name);

	if (has(of_negotiation, name) || has(of_claims, name) || has(not_here, name))
		return NULL;
	return meant ? meant : alike_among(of_claims, name);
}

/* Return true if the parameter is evaluated for a claim, outside of the negotiation. */
static bool is_of_machine(const struct macro_parameter *parameter)
{
	static const char *const machines[] = {
		"MachineMaxVacateTime", "MaxJobRetirementTime", "WANT_VACATE", "KILL", "PREEMPT", NULL
	};

	return has(machines, parameter->name);
}

static void attribute_check(const struct macros *macros, const struct macro_parameter *parameter, const char *name)
{
	struct macro_place place = macro_parameter_place(macros, parameter->name);
	const char *meant = attribute_meant(name);

	if (meant)
		macros_report(
			macros, WARNING, place,
			"%s: attribute %.60s found: is %s meant? It is undefined unless a slot or job has it",
			parameter->name, name, meant);
	else if (is_of_machine(parameter) && has(of_negotiation, name))
		macros_report(macros, WARNING, place,
			      "%s: attribute %.60s found: only the negotiation sets it, and it is undefined here",
			      parameter->name, name);
	else if (has(not_here, name))
		macros_report(
			macros, WARNING, place,
			"%s: attribute %.60s found: it is not measured here, and undefined unless the ad of the slot "
			"or the job has it",
			parameter->name, name);
}

static int attributes_check(const struct macros *macros, const struct macro_parameter *parameter,
			    const struct condor_expression *expression)
{
	struct classad_reads reads = { 0 };
	int rc = classad_references(expression->program, NULL, &reads);
	const struct classad_names *mine = &reads.mine, *theirs = &reads.theirs;

	for (size_t i = 0; !rc && i < mine->n + theirs->n; i++)
		if (i < mine->n || !classad_names_have(mine, theirs->items[i - mine->n]))
			attribute_check(macros, parameter, i < mine->n ? mine->items[i] : theirs->items[i - mine->n]);
	classad_reads_free(&reads);
	return rc;
}

static void calls_check(const struct macros *macros, const struct macro_parameter *parameter, const char *text)
{
	const char *name;
	size_t bytes;

	while ((name = classad_unknown_call(&text, &bytes)))
		macros_report(macros, WARNING, macro_parameter_place(macros, parameter->name),
			      "%s: %.*s() found: there is no such function here, and the call is "
			      "an error wherever it is evaluated",
			      parameter->name, (int)(bytes < 60 ? bytes : 60), name);
}

int expressions_check(const struct macros *macros)
{
	int rc = 0;

	for (const struct macro_parameter *parameter = macro_parameters;
	     parameter < macro_parameters + macro_parameters_count && !rc; parameter++) {
		const struct condor_expression *expression =
			(const void *)((const char *)macros->conf + parameter->offset);

		if (parameter->parse != macro_expression || !expression->program ||
		    !macro_parameter_macro(macros, parameter->name))
			continue;
		calls_check(macros, parameter, expression->text);
		rc = strcmp(parameter->name, "GROUP_SORT_EXPR") == 0 ? 0
								     : attributes_check(macros, parameter, expression);
	}
	return rc;
}
