/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Override tickets: sge_priority(5); tickets of a user, project, department, and of the job itself.
 */
#include "sched/explain/gridengine.h"

#define OVERRIDE_COLUMNS "from", "override tickets", "running", "picked before", "shared by", "tickets"

/* Count the tasks picked before this one that refer to an object. */
static uint32_t picked_before(const struct subject *subject, enum sharer_kind kind, uint32_t object)
{
	const struct picked_tasks *picked = &subject->e->witness.override;
	const struct run *run = subject->run;
	uint32_t n = 0;

	for (size_t i = 0; i < picked->n && picked->tasks[i] != subject->pending; i++) {
		uint32_t row = run->waiting.rows[run->pending.job[picked->tasks[i]]];

		n += run->mirror->classes.items[job_fact(subject_jobs(subject), row, class_id)].sharer[kind] == object;
	}
	return n;
}

/*
 * Derive the number of tasks that share the tickets of an object: running tasks, and for a pending
 * task those picked before it and itself.
 */
static uint32_t derive_sharing(const struct subject *subject, enum sharer_kind kind, uint32_t object, uint32_t *running,
			       uint32_t *before)
{
	const struct sharer *sharer = &subject->run->mirror->objects[kind].sharers[object];

	*running =
		derived_unit(subject->d, derive_whole(subject->d, "running tasks", sharer->running, "run"), "tasks");
	if (subject->pending == NONE)
		return *running;
	*before = derived_unit(
		subject->d,
		derive_whole(subject->d, "tasks picked before", picked_before(subject, kind, object), "run"), "tasks");
	return derive(subject->d, "tasks that share", OPERATION_SUM, 3, *running, *before,
		      derive_whole(subject->d, "this task", 1, "constant"));
}

static uint32_t derive_kind(const struct subject *subject, enum sharer_kind kind)
{
	uint32_t object = subject_class(subject)->sharer[kind], running = DERIVED_NONE, before = DERIVED_NONE,
		 by = DERIVED_NONE, otickets, tickets;
	const struct sharer *sharer =
		object == TICKETS_NONE ? NULL : &subject->run->mirror->objects[kind].sharers[object];
	char name[TEXT_BYTES];
	const char *who;

	if (!sharer || sharer->oticket == 0)
		return DERIVED_NONE;
	who = gridengine_sharer_name(subject, kind, object);
	otickets = derive_whole(subject->d, text_made(name, "oticket of %s %s", gridengine_kind_name(kind), who),
				sharer->oticket, gridengine_kind_name(kind));
	derived_holder(subject->d, otickets, gridengine_holder_kind(kind), who);
	if (subject->g->tickets.share_override_tickets) {
		by = derive_sharing(subject, kind, object, &running, &before);
		tickets = derive(subject->d, text_made(name, "override tickets by %s", gridengine_kind_name(kind)),
				 OPERATION_QUOTIENT, 2, otickets, by);
	} else {
		tickets = derive_in(subject->d, PRECISION_DOUBLE,
				    text_made(name, "override tickets by %s", gridengine_kind_name(kind)),
				    OPERATION_SAME, 1, otickets);
	}
	sections_row(subject->x, text_made(name, "%s %s", gridengine_kind_name(kind), who),
		     ROW(otickets, running, before, by, tickets));
	return tickets;
}

uint32_t gridengine_derive_override(const struct subject *subject)
{
	struct line_operand terms[SHARER_KINDS + 1];
	uint32_t job = subject_class(subject)->override_tickets, line;
	size_t n = 0;

	sections_begin(subject->x, "Override tickets");
	sections_columns(subject->x, COLUMNS_OF(OVERRIDE_COLUMNS));
	for (int k = 0; k < SHARER_KINDS; k++) {
		uint32_t term = derive_kind(subject, k);

		if (term != DERIVED_NONE)
			terms[n++] = (struct line_operand){ term, 1 };
	}
	if (job > 0) {
		uint32_t own = derive_whole(subject->d, "override tickets of the job", job, "-ot");

		sections_row(subject->x, "job -ot", ROW(own, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, own));
		terms[n++] = (struct line_operand){ own, 1 };
	}
	if (n == 0)
		sections_note(subject->x, "The job, its user, project and department have no override tickets.");
	else if (!subject->g->tickets.share_override_tickets)
		sections_note(subject->x, "share_override_tickets is FALSE: each task gets all override tickets.");
	line = derive_from(subject->d, PRECISION_DOUBLE, "otckt", OPERATION_SUM, terms, n);
	if (n > 0)
		sections_row(subject->x, "otckt", ROW(DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, line));
	return line;
}
