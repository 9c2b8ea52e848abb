/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead replay --journal: the runs of a scheduler's journal, made again. */
#ifndef CLI_REPLAY_JOURNAL_H
#define CLI_REPLAY_JOURNAL_H

#include "sched/cli/options.h"

/* The options of the verb where it is about a journal, for its help. */
extern const struct argument replay_journal_options[];

/* Is --journal among the words? Then the others are of the table above. */
bool replay_is_of_journal(int argc, char **argv);

/* The verb. An exit code: EXIT_DIFFERENCE where a run did not come out the same. */
int replay_journal(int argc, char **argv);

#endif
