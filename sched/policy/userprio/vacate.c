/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time that a preempted task has to end. First the task keeps running for its retirement. Then
 * it gets its job's signal and some time to exit. Then it gets SIGKILL. Sources: HTCondor's manual,
 * "Policy Configuration for Execution Points": MaxJobRetirementTime, MachineMaxVacateTime,
 * WANT_VACATE, KILL, PREEMPT; condor_submit(1): kill_sig, job_max_vacate_time,
 * max_job_retirement_time.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sched/negotiation/moment.h"
#include "sched/policy/userprio/inside.h"
#include "sched/process/signal_name.h"

#define SECONDS_MOST 0x1p31

struct leaving {				/* a job, and the slot that it has to leave */
	struct userprio_cell *u;
	const struct classad *slot;	/* the machine's ad, with the attributes of the claim */
	const struct classad *job;	/* NULL: unknown */
	int64_t now;
};

/*
 * Prepare the evaluation of the machine's expressions, which can read the claim: RemoteUser, State,
 * JobStart and others. -ENOMEM.
 */
static int leaving_begin(struct leaving *leaving, struct userprio_policy *policy, const struct run *run,
			 const struct slot *slot, const struct classad *job)
{
	struct userprio_cell *cell = policy->in_force;
	const char *user = slot->customer == CUSTOMER_NONE
				   ? ""
				   : strings_text(run->strings, policy->accountant.names[slot->customer]);

	classad_set_base(cell->claim_ad, slot->ad);
	*leaving = (struct leaving){ cell, cell->claim_ad, job, run->now };
	return moment_describe_claim(cell->claim_ad, slot, user, run->now, MOMENTS_OF_SLOTS);
}

static bool has(const struct classad *ad, const char *name)
{
	return ad && classad_find(ad, name);
}

/* Evaluate an attribute of the slot, or else the expression of the configuration. */
static void machine_value(const struct leaving *leaving, const char *name, const struct condor_expression *conf,
			  struct classad_value *value)
{
	const struct classad_pair pair = { leaving->slot, leaving->job };

	leaving->u->room.now = leaving->now;
	if (has(leaving->slot, name))
		classad_attribute(&pair, name, &leaving->u->room, value);
	else if (conf->program)
		classad_evaluate(conf->program, &pair, &leaving->u->room, value);
	else
		value->type = CLASSAD_UNDEFINED;
}

static bool is_true(const struct leaving *leaving, const char *name, const struct condor_expression *conf)
{
	struct classad_value value;
	bool truth;

	machine_value(leaving, name, conf, &value);
	truth = classad_is_true(&value);
	classad_room_reset(&leaving->u->room);
	return truth;
}

/* Return whole seconds, or 0 if the value is not a number. */
static double seconds_of(const struct leaving *leaving, const struct classad_value *value)
{
	double seconds;

	if (!classad_number(value, &seconds) || !(seconds > 0.0))
		seconds = 0.0;
	classad_room_reset(&leaving->u->room);
	return seconds < SECONDS_MOST ? (double)(int64_t)seconds : SECONDS_MOST;
}

static double machine_seconds(const struct leaving *leaving, const char *name, const struct condor_expression *conf)
{
	struct classad_value value;

	machine_value(leaving, name, conf, &value);
	return seconds_of(leaving, &value);
}

/* Return seconds from an integer attribute of the job; any other type is 0. */
static double job_seconds(const struct leaving *leaving, const char *name)
{
	struct classad_value value;
	double seconds;

	leaving->u->room.now = leaving->now;
	classad_attribute(&(struct classad_pair){ leaving->job, leaving->slot }, name, &leaving->u->room, &value);
	seconds = value.type == CLASSAD_INT ? seconds_of(leaving, &value) : 0.0;
	classad_room_reset(&leaving->u->room);
	return seconds;
}

/* Return the retirement in seconds. The job can only reduce the machine's value. */
static double retirement(const struct leaving *leaving)
{
	double machine = machine_seconds(leaving, "MaxJobRetirementTime", &leaving->u->conf->max_retirement_time), job;

	if (machine == 0.0 || !has(leaving->job, "MaxJobRetirementTime"))
		return machine;
	job = job_seconds(leaving, "MaxJobRetirementTime");
	return job < machine ? job : machine;
}

/* Return how much is left of a retirement that began with the task. */
static double left_of(double seconds, int64_t since, int64_t now)
{
	double gone = now > since ? (double)(now - since) : 0.0;

	return seconds > gone ? seconds - gone : 0.0;
}

