/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/classad/regexp.h"

struct alive {			/* states that are active before a byte */
	uint16_t items[REGEXP_STATES_MOST];
	uint32_t n;
};

struct matcher {
	const struct regexp *p;
	const char *text;
	size_t bytes;
	/* index of the byte, from 1, at which a state was last reached */
	uint32_t seen[REGEXP_STATES_MOST];
	uint16_t stack[REGEXP_STATES_MOST];
	size_t steps;
	bool found;
};

bool regexp_place_holds(enum regexp_kind kind, const char *text, size_t bytes, size_t at)
{
	bool before = at > 0 && is_word((unsigned char)text[at - 1]),
	     base = at < bytes && is_word((unsigned char)text[at]);

	switch (kind) {
	case STATE_TEXT_BEGIN:
		return at == 0;
	case STATE_TEXT_END:
		return at == bytes;
	case STATE_LAST_END:
		return at == bytes || (at + 1 == bytes && text[at] == '\n');
	case STATE_LINE_BEGIN:
		return at == 0 || (text[at - 1] == '\n' && at < bytes);
	case STATE_LINE_END:
		return at == bytes || text[at] == '\n';
	case STATE_WORD:
		return before != base;
	default:
		return before == base;
	}
}

/*
 * Activate `state` and all states that can be reached from it without a byte. A state is on the
 * stack at most once.
 */
static void reach(struct matcher *m, struct alive *alive, uint16_t state, size_t at)
{
	const struct regexp_state *states = states_of(m->p);
	uint32_t n = 0;

#define REACH(STATE)						\
	do {							\
		if (m->seen[STATE] != at + 1) {			\
			m->seen[STATE] = (uint32_t)at + 1;	\
			m->stack[n++] = (STATE);		\
		}						\
	} while (0)

	REACH(state);
	while (n > 0) {
		uint16_t i = m->stack[--n];
		const struct regexp_state *regexp_state = &states[i];

		m->steps++;
		if (regexp_state->kind == STATE_SET) {
			alive->items[alive->n++] = i;
		} else if (regexp_state->kind == STATE_FOUND) {
			m->found = true;
		} else if (regexp_state->kind == STATE_SPLIT) {
			REACH(regexp_state->first);
			REACH(regexp_state->second);
		} else if (regexp_state->kind == STATE_JUMP) {
			REACH(regexp_state->first);
		} else if (regexp_place_holds(regexp_state->kind, m->text, m->bytes, at)) {
			REACH((uint16_t)(i + 1));
		}
	}
#undef REACH
}

static void step(struct matcher *matcher, const struct alive *from, struct alive *to, size_t at)
{
	const struct regexp_state *states = states_of(matcher->p);

	to->n = 0;
	for (uint32_t i = 0; i < from->n; i++)
		if (set_has(&matcher->p->sets[states[from->items[i]].first], (unsigned char)matcher->text[at]))
			reach(matcher, to, (uint16_t)(from->items[i] + 1), at + 1);
	matcher->steps += from->n;
}

struct classad_value regexp_match(const struct regexp *regexp, const char *text, size_t bytes,
				  struct classad_room *room)
{
	struct matcher matcher;
	struct alive walks[2];
	bool too_long = false;

	matcher.p = regexp;
	matcher.text = text;
	matcher.bytes = bytes;
	matcher.steps = 0;
	matcher.found = false;
	memset(matcher.seen, 0, regexp->nstates * sizeof(*matcher.seen));
	walks[0].n = 0;
	for (size_t at = 0; !matcher.found && !too_long; at++) {
		struct alive *here = &walks[at & 1], *next = &walks[!(at & 1)];

		if (at == 0 || !regexp->anchored)
			reach(&matcher, here, 0, at);
		if (matcher.found || at == bytes || (regexp->anchored && here->n == 0))
			break;
		step(&matcher, here, next, at);
		if (matcher.steps >= 4096) {
			too_long = room_spend(room, matcher.steps / 8);
			matcher.steps = 0;
		}
	}
	return room_spend(room, matcher.steps / 8) || too_long ? ERROR : TRUTH(matcher.found);
}
