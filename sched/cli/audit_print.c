/* SPDX-License-Identifier: Apache-2.0 */
/* The audit for people. */
#include <inttypes.h>
#include <stdio.h>

#include "sched/cli/audit.h"
#include "sched/cli/text.h"

static void put_time(struct out *o, int64_t time)
{
	static struct local_clock clock;

	out_take(o, clock_put(&clock, out_room(o, TIME_BYTES), time, TIME_ISO));
}

static void labelled(struct out *o, const char *label, const char *text)
{
	out_put(o, "  %-8s", label);
	text_plain(o, text);
	out_text(o, "\n");
}

static void put_starts(struct out *o, const struct audited *run)
{
	labelled(o, "theirs", *run->their ? run->their : "no more starts");
	labelled(o, "ours", *run->our ? run->our : "no more starts");
	if (*run->why)
		labelled(o, "why", run->why);
}

static void put_number(struct out *o, const struct audited *run)
{
	out_put(o, "  job %s, %s: theirs %s, ours %s", run->worst.of, run->worst.column, run->worst.theirs, run->worst.ours);
	if (*run->defect) {
		out_text(o, ", known defect of 8.1.9: ");
		text_plain(o, run->defect);
	}
	out_text(o, "\n");
}

void audit_print_run(struct out *o, const struct audited *run)
{
	put_time(o, run->now);
	if (*run->skipped) {
		out_text(o, "  not comparable: ");
		text_plain(o, run->skipped);
		out_text(o, "\n");
		return;
	}
	out_put(o, "  %s  starts %" PRIu64 " of %" PRIu64 ", numbers %" PRIu64 ", printed otherwise %" PRIu64 "\n",
		audited_is_known(run) ? "known  " : audited_differs(run) ? "DIFFERS" : "same   ", run->agreeing, run->theirs > run->ours ? run->theirs : run->ours,
		run->numbers, run->differing);
	if (run->starts_differ)
		put_starts(o, run);
	if (*run->worst.of)
		put_number(o, run);
}

static void put_found(struct out *o, const struct audit_sum *s)
{
	out_text(o, "\nfirst run that differs: ");
	put_time(o, s->first.run.now);
	out_text(o, "\n");
	if (s->first.run.starts_differ)
		put_starts(o, &s->first.run);
	if (*s->first.run.worst.of)
		put_number(o, &s->first.run);
	if (!s->farthest.text)
		return;
	out_text(o, "largest difference of a number: ");
	put_time(o, s->farthest.run.now);
	out_text(o, "\n");
	put_number(o, &s->farthest.run);
}

void audit_print_sum(struct out *o, const struct audit_sum *s, const char *journal)
{
	text_plain(o, journal);
	out_text(o, ": ");
	put_time(o, s->from);
	out_text(o, " to ");
	put_time(o, s->until);
	out_put(o, "\nruns     %10" PRIu64 ", of these %" PRIu64 " differ (%" PRIu64 " by known defects of 8.1.9 alone), %" PRIu64 " can't be compared\n", s->runs,
		s->different, s->known, s->skipped);
	out_put(o, "starts   %10" PRIu64 " theirs, %" PRIu64 " ours, %" PRIu64 " agree in their order\n", s->theirs, s->ours, s->agreeing);
	out_put(o, "numbers  %10" PRIu64 " compared, %" PRIu64 " are printed otherwise, of these %" PRIu64 " by known defects\n", s->numbers, s->differing, s->defects);
	for (size_t k = 0; k < AUDIT_DEFECTS && *s->named[k].name; k++)
		out_put(o, "defect   %10" PRIu64 " runs: %s\n", s->named[k].runs, s->named[k].name);
	if (s->odd > 0)
		out_put(o, "odd      %10" PRIu64 " lines of the journal are none\n", s->odd);
	if (s->different > 0)
		put_found(o, s);
}
