/* SPDX-License-Identifier: Apache-2.0 */
/* Audit as text. */
#include <inttypes.h>
#include <stdio.h>

#include "sched/cli/qmaster/audit.h"
#include "sched/cli/text.h"

static void put_time(struct out *out, int64_t time)
{
	static struct local_clock clock;

	out_take(out, clock_put(&clock, out_room(out, TIME_BYTES), time, TIME_ISO));
}

static void labelled(struct out *out, const char *label, const char *text)
{
	out_put(out, "  %-8s", label);
	text_plain(out, text);
	out_text(out, "\n");
}

static void put_starts(struct out *out, const struct audited *run)
{
	labelled(out, "theirs", *run->their ? run->their : "no more starts");
	labelled(out, "ours", *run->our ? run->our : "no more starts");
	if (*run->why)
		labelled(out, "why", run->why);
}

static void put_number(struct out *out, const struct audited *run)
{
	out_put(out, "  job %s, %s: theirs %s, ours %s", run->worst.of, run->worst.column, run->worst.theirs,
		run->worst.ours);
	if (*run->defect) {
		out_text(out, ", known defect of 8.1.9: ");
		text_plain(out, run->defect);
	}
	out_text(out, "\n");
}

void audit_print_run(struct out *out, const struct audited *run)
{
	put_time(out, run->now);
	if (*run->skipped) {
		out_text(out, "  not comparable: ");
		text_plain(out, run->skipped);
		out_text(out, "\n");
		return;
	}
	out_put(out, "  %s  starts %" PRIu64 " of %" PRIu64 ", numbers %" PRIu64 ", printed differently %" PRIu64 "\n",
		audited_is_known(run)  ? "known  "
		: audited_differs(run) ? "DIFFERS"
				       : "same   ",
		run->agreeing, run->theirs > run->ours ? run->theirs : run->ours, run->numbers, run->differing);
	if (run->starts_differ)
		put_starts(out, run);
	if (*run->worst.of)
		put_number(out, run);
}

static void put_found(struct out *out, const struct audit_sum *sum)
{
	out_text(out, "\nfirst run that differs: ");
	put_time(out, sum->first.run.now);
	out_text(out, "\n");
	if (sum->first.run.starts_differ)
		put_starts(out, &sum->first.run);
	if (*sum->first.run.worst.of)
		put_number(out, &sum->first.run);
	if (!sum->farthest.text)
		return;
	out_text(out, "largest difference of a number: ");
	put_time(out, sum->farthest.run.now);
	out_text(out, "\n");
	put_number(out, &sum->farthest.run);
}

void audit_print_sum(struct out *out, const struct audit_sum *sum, const char *journal)
{
	text_plain(out, journal);
	out_text(out, ": ");
	put_time(out, sum->from);
	out_text(out, " to ");
	put_time(out, sum->until);
	out_put(out,
		"\nruns     %10" PRIu64 ", of these %" PRIu64 " differ (%" PRIu64
		" by known defects of 8.1.9 alone), %" PRIu64 " cannot be compared\n",
		sum->runs, sum->different, sum->known, sum->skipped);
	out_put(out, "starts   %10" PRIu64 " theirs, %" PRIu64 " ours, %" PRIu64 " agree in their order\n", sum->theirs,
		sum->ours, sum->agreeing);
	out_put(out,
		"numbers  %10" PRIu64 " compared, %" PRIu64 " are printed differently, of these %" PRIu64
		" by known defects\n",
		sum->numbers, sum->differing, sum->defects);
	for (size_t k = 0; k < AUDIT_DEFECTS && *sum->named[k].name; k++)
		out_put(out, "defect   %10" PRIu64 " runs: %s\n", sum->named[k].runs, sum->named[k].name);
	if (sum->odd > 0)
		out_put(out, "odd      %10" PRIu64 " lines of the journal cannot be read\n", sum->odd);
	if (sum->different > 0)
		put_found(out, sum);
}
