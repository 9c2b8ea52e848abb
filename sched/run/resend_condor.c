/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of the state for HTCondor's negotiation: submitters, ads of jobs and slots, claims. */
#include "sched/mirror/ads.h"
#include "sched/run/resend_inside.h"

/* Find an ad's text by its string id and split it into attributes. NULL: no memory. */
static struct ad_attribute *attributes_of(const struct state_replay *replay, struct scratch *scratch, uint32_t ad,
					  size_t *n)
{
	const char *text = view_string(replay->view, ad);
	struct ad_attribute *items;
	size_t bytes = strlen(text), lines = 0;
	char *copy = scratch_alloc(scratch, bytes + 1, 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, bytes);		/* the byte after the text is 0 */
	for (const char *p = copy; (p = strchr(p, '\n')); p++)
		lines++;
	items = scratch_alloc(scratch, lines, sizeof(*items));
	*n = items ? ad_text_cut(copy, items) : 0;
	return items;
}

/* Remove the double quotes that condor.c of the mirror has added. */
static char *without_quotes(char *text)
{
	size_t n = strlen(text);

	if (n < 2 || text[0] != '"' || text[n - 1] != '"')
		return text;
	text[n - 1] = '\0';
	return text + 1;
}

static int fill_ad(const struct state_replay *replay, struct scratch *scratch, uint32_t ad, struct condor_spec *to)
{
	size_t n, rest = 0;
	struct ad_attribute *items = attributes_of(replay, scratch, ad, &n);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t member = ad_attribute_of(items[i].name);

		if (member == CONDOR_ATTRIBUTES) {
			items[rest++] = items[i];
			continue;
		}
		to->attributes[member] = ad_attribute_is_text(member)
						 ? without_quotes((char *)(uintptr_t)items[i].expression)
						 : items[i].expression;
		to->given |= CONDOR_REQUIREMENTS << member;
	}
	to->ad = (struct ad_attributes){ items, rest };
	to->given |= rest > 0 ? CONDOR_AD : 0;
	return 0;
}

static void give_name(const struct state_replay *replay, uint32_t id, uint32_t member, const char **to,
		      struct condor_spec *spec)
{
	if (id == NONE)
		return;
	*to = view_string(replay->view, id);
	spec->given |= member;
}

/* Find the numbers of a row by binary search; records are sorted by row. */
void resend_condor_numbers(const struct state_replay *replay, uint32_t row, struct condor_spec *to)
{
	uint64_t low = 0, high;
	struct condor_state state;

	view_state_part(replay->view, STATE_CONDOR_JOBS, sizeof(state), &high);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!PART_COPY(replay, STATE_CONDOR_JOBS, middle, &state))
			return;
		if (state.row == row)
			break;
		if (state.row < row)
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= high)
		return;
	to->given |= state.given & (2 * CONDOR_PROC - CONDOR_JOB_PRIO);
	to->pre_job_prio1 = state.pre_job_prio1;
	to->pre_job_prio2 = state.pre_job_prio2;
	to->job_prio = state.job_prio;
	to->post_job_prio1 = state.post_job_prio1;
	to->post_job_prio2 = state.post_job_prio2;
	to->cluster = state.cluster;
	to->proc = state.proc;
}

int resend_condor_job(const struct state_replay *replay, struct scratch *scratch, uint32_t row, uint32_t class_id,
		      uint32_t ad, struct condor_spec *to)
{
	struct class_state from;

	if (!PART_COPY(replay, STATE_CLASSES, class_id, &from))
		return -EPROTO;
	give_name(replay, from.accounting_group, CONDOR_ACCOUNTING_GROUP, &to->accounting_group, to);
	give_name(replay, from.accounting_group_user, CONDOR_ACCOUNTING_GROUP_USER, &to->accounting_group_user, to);
	give_name(replay, from.uid_domain, CONDOR_UID_DOMAIN, &to->uid_domain, to);
	resend_condor_numbers(replay, row, to);
	return ad == NONE ? 0 : fill_ad(replay, scratch, ad, to);
}

