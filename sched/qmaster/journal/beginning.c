/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/journal/beginning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"
#include "sched/parts.h"
#include "sched/process/clock.h"
#include "sched/process/json.h"
#include "sched/qmaster/json/order.h"

/* Files */

/*
 * Return whether JSON can represent the text. utf8_length() refuses line ends, but they are
 * allowed.
 */
static bool is_text(const char *text)
{
	while (*text) {
		size_t n = *text == '\n' || *text == '\r' ? 1 : utf8_length(text);

		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

/* Write text without the quotes around it. Room is made byte by byte. */
static void write_escaped(struct out *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *room = out_room(out, 8);

		if (text[i] == '"' || text[i] == '\\')
			*room++ = '\\';
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			room += sprintf(room, "\\u%04x", (unsigned)(unsigned char)text[i]);
		else
			*room++ = text[i];
		out_take(out, room);
	}
}

/* Write each byte as the character with its number. The member has another name than for text. */
static void write_bytes(struct out *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char two[2] = { (char)(0xc0 | bytes[i] >> 6), (char)(0x80 | (bytes[i] & 0x3f)) };

		write_escaped(out, bytes[i] < 0x80 ? (const char *)&bytes[i] : two, bytes[i] < 0x80 ? 1 : 2);
	}
}

static void write_piece(struct out *out, const char *name, const char *text, size_t n, bool as_text)
{
	json_write_string(out, "{\"file\":", name);
	json_write_literal(out, as_text ? ",\"text\":\"" : ",\"bytes\":\"");
	if (as_text)
		write_escaped(out, text, n);
	else
		write_bytes(out, (const unsigned char *)text, n);
	json_write_literal(out, "\"}\n");
}

/* Return the length of the next piece, which does not end within a character. */
static size_t piece_bytes(const char *text, size_t n, bool as_text)
{
	size_t some = n < FILE_PIECE_BYTES ? n : FILE_PIECE_BYTES;

	while (as_text && some < n && some > 0 && ((unsigned char)text[some] & 0xc0) == 0x80)
		some--;
	return some;
}

void beginning_files(struct out *out, const struct cell_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const char *text = files->items[i].text;
		size_t n = strlen(text);
		bool as_text = is_text(text);

		do {
			size_t some = piece_bytes(text, n, as_text);

			write_piece(out, files->items[i].name, text, some, as_text);
			text += some;
			n -= some;
		} while (n > 0);
	}
}

/* Places */

/* Return the k-th pool with places. NULL: there are no more. */
static struct pool *pool_of(const struct sched *sched, unsigned k)
{
	struct policy *policy = sched->policies.in_force;

	if (k == 0)
		return mirror_task_pool(&sched->mirror);
	return policy->kind->places ? policy->kind->places(policy, k - 1) : NULL;
}

int places_take(struct free_places *places, const struct sched *sched)
{
	for (unsigned k = 0; k < PLACES_POOLS; k++) {
		const struct pool *pool = pool_of(sched, k);
		struct pool_places *to = &places->of[k];

		if (pool && pool->nfree > to->capacity) {
			if (array_grow(&to->free_ids, pool->nfree, sizeof(*to->free_ids)))
				return -ENOMEM;
			to->capacity = pool->nfree;
		}
		to->n = pool ? pool->n : 0;
		to->nfree = pool ? pool->nfree : 0;
		if (to->nfree > 0)
			memcpy(to->free_ids, pool->free_ids, to->nfree * sizeof(*to->free_ids));
	}
	return 0;
}

int places_arrange(const struct free_places *places, const struct sched *sched)
{
	int rc = 0;

	for (unsigned k = 0; rc == 0 && k < PLACES_POOLS; k++) {
		struct pool *pool = pool_of(sched, k);

		if (pool)
			rc = pool_arrange(pool, places->of[k].n, places->of[k].free_ids, places->of[k].nfree);
	}
	return rc;
}

void places_free(struct free_places *places)
{
	for (unsigned k = 0; k < PLACES_POOLS; k++)
		free(places->of[k].free_ids);
	*places = (struct free_places){ 0 };
}

static void write_places(struct out *out, const struct pool_places *pool_places, unsigned k)
{
	size_t i = 0;

	do {
		json_write_number(out, "{\"places\":", (int64_t)pool_places->n);
		json_write_number(out, ",\"of\":", k);
		json_write_literal(out, ",\"free\":[");
		for (size_t end = i + IN_LINE; i < pool_places->nfree && i < end; i++)
			json_write_number(out, i % IN_LINE ? "," : "", pool_places->free_ids[i]);
		json_write_literal(out, "]}\n");
	} while (i < pool_places->nfree);
}

/* The whole beginning */

static void write_kept(struct out *out, const struct beginning *beginning)
{
	const struct orders *orders = &beginning->sched->orders;
	size_t n = 0;

	for (const struct order *order = orders_after(orders, 0); order && order->number <= beginning->last_order;
	     order = orders_after(orders, order->number)) {
		json_write_number(out,
				  n % IN_LINE ? ",["
				  : n	      ? "]}\n{\"keeps\":[["
					      : "{\"keeps\":[[",
				  (int64_t)order->number);
		json_write_number(out, ",", order->job_number);
		json_write_number(out, ",", order->task);
		json_write_number(out, ",", order->bytes);
		json_write_literal(out, "]");
		n++;
	}
	json_write_literal(out, n ? "]}\n" : "");
}

void beginning_write(struct out *out, const struct beginning *beginning)
{
	const struct sched *sched = beginning->sched;
	const struct ledger *ledger = mirror_ledger(&sched->mirror);

	json_write_number(out, "{\"journal\":", JOURNAL_FORM);
	json_write_string(out, ",\"fairlead\":", FAIRLEAD_VERSION);
	json_write_string(out, ",\"cell\":", sched->cell->dir);
	json_write_number(out, ",\"time\":", clock_date());
	json_write_number(out, ",\"run\":", (int64_t)beginning->run);
	json_write_number(out, ",\"last_order\":", (int64_t)beginning->last_order);
	json_write_number(out, ",\"orders_refused\":", (int64_t)sched->orders.refused);
	json_write_bool(out,
			",\"line_limits\":", sched->orders.limits.instance_bytes == order_line_limits.instance_bytes);
	json_write_bool(out, ",\"ledger\":", ledger != NULL);
	json_write_bool(out, ",\"ends_asked\":", ledger && ledger->calls.ended);
	if (*beginning->gap)
		json_write_string(out, ",\"gap\":", beginning->gap);
	json_write_number(out, ",\"lost_events\":", (int64_t)beginning->lost);
	json_write_literal(out, "}\n");
	beginning_files(out, &sched->cell->files);
	write_kept(out, beginning);
	for (unsigned k = 0; k < PLACES_POOLS; k++)
		if (beginning->places->of[k].n > 0)
			write_places(out, &beginning->places->of[k], k);
}
