/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of qstat -xml -j: all that is known about jobs, in the elements of Grid Engine's qmaster.
 *
 *     stat/job_xml.c       the document and the order of its elements
 *     stat/job_lists.c     elements that are lists: requests, queues, tasks, predecessors
 *     stat/job_text.c      elements from the scheduler's description of a job in a local cell
 *     stat/reasons_qstat.c why tasks have not started
 */
#ifndef CLI_STAT_JOB_XML_H
#define CLI_STAT_JOB_XML_H

#include "sched/cli/stat/stat.h"
#include "sched/cli/xml.h"

#define JOB_INDENT 6u			/* indentation of an element of a job */

struct job_document {			/* one job */
	const struct fl_view *view;
	struct out *out;
	struct job_listing *listing;
	struct fl_job job;		/* first row of the job */
	struct fl_request request;
	struct fl_detail detail;
	/* NULL: the scheduler has sent no description */
	const struct job_description *described;
};

/* Write one element, or nothing when the list is empty. */
typedef void job_element(const struct job_document *document, const char *element);
job_element job_hard_resources, job_soft_resources, job_hard_queues, job_soft_queues, job_master_queues;
job_element job_predecessors, job_array_predecessors, job_successors, job_asked_predecessors,
	job_asked_array_predecessors;
job_element job_tasks, job_task_ids, job_slots;
job_element job_mail, job_output, job_errors, job_input, job_shell, job_variables, job_context, job_arguments;

/* Write <messages>: why tasks of the jobs have not started. */
void job_messages(const struct fl_view *view, struct out *out, struct job_listing *listing);

#endif
