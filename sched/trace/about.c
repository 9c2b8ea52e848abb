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
		[TRACE_PART] = "came as a part of a job that another line sums up",
		[TRACE_AGAIN] = "started again: the last attempt counts",
		[TRACE_OUTSIDE] = "came outside of the requested time",
	};

	return texts[reason];
}

const char *trace_quirk_text(enum trace_quirk quirk)
{
	static const char *const texts[TRACE_QUIRKS] = {
		[TRACE_NO_HEADER] = "no header: machine and time zone are unknown",
		[TRACE_NO_UNIX_START] = "no UnixStartTime: times begin in 1970",
		[TRACE_EPOCH_TIMES] = "submit times are epoch seconds, not relative to UnixStartTime",
		[TRACE_COLUMNS] = "the number of columns is not 18",
		[TRACE_FRACTIONS] = "had times with fractions of seconds: rounded",
		[TRACE_OUT_OF_ORDER] = "came out of the order of submission: sorted",
		[TRACE_ALLOCATED] = "had no requested processors: the allocated ones are used",
		[TRACE_REQUESTED] = "had no allocated processors: the requested ones are used",
		[TRACE_DIFFERENT_SLOTS] = "had different numbers of requested and allocated processors",
		[TRACE_OVER_LIMIT] = "ran longer than requested",
		[TRACE_NO_LIMIT] = "requested no run time, or an infinite one",
		[TRACE_NO_TIME] = "ran for 0 s",
		[TRACE_NO_USER] = "had no user: \"unknown\"",
		[TRACE_NO_THINK] = "followed another job after an unknown time: not delayed",
		[TRACE_ODD_NAMES] = "had unprintable characters in names: replaced by '?'",
		[TRACE_COMPONENTS] = "came as components of heterogeneous jobs: read as separate jobs",
		[TRACE_COLONS] = "had the separator of fields in a name",
		[TRACE_MORE_FIELDS] = "had more than 45 fields, as of Univa Grid Engine: ignored",
		[TRACE_EARLY] = "started before submission because of different clocks: started at once",
		[TRACE_WALLCLOCK] = "had a run time different from end minus start: the latter is used",
		[TRACE_NODE_MEMORY] = "requested memory for each node, with an unknown number of nodes: ignored",
		[TRACE_NO_NAME] = "had a name that is not stored: there are too many",
	};

	return texts[quirk];
}

bool trace_quirk_is_whole(enum trace_quirk quirk)
{
	return quirk <= TRACE_COLUMNS;
}
