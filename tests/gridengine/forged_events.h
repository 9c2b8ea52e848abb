/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of jobs and tasks as a qmaster could report them, with lists that are written here. Include
 * after cmocka.h and its headers, and call forged_free() at the end of the program.
 */
#ifndef TESTS_GRIDENGINE_FORGED_EVENTS_H
#define TESTS_GRIDENGINE_FORGED_EVENTS_H

#include "tests/gridengine/reported.h"

static struct forge forged;
static struct gdi_writer lists[4];

static inline int deliver(struct reported_fixture *fixture)
{
	forge_end(&forged);
	assert_int_equal(forged.w.rc, 0);
	reported_deliver(fixture, forged.w.bytes, forged.w.n);
	return fixture->rc;
}

/* Return a list of one range, with another one if `b` is not empty. */
static inline const struct gdi_writer *ranges_of(struct gdi_writer *writer, uint32_t min, uint32_t max, uint32_t step,
						 uint32_t bmin, uint32_t bmax)
{
	size_t list;

	writer->n = 0;
	list = forge_list(writer, VALUES(NUMBER(RN_min, 0), NUMBER(RN_max, 0), NUMBER(RN_step, 0)));
	forge_element(writer, list, VALUES(NUMBER(RN_min, min), NUMBER(RN_max, max), NUMBER(RN_step, step)));
	if (bmin)
		forge_element(writer, list, VALUES(NUMBER(RN_min, bmin), NUMBER(RN_max, bmax), NUMBER(RN_step, 1)));
	gdi_list_end(writer, list);
	return writer;
}

static inline void job_event(enum gdi_event type, uint32_t number, uint32_t jb_type, const char *owner,
			     const struct gdi_writer *free, const struct gdi_writer *user)
{
	forge_event(&forged, type, number, 0, "", "");
	forge_one(&forged.w,
		  VALUES(NUMBER(JB_job_number, number), TEXT(JB_owner, owner), NUMBER(JB_submission_time, 1699999000),
			 NUMBER(JB_priority, 1024), NUMBER(JB_version, 3), NUMBER(JB_type, jb_type),
			 LIST(JB_ja_n_h_ids, free), LIST(JB_ja_u_h_ids, user)));
}

static inline void task_event(enum gdi_event type, uint32_t number, uint32_t id, uint32_t status, uint32_t state,
			      uint32_t hold, const struct gdi_writer *granted)
{
	forge_event(&forged, type, number, id, "", "");
	forge_one(&forged.w,
		  VALUES(NUMBER(JAT_task_number, id), NUMBER(JAT_status, status), NUMBER(JAT_state, state),
			 NUMBER(JAT_hold, hold), NUMBER(JAT_start_time, 1699999500), NUMBER(JAT_wallclock_limit, 600),
			 LIST(JAT_granted_destin_identifier_list, granted)));
}

static inline const struct gdi_writer *granted_on(struct gdi_writer *writer, const char *queue)
{
	writer->n = 0;
	forge_one(writer, VALUES(TEXT(JG_qname, queue), NUMBER(JG_slots, 1)));
	return writer;
}

static inline void array_add(struct reported_fixture *fixture, uint32_t number, uint32_t tasks)
{
	forge_begin(&forged, (uint32_t)fixture->g.take->next);
	job_event(GDI_EV_JOB_ADD, number, 0x80, "ann", ranges_of(&lists[0], 1, tasks, 1, 0, 0), NULL);
	assert_int_equal(deliver(fixture), 0);
}

static inline const struct job_extra *extra_of(const struct reported_fixture *fixture, uint32_t number)
{
	const struct jobs *jobs = &reported_state(fixture)->jobs;

	return jobs_find_extra(jobs, jobs_find(jobs, number));
}

static inline void forged_free(void)
{
	gdi_writer_free(&forged.w);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		gdi_writer_free(&lists[i]);
}

#endif
