/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/nice.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/process/json.h"
#include "sched/host/weights.h"

#define BURNERS 2
/*
 * Weakest nice level. With the tickets below, the weaker process gets level 5, which means about 3
 * to 1, like the tickets.
 */
#define WEAKEST 6
#define LOOK_MS 100
#define PROOF_S 2.0		/* CPU time of both together */
#define PATIENCE_MS 20000
#define ENOUGH_S 0.5
#define JOB 4000000000u		/* a number that no job has */

static const double tickets[BURNERS] = { 300, 100 };

struct proof {
	int cpu;
	pid_t pid[BURNERS];
	struct host_setting setting[BURNERS];
	double begin_s[BURNERS], cpu_s[BURNERS];
	double wanted, measured;
};

/* CPU-bound test processes */

static int cpu_first(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			return cpu;
	return -ENODEV;
}

static void burn(int cpu, const char *cgroup, int ready)
{
	cpu_set_t one;
	char path[PATH_MAX];
	FILE *procs = NULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (*cgroup) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
		procs = fopen(path, "w");
		if (!procs || fprintf(procs, "%d", (int)getpid()) < 0 || fclose(procs))
			_exit(1);
	}
	if (setsid() < 0 || sched_setaffinity(0, sizeof(one), &one) || write(ready, "", 1) != 1)
		_exit(1);
	for (volatile unsigned long k = 0;; k++)
		;
}

/*
 * Start a child in its own session, and in its own cgroup if possible. It uses CPU time when this
 * function returns.
 */
static int burner_start(struct proof *proof, struct host *host, uint32_t job, int k)
{
	char cgroup[PATH_MAX / 2] = "", byte;
	struct host_where where = { .cgroup = NULL };
	int ready[2], err = host_lever(host, NULL) == LEVER_CGROUP
				    ? host_cgroup_make(host, job, 0, cgroup, sizeof(cgroup))
				    : 0;

	if (err)
		return err;
	if (pipe(ready))
		return -errno;
	proof->pid[k] = fork();
	if (proof->pid[k] == 0)
		burn(proof->cpu, cgroup, ready[1]);
	err = proof->pid[k] < 0 ? -errno : 0;
	close(ready[1]);
	if (!err && read(ready[0], &byte, 1) != 1)
		err = -EPERM;
	close(ready[0]);
	where.cgroup = *cgroup ? cgroup : NULL;
	where.session = proof->pid[k];
	if (!err)
		err = host_task_add(host, job, 0, &where);
	return err ? err : host_tickets(host, job, 0, tickets[k]);
}

static double burner_cpu_s(pid_t pid)
{
	clockid_t clock;
	struct timespec timespec;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &timespec))
		return 0;
	return (double)timespec.tv_sec + (double)timespec.tv_nsec / 1e9;
}

static void burners_measure(struct proof *proof)
{
	double all = 0;

	for (int k = 0; k < BURNERS; k++)
		proof->begin_s[k] = burner_cpu_s(proof->pid[k]);
	for (int ms = 0; all < PROOF_S && ms < PATIENCE_MS; ms += LOOK_MS) {
		poll(NULL, 0, LOOK_MS);
		all = 0;
		for (int k = 0; k < BURNERS; k++) {
			proof->cpu_s[k] = burner_cpu_s(proof->pid[k]) - proof->begin_s[k];
			all += proof->cpu_s[k];
		}
	}
	proof->measured = proof->cpu_s[1] > 0 ? proof->cpu_s[0] / proof->cpu_s[1] : 0;
}

static void burners_end(const struct proof *proof, struct host *host, uint32_t job)
{
	for (int k = 0; k < BURNERS; k++) {
		if (proof->pid[k] > 0) {
			kill(proof->pid[k], SIGKILL);
			waitpid(proof->pid[k], NULL, 0);
		}
		host_task_remove(host, job + (uint32_t)k, 0, NULL);
	}
}

/* Expected result */

/* Return the level through which the CPU control mechanism moves CPU time. */
static int level_shown(const struct host_setting *setting)
{
	return setting->lever == LEVER_AUTOGROUP ? setting->group_nice : setting->nice;
}

static double weight_of_setting(const struct host_setting *setting)
{
	if (setting->lever == LEVER_CGROUP)
		return setting->weight;
	return setting->lever == LEVER_NONE ? 1 : level_weight(level_shown(setting));
}

static int settings_take(struct proof *proof, struct host *host, uint32_t job)
{
	int error = 0;

	for (int k = 0; k < BURNERS; k++) {
		host_task_setting(host, job + (uint32_t)k, 0, &proof->setting[k]);
		error = error ? error : proof->setting[k].error;
	}
	proof->wanted = weight_of_setting(&proof->setting[0]) / weight_of_setting(&proof->setting[1]);
	return error;
}

static int proof_make(struct proof *proof, struct host *host)
{
	uint32_t job = JOB + (uint32_t)getpid() * BURNERS;
	int err = 0;

	proof->cpu = cpu_first();
	if (proof->cpu < 0)
		return proof->cpu;
	for (int k = 0; k < BURNERS && !err; k++)
		err = burner_start(proof, host, job + (uint32_t)k, k);
	if (!err)
		err = host_round(host, 0);
	for (int ms = 0; !err && host_waiting(host) && ms < PATIENCE_MS; ms += LOOK_MS) {
		poll(NULL, 0, LOOK_MS + 20);
		host_retry(host);
	}
	if (!err)
		err = settings_take(proof, host, job);
	if (!err)
		burners_measure(proof);
	burners_end(proof, host, job);
	return err;
}

