/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classad: cost of HTCondor's expressions. Requirements of a job and a slot, ranks and a preemption
 * rule, as they are used in pools, are evaluated a million times, and also read from text.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "conf/classad/classad.h"

#define REPEATS 5

static const char job_text[] =
	"RequestCpus = 2\nRequestMemory = 512\nRequestDisk = 100\nOwner = \"bob\"\nJobUniverse = 5\nJobPrio = 3\n"
	"ClusterId = 4\nProcId = 0\n"
	"ImageSize = 100\nDepartment = \"physics\"\nNiceUser = false\n"
	"Requirements = (TARGET.Arch == \"X86_64\") && (TARGET.OpSys == \"LINUX\") && (TARGET.Disk >= RequestDisk) && "
	"(TARGET.Memory >= RequestMemory) && (TARGET.HasFileTransfer)\n"
	"Rank = TARGET.KFlops / 1e6 + (TARGET.Department =?= MY.Department) * 10\n";
static const char slot_text[] =
	"Arch = \"X86_64\"\nOpSys = \"LINUX\"\nDisk = 100000\nMemory = 2048\nCpus = 4\nHasFileTransfer = true\n"
	"KFlops = 1500000\n"
	"Department = \"physics\"\nRemoteUserPrio = 1210.5\nSubmitterUserPrio = 1000.0\nState = \"Claimed\"\n"
	"EnteredCurrentState = 1699990000\n"
	"Name = \"slot1@node17\"\nRequirements = START && TARGET.RequestCpus <= Cpus\n"
	"START = TARGET.JobUniverse == 5 && regexp(\"^(ann|bob|carl)$\", TARGET.Owner)\n";

static const struct measured {
	const char *name, *text;
	bool of_slot;			/* true: the slot's ad is the own ad */
} rows[] = {
	{ "job_requirements", "MY.Requirements", false },
	{ "slot_requirements", "MY.Requirements", true },
	{ "job_rank", "MY.Rank", false },
	{ "preemption_requirements",
		"(CurrentTime - EnteredCurrentState) > (1 * 3600) && RemoteUserPrio > SubmitterUserPrio * 1.2", true },
	{ "constant", "false && TARGET.Memory > 5", true },
};

static void must(int rc, const struct error *error)
{
	if (rc) {
		fprintf(stderr, "classad: %s\n", error->text);
		exit(1);
	}
}

static void tell(const char *name, double *ns, double divisor)
{
	struct figure figure = figure_of(ns, REPEATS, divisor);

	printf("{\"what\":\"classad\",\"expression\":\"%s\",\"ns\":%.1f,\"best_ns\":%.1f}\n", name, figure.median,
	       figure.best);
}

static void evaluate(const struct measured *row, const struct classad *job, const struct classad *slot, unsigned n)
{
	const struct classad_pair in =
		row->of_slot ? (struct classad_pair){ slot, job } : (struct classad_pair){ job, slot };
	struct classad_room room = { .now = 1700000000 };
	struct classad_expression *expression;
	struct classad_value value;
	struct error error;
	double ns[REPEATS];

	must(classad_parse(&expression, row->text, &error), &error);
	for (int k = 0; k < REPEATS; k++) {
		double begin = now_ns();

		for (unsigned i = 0; i < n; i++)
			classad_evaluate(expression, &in, &room, &value);
		ns[k] = now_ns() - begin;
	}
	tell(row->name, ns, n);
	classad_expression_free(expression);
	classad_room_free(&room);
}

static void read(unsigned n)
{
	struct error error;
	double ns[REPEATS];

	for (int k = 0; k < REPEATS; k++) {
		double begin = now_ns();

		for (unsigned i = 0; i < n; i++) {
			struct classad *ad;

			must(classad_read(&ad, slot_text, &error), &error);
			classad_free(ad);
		}
		ns[k] = now_ns() - begin;
	}
	tell("read_slot", ns, n);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 && strcmp(argv[1], "--evaluations") == 0 ? (unsigned)strtoul(argv[2], NULL, 10)
		     : argc == 1					? 1000000
									: 0;
	struct classad *job, *slot;
	struct error error;

	if (n == 0) {
		fprintf(stderr, "usage: classad [--evaluations N]\n");
		return 2;
	}
	must(classad_read(&job, job_text, &error), &error);
	must(classad_read(&slot, slot_text, &error), &error);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		evaluate(&rows[i], job, slot, n);
	read(n / 100 + 1);
	classad_free(job);
	classad_free(slot);
	return 0;
}