static bool never_retires(const struct userprio_cell *cell, const struct classad *slot)
{
	struct classad_value value;
	double seconds;

	return !has(slot, "MaxJobRetirementTime") &&
	       (!cell->conf->max_retirement_time.program ||
		(classad_is_constant(cell->conf->max_retirement_time.program, &value) &&
		 classad_number(&value, &seconds) && !(seconds > 0.0)));
}

int64_t vacate_retirement_left(struct userprio_policy *policy, const struct run *run, const struct slot *slot,
			       const struct classad *job)
{
	struct leaving leaving;

	if (never_retires(policy->in_force, slot->ad))
		return 0;
	if (leaving_begin(&leaving, policy, run, slot, job))
		return -ENOMEM;
	return (int64_t)left_of(retirement(&leaving), slot->job_start, run->now);
}

/*
 * Return the vacate time. A job that asks for more than the machine grants gets the difference from
 * its remaining retirement.
 */
static double vacate_seconds(const struct leaving *leaving, double retirement_left)
{
	double machine = machine_seconds(leaving, "MachineMaxVacateTime", &leaving->u->conf->max_vacate_time),
	       job = machine;

	if (has(leaving->job, "JobMaxVacateTime"))
		job = job_seconds(leaving, "JobMaxVacateTime");
	else if (has(leaving->job, "KillSigTimeout"))
		job = job_seconds(leaving, "KillSigTimeout");
	if (job <= machine)
		return job;
	return retirement_left >= job ? job : retirement_left > machine ? retirement_left : machine;
}

/*
 * Return the job's KillSig, given by name or number; "SIGTERM" if it has none. Valid as long as the
 * list of slots.
 */
static const char *signal_of(const struct leaving *leaving)
{
	struct classad_value value;
	const char *name, *kept = "SIGTERM";
	char text[32] = "";
	int signal = 0;
	uint32_t number;

	classad_attribute(&(struct classad_pair){ leaving->job, leaving->slot }, "KillSig", &leaving->u->room, &value);
	if (value.type == CLASSAD_STRING)
		signal = signal_number(value.text);
	else if (value.type == CLASSAD_INT && value.integer > 0 && value.integer <= SIGRTMAX)
		signal = (int)value.integer;
	name = sigabbrev_np(signal);
	if (name)
		snprintf(text, sizeof(text), "SIG%s", name);
	else if (signal > 0)		/* real-time signals */
		snprintf(text, sizeof(text), "%d", signal);
	if (*text && text_set_add(&leaving->u->slots.texts, text, &number) == 0)
		kept = leaving->u->slots.texts.texts[number];
	classad_room_reset(&leaving->u->room);
	return kept;
}

/* Order a task to vacate its slot. -ENOMEM. */
int vacate_order(struct userprio_policy *policy, const struct run *run, const struct places *places,
		 const struct vacate_wish *wish)
{
	const struct condor_conf *conf = policy->in_force->conf;
	struct vacation vacation = {
		.task = wish->task, .instance = wish->instance, .reason = wish->reason, .winner = wish->winner
	};
	struct leaving leaving;
	double left, vacate;

	if (leaving_begin(&leaving, policy, run, wish->slot, wish->job))
		return -ENOMEM;
	left = left_of(retirement(&leaving), wish->slot->job_start, run->now);
	vacate = vacate_seconds(&leaving, left);
	if (is_true(&leaving, "WANT_VACATE", &conf->want_vacate) && !is_true(&leaving, "KILL", &conf->kill)) {
		vacation.signal = signal_of(&leaving);
		vacation.vacate_s = (uint32_t)vacate;
		left -= vacate;			/* the vacate time ends with the retirement */
	}
	vacation.retirement_s = left > 0.0 ? (uint32_t)left : 0;
	return places->vacate(places->self, &vacation);
}

/* Evaluate PREEMPT. 1: the machine's own policy wants this task to leave; 0; -ENOMEM. */
int vacate_is_due(struct userprio_policy *policy, const struct run *run, const struct slot *slot,
		  const struct classad *job)
{
	struct leaving leaving;
	int rc = leaving_begin(&leaving, policy, run, slot, job);

	return rc ? rc : is_true(&leaving, "PREEMPT", &policy->in_force->conf->preempt);
}

/* Return whether PREEMPT may be true for some slot. */
bool vacate_may_be_due(const struct userprio_cell *cell)
{
	struct classad_value value;

	return cell->conf->preempt.program &&
	       !(classad_is_constant(cell->conf->preempt.program, &value) && !classad_is_true(&value));
}