/* Return whether more than half of the intended ratio was reached, on the scale of levels. */
static bool is_effective(const struct proof *proof)
{
	return proof->wanted > 1 && proof->measured > 1 && log(proof->measured) >= 0.5 * log(proof->wanted);
}

/* Output */

static void levers_print(const struct host *host)
{
	printf("%-10s %-7s %s\n", "lever", "chosen", "why, or why not");
	for (enum lever lever = LEVER_CGROUP; lever < LEVERS; lever++)
		printf("%-10s %-7s %s\n", lever_name(lever), lever == host_lever(host, NULL) ? "yes" : "no",
		       host_lever_reason(host, lever));
	printf("\n%-10s %-7s %s\n", "CPU time", "chosen", "how it is found");
	for (enum meter meter = METER_CGROUP; meter < METERS; meter++)
		printf("%-10s %-7s %s\n", meter_name(meter),
		       meter == host_meter(host, NULL) || meter == host_second_meter(host) ? "yes" : "no",
		       host_meter_reason(host, meter));
	printf("\n%s: %s\n", lever_name(host_lever(host, NULL)), lever_trust(host_lever(host, NULL)));
}

static void proof_print(const struct proof *proof)
{
	bool weighs = proof->setting[0].lever == LEVER_CGROUP;

	printf("\n%d burners on CPU %d\n\n%10s %10s %10s\n", BURNERS, proof->cpu, "tickets",
	       weighs ? "cpu.weight" : "nice", "CPU s");
	for (int k = 0; k < BURNERS; k++)
		printf("%10.0f %10d %10.2f\n", tickets[k],
		       weighs ? (int)proof->setting[k].weight : level_shown(&proof->setting[k]), proof->cpu_s[k]);
	printf("\nratio wanted %.2f, measured %.2f: %s\n", proof->wanted, proof->measured,
	       is_effective(proof) ? "the mechanism moves CPU time" : "the mechanism moves no CPU time");
}

static void levers_print_json(struct out *out, const struct host *host)
{
	json_write_string(out, "{\"lever\":", lever_name(host_lever(host, NULL)));
	json_write_string(out, ",\"trust\":", lever_trust(host_lever(host, NULL)));
	json_write_string(out, ",\"meter\":", meter_name(host_meter(host, NULL)));
	json_write_string(out, ",\"meter_reason\":", host_meter_reason(host, host_meter(host, NULL)));
	json_write_string(out, ",\"meter_without_cgroup\":", meter_name(host_second_meter(host)));
	json_write_string(out, ",\"meter_without_cgroup_reason\":", host_meter_reason(host, host_second_meter(host)));
	json_write_string(out, ",\"taskstats_reason\":", host_meter_reason(host, METER_TASKSTATS));
	json_write_literal(out, ",\"levers\":[");
	for (enum lever lever = LEVER_CGROUP; lever < LEVERS; lever++) {
		json_write_string(out, lever == LEVER_CGROUP ? "{\"lever\":" : ",{\"lever\":", lever_name(lever));
		json_write_bool(out, ",\"chosen\":", lever == host_lever(host, NULL));
		json_write_string(out, ",\"reason\":", host_lever_reason(host, lever));
		json_write_literal(out, "}");
	}
}

static int nice_print_json(const struct host *host, const struct proof *proof)
{
	struct out out;
	int err;

	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	levers_print_json(&out, host);
	json_write_number(&out, "],\"cpu\":", proof->cpu);
	for (int k = 0; k < BURNERS; k++) {
		json_write_exact(&out, k ? ",{\"tickets\":" : ",\"burners\":[{\"tickets\":", tickets[k]);
		if (proof->setting[k].lever == LEVER_CGROUP)
			json_write_number(&out, ",\"cpu_weight\":", proof->setting[k].weight);
		else
			json_write_number(&out, ",\"nice\":", level_shown(&proof->setting[k]));
		json_write_exact(&out, ",\"cpu_s\":", proof->cpu_s[k]);
		json_write_literal(&out, "}");
	}
	json_write_exact(&out, "],\"wanted\":", proof->wanted);
	json_write_exact(&out, ",\"measured\":", proof->measured);
	json_write_bool(&out, ",\"effective\":", is_effective(proof));
	json_write_literal(&out, "}\n");
	err = out_flush(&out);
	out_close(&out);
	return err ? cli_unwritten(-err) : EXIT_OK;
}

/* Verb */

static int verdict(const struct proof *proof)
{
	if (proof->cpu_s[0] + proof->cpu_s[1] < ENOUGH_S)
		return cli_fail(EXIT_NO_DATA, "doctor: CPU %d is too busy to measure anything", proof->cpu);
	return is_effective(proof) ? EXIT_OK : EXIT_DIFFERENCE;
}

int doctor_nice(enum lever force, bool json)
{
	struct host_options options = HOST_OPTIONS;
	struct proof proof = { .cpu = 0 };
	struct error error = { "" };
	struct host *host;
	int code = EXIT_OK, err;

	options.force = force;
	options.ptf_min_priority = WEAKEST;
	options.others = true;
	err = host_open(&host, &options, &error);
	if (err)
		return cli_fail(err == -ENOTSUP ? EXIT_PERMISSION : EXIT_NO_DATA, "doctor: %s: %s", lever_name(force),
				error.text);
	if (!json)
		levers_print(host);
	fflush(stdout);
	err = proof_make(&proof, host);
	errno = -err;
	if (err)
		code = cli_fail(EXIT_PERMISSION, "doctor: CPU control mechanism %s cannot be changed: %m",
				lever_name(host_lever(host, NULL)));
	else if (json)
		code = nice_print_json(host, &proof);
	else
		proof_print(&proof);
	host_close(host);
	return code ? code : verdict(&proof);
}
