/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/vacating.h"

#include <signal.h>
#include <sys/wait.h>

#include "sched/process/clock.h"
#include "sched/shepherd/leftovers.h"

#define AGAIN_NS 100000000ull		/* when there was no memory or no descriptor for it */
#define KILL_AGAIN_NS 1000000000ull

/* One that can't be read is not there: the scheduler ends the task itself in the end. */
void vacating_look(struct vacating *v)
{
	struct attempt_vacation asked;
	struct error e;

	if (attempt_vacation_read(v->dirfd, &asked, &e))
		return;
	v->asked = asked;
	v->is_asked = true;
}

/* It has ended by itself, and nobody has waited for it yet. */
static bool leader_has_ended(pid_t leader)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == leader;
}

static uint64_t kill_due_ns(const struct vacating *v)
{
	if (v->done == ATTEMPT_VACATED_HARD)
		return v->killed_ns + KILL_AGAIN_NS;
	return v->asked.signal == SIGKILL ? v->signalled_ns : v->signalled_ns + v->asked.vacate_ns;
}

static uint64_t task_signal(struct vacating *v, uint64_t now_ns)
{
	if (leader_has_ended(v->leader))
		return VACATION_NEVER_NS;
	if (v->asked.signal != SIGKILL && leftovers_signal(v->asked.signal, v->cgroup))
		return now_ns + AGAIN_NS;
	v->done = ATTEMPT_VACATED_SOFT;
	v->signalled_ns = now_ns;
	return kill_due_ns(v);
}

/* Once more each second: it may have made a process while it was killed. */
static uint64_t task_kill(struct vacating *v, uint64_t now_ns)
{
	if (v->done != ATTEMPT_VACATED_HARD && leader_has_ended(v->leader))
		return VACATION_NEVER_NS;
	if (leftovers_signal(SIGKILL, v->cgroup))
		return now_ns + AGAIN_NS;
	v->done = ATTEMPT_VACATED_HARD;
	v->killed_ns = now_ns;
	return kill_due_ns(v);
}

uint64_t vacating_go_on(struct vacating *v)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = VACATION_NEVER_NS;

	if (!v->is_asked || !v->leader)
		return next_ns;
	if (v->done == ATTEMPT_NOT_VACATED)
		next_ns = now_ns < v->asked.retired_ns ? v->asked.retired_ns : task_signal(v, now_ns);
	if (v->done != ATTEMPT_NOT_VACATED)
		next_ns = now_ns < kill_due_ns(v) ? kill_due_ns(v) : task_kill(v, now_ns);
	return next_ns;
}
