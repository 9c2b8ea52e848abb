/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the verbs that send requests. */
#ifndef CLI_JOBS_REQUESTS_H
#define CLI_JOBS_REQUESTS_H

#include "sched/client/commands.h"
#include "sched/client/submission.h"

/* Print results: texts of successes to stdout, failures and notes as messages. */
void reply_print(const struct caller *caller, const struct reply *reply, const struct reply_format *format);

/* submission_show.c: print the submission without sending it, like qsub -verify. */
void submission_show(const struct submission *submission);

#endif
