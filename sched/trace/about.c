/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/trace/inside.h"

const struct trace_about *trace_about(const struct trace *trace)
{
	return &trace->about;
}

const char *trace_reason_text(enum trace_reason reason)
{
	static const char *const texts[TRACE_REASONS] = {
		[TRACE_NOT_STARTED] = "never started: cancelled before, or failed",
		[TRACE_NOT_ENDED] = "had not ended when the trace was made",
		[TRACE_NO_SUBMIT] = "had no submission time",
		[TRACE_NO_RUN_TIME] = "had no run time",
		[TRACE_NO_SLOTS] = "had no processors, neither requested nor allocated",
		[TRACE_PART] = "stood as a part of a job that another line sums up",
		[TRACE_AGAIN] = "started again: the last attempt counts",
		[TRACE_OUTSIDE] = "came outside the time asked for",
	};

	return texts[reason];
}

const char *trace_quirk_text(enum trace_quirk quirk)
{
	static const char *const texts[TRACE_QUIRKS] = {
		[TRACE_NO_HEADER] = "no header: machine and time zone are unknown",
		[TRACE_NO_UNIX_START] = "no UnixStartTime: times begin in 1970",
		[TRACE_EPOCH_TIMES] = "submit times are epoch seconds, not relative to UnixStartTime",
		[TRACE_COLUMNS] = "another number of columns than 18",
		[TRACE_FRACTIONS] = "had times with fractions of seconds: rounded",
		[TRACE_OUT_OF_ORDER] = "stood out of the order of submission: sorted",
		[TRACE_ALLOCATED] = "said nothing of processors requested: those allocated are taken",
		[TRACE_REQUESTED] = "said nothing of processors allocated: those requested are taken",
		[TRACE_DIFFERENT_SLOTS] = "got another number of processors than they requested",
		[TRACE_OVER_LIMIT] = "ran longer than they asked for",
		[TRACE_NO_LIMIT] = "asked for no run time, or for one without end",
		[TRACE_NO_TIME] = "ran for 0 s",
		[TRACE_NO_USER] = "had no user: \"unknown\"",
		[TRACE_NO_THINK] = "followed another one after an unknown time: not waited for",
		[TRACE_ODD_NAMES] = "had characters in names that can't be printed: '?'",
		[TRACE_COMPONENTS] = "came as components of heterogeneous jobs: jobs of their own",
		[TRACE_COLONS] = "had the separator of fields in a name",
		[TRACE_MORE_FIELDS] = "had more fields than 45, as of Univa Grid Engine: they are left out",
		[TRACE_EARLY] = "started before they were submitted, by clocks that differ: at once",
		[TRACE_WALLCLOCK] = "had another run time than from start to end: the latter is taken",
		[TRACE_NODE_MEMORY] = "asked for memory by the node, and nobody says of how many nodes: unknown",
		[TRACE_NO_NAME] = "had a name that is not kept: there are too many",
	};

	return texts[quirk];
}

bool trace_quirk_is_whole(enum trace_quirk quirk)
{
	return quirk <= TRACE_COLUMNS;
}
