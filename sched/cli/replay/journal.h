/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead replay --journal: compute the runs of a scheduler's journal again. */
#ifndef CLI_REPLAY_JOURNAL_H
#define CLI_REPLAY_JOURNAL_H

#include "sched/cli/options.h"

/* Options of the verb with --journal, for its help. */
extern const struct argument replay_journal_options[];

/*
 * Return whether --journal is among the words. The other words are then options of the table above.
 */
bool replay_is_of_journal(int argc, char **argv);

/* Run the verb. Return an exit code, EXIT_DIFFERENCE if a run had another result. */
int replay_journal(int argc, char **argv);

#endif
