/* SPDX-License-Identifier: Apache-2.0 */
/* What HTCondor's negotiation works on: who jobs are from, ads of jobs and slots, claims. */
#include "sched/mirror/ads.h"
#include "sched/run/retell_inside.h"

/* The attributes of an ad by its text's id, in the scratch. NULL: no memory. */
static struct ad_attribute *attributes_of(const struct retelling *t, struct scratch *s, uint32_t ad, size_t *n)
{
	const char *text = view_string(t->view, ad);
	struct ad_attribute *items;
	size_t bytes = strlen(text), lines = 0;
	char *copy = scratch_alloc(s, bytes + 1, 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, bytes);		/* what is behind it is 0 */
	for (const char *p = copy; (p = strchr(p, '\n')); p++)
		lines++;
	items = scratch_alloc(s, lines, sizeof(*items));
	*n = items ? ad_text_cut(copy, items) : 0;
	return items;
}

/* In double quotes, as condor.c of the mirror has written it. */
static char *without_quotes(char *text)
{
	size_t n = strlen(text);

	if (n < 2 || text[0] != '"' || text[n - 1] != '"')
		return text;
	text[n - 1] = '\0';
	return text + 1;
}

static int fill_ad(const struct retelling *t, struct scratch *s, uint32_t ad, struct condor_spec *to)
{
	size_t n, rest = 0;
	struct ad_attribute *items = attributes_of(t, s, ad, &n);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t member = ad_attribute_of(items[i].name);

		if (member == CONDOR_ATTRIBUTES) {
			items[rest++] = items[i];
			continue;
		}
		to->attributes[member] = ad_attribute_is_text(member) ? without_quotes((char *)(uintptr_t)items[i].expression) : items[i].expression;
		to->given |= CONDOR_REQUIREMENTS << member;
	}
	to->ad = (struct ad_attributes){ items, rest };
	to->given |= rest > 0 ? CONDOR_AD : 0;
	return 0;
}

static void give_name(const struct retelling *t, uint32_t id, uint32_t member, const char **to, struct condor_spec *spec)
{
	if (id == NONE)
		return;
	*to = view_string(t->view, id);
	spec->given |= member;
}

/* They stand by row. */
void retell_condor_numbers(const struct retelling *t, uint32_t row, struct condor_spec *to)
{
	uint64_t low = 0, high;
	struct condor_state r;

	view_state_part(t->view, STATE_CONDOR_JOBS, sizeof(r), &high);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!PART_COPY(t, STATE_CONDOR_JOBS, middle, &r))
			return;
		if (r.row == row)
			break;
		if (r.row < row)
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= high)
		return;
	to->given |= r.given & (2 * CONDOR_PROC - CONDOR_JOB_PRIO);
	to->pre_job_prio1 = r.pre_job_prio1;
	to->pre_job_prio2 = r.pre_job_prio2;
	to->job_prio = r.job_prio;
	to->post_job_prio1 = r.post_job_prio1;
	to->post_job_prio2 = r.post_job_prio2;
	to->cluster = r.cluster;
	to->proc = r.proc;
}

int retell_condor_job(const struct retelling *t, struct scratch *s, uint32_t row, uint32_t class_id, uint32_t ad, struct condor_spec *to)
{
	struct class_state from;

	if (!PART_COPY(t, STATE_CLASSES, class_id, &from))
		return -EPROTO;
	give_name(t, from.accounting_group, CONDOR_ACCOUNTING_GROUP, &to->accounting_group, to);
	give_name(t, from.accounting_group_user, CONDOR_ACCOUNTING_GROUP_USER, &to->accounting_group_user, to);
	give_name(t, from.uid_domain, CONDOR_UID_DOMAIN, &to->uid_domain, to);
	retell_condor_numbers(t, row, to);
	return ad == NONE ? 0 : fill_ad(t, s, ad, to);
}

static int tell_claim(const struct retelling *t, const struct instance_record *slot)
{
	struct claim_record r;
	struct event e;

	if (slot->claim == 0 || !PART_COPY(t, STATE_CLAIMS, slot->claim - 1, &r))
		return 0;
	event_init(&e, EVENT_CLAIM);
	e.claim = (struct claim_event){ .slot = view_string(t->view, slot->name), .submitter = view_string(t->view, r.submitter),
					.weight = r.weight, .since = r.since, .current_rank = r.current_rank,
					.concurrency_limits = retell_text(t, r.limits), .suspended = r.suspended,
					.preempting = retell_text(t, r.preempting), .preempting_rank = r.preempting_rank };
	return retell_tell(t, &e);
}

int retell_slot(const struct retelling *t, struct scratch *s, const struct instance_record *r)
{
	struct event e;
	size_t n;
	int rc;

	event_init(&e, EVENT_SLOT);
	e.slot = (struct slot_event){ .slot = view_string(t->view, r->name), .machine = view_string(t->view, r->machine), .place = r->place };
	e.slot.ad.items = attributes_of(t, s, r->ad, &n);
	e.slot.ad.n = n;
	rc = e.slot.ad.items ? retell_tell(t, &e) : -ENOMEM;
	return rc ? rc : tell_claim(t, r);
}

/* What the accountant knows */

int retell_customer(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct customer_state *r = record;
	struct event e;

	(void)s;
	event_init(&e, EVENT_CUSTOMER);
	e.customer = (struct customer_event){
		.name = view_string(t->view, r->name), .hidden = r->hidden, .waited = r->waited,
		.values = { .rup = r->rup, .factor = r->factor, .is_group = r->is_group, .used = r->used, .weight_used = r->weight_used,
			    .tree_used = r->tree_used, .uncharged = r->uncharged, .weight_uncharged = r->weight_uncharged,
			    .accumulated = r->accumulated, .weight_accumulated = r->weight_accumulated, .begin = r->begin, .last = r->last,
			    .ceiling = r->ceiling, .floor = r->floor } };
	for (int k = 0; k < SETTINGS; k++)
		e.customer.values.leases[k] = (struct lease){ r->lease_until[k], r->lease_before[k] };
	return retell_tell(t, &e);
}
_Static_assert(SETTINGS == sizeof(((struct customer_state *)0)->lease_until) / sizeof(int64_t), "a lease of each setting");

int retell_charged(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct charged_state *r = record;
	struct event e;

	(void)s;
	event_init(&e, EVENT_CHARGED_SLOT);
	e.charge = (struct charge_event){
		.slot = view_string(t->view, r->slot), .customer = view_string(t->view, r->customer),
		.negotiating_group = retell_text(t, r->negotiating_group),
		.values = { .job_number = r->job, .task = r->task, .cpus = r->cpus, .is_ranked = r->is_ranked, .free_of_charge = r->free_of_charge,
			    .autoregroup = r->autoregroup, .ordered = r->ordered, .weight = r->weight, .current_rank = r->current_rank,
			    .since = r->since, .begun = r->begun, .start = r->start, .ended = r->ended, .finished = r->finished } };
	return retell_tell(t, &e);
}

int retell_winner(const struct retelling *t, struct scratch *s, const void *record)
{
	const struct winner_state *r = record;
	struct event e;

	(void)s;
	event_init(&e, EVENT_WINNER);
	e.winner = (struct winner_event){
		.slot = view_string(t->view, r->slot), .customer = view_string(t->view, r->customer),
		.negotiating_group = retell_text(t, r->negotiating_group),
		.values = { .job_number = r->job, .task = r->task, .winner = r->winner, .autoregroup = r->autoregroup, .rank = r->rank,
			    .since = r->since } };
	return retell_tell(t, &e);
}