static int replay_claim(const struct state_replay *replay, const struct instance_record *slot)
{
	struct claim_record record;
	struct event event;

	if (slot->claim == 0 || !PART_COPY(replay, STATE_CLAIMS, slot->claim - 1, &record))
		return 0;
	event_init(&event, EVENT_CLAIM);
	event.claim = (struct claim_event){ .slot = view_string(replay->view, slot->name),
					    .submitter = view_string(replay->view, record.submitter),
					    .weight = record.weight,
					    .since = record.since,
					    .current_rank = record.current_rank,
					    .concurrency_limits = resend_text(replay, record.limits),
					    .suspended = record.suspended,
					    .preempting = resend_text(replay, record.preempting),
					    .preempting_rank = record.preempting_rank };
	return resend_send(replay, &event);
}

int resend_slot(const struct state_replay *replay, struct scratch *scratch, const struct instance_record *record)
{
	struct event event;
	size_t n;
	int rc;

	event_init(&event, EVENT_SLOT);
	event.slot = (struct slot_event){ .slot = view_string(replay->view, record->name),
					  .machine = view_string(replay->view, record->machine),
					  .place = record->place };
	event.slot.ad.items = attributes_of(replay, scratch, record->ad, &n);
	event.slot.ad.n = n;
	rc = event.slot.ad.items ? resend_send(replay, &event) : -ENOMEM;
	return rc ? rc : replay_claim(replay, record);
}

/* State of the accountant */

int resend_customer(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct customer_state *state = record;
	struct event event;

	(void)scratch;
	event_init(&event, EVENT_CUSTOMER);
	event.customer = (struct customer_event){ .name = view_string(replay->view, state->name),
						  .hidden = state->hidden,
						  .waited = state->waited,
						  .values = { .rup = state->rup,
							      .factor = state->factor,
							      .is_group = state->is_group,
							      .used = state->used,
							      .weight_used = state->weight_used,
							      .tree_used = state->tree_used,
							      .uncharged = state->uncharged,
							      .weight_uncharged = state->weight_uncharged,
							      .accumulated = state->accumulated,
							      .weight_accumulated = state->weight_accumulated,
							      .begin = state->begin,
							      .last = state->last,
							      .ceiling = state->ceiling,
							      .floor = state->floor } };
	for (int k = 0; k < SETTINGS; k++)
		event.customer.values.leases[k] = (struct lease){ state->lease_until[k], state->lease_before[k] };
	return resend_send(replay, &event);
}
_Static_assert(SETTINGS == sizeof(((struct customer_state *)0)->lease_until) / sizeof(int64_t),
	       "each setting needs a lease");

int resend_charged(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct charged_state *state = record;
	struct event event;

	(void)scratch;
	event_init(&event, EVENT_CHARGED_SLOT);
	event.charge = (struct charge_event){ .slot = view_string(replay->view, state->slot),
					      .customer = view_string(replay->view, state->customer),
					      .negotiating_group = resend_text(replay, state->negotiating_group),
					      .values = { .job_number = state->job,
							  .task = state->task,
							  .cpus = state->cpus,
							  .is_ranked = state->is_ranked,
							  .free_of_charge = state->free_of_charge,
							  .autoregroup = state->autoregroup,
							  .ordered = state->ordered,
							  .weight = state->weight,
							  .current_rank = state->current_rank,
							  .since = state->since,
							  .begun = state->begun,
							  .start = state->start,
							  .ended = state->ended,
							  .finished = state->finished } };
	return resend_send(replay, &event);
}

int resend_winner(const struct state_replay *replay, struct scratch *scratch, const void *record)
{
	const struct winner_state *state = record;
	struct event event;

	(void)scratch;
	event_init(&event, EVENT_WINNER);
	event.winner = (struct winner_event){ .slot = view_string(replay->view, state->slot),
					      .customer = view_string(replay->view, state->customer),
					      .negotiating_group = resend_text(replay, state->negotiating_group),
					      .values = { .job_number = state->job,
							  .task = state->task,
							  .winner = state->winner,
							  .autoregroup = state->autoregroup,
							  .rank = state->rank,
							  .since = state->since } };
	return resend_send(replay, &event);
}
