/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/schemes.h"

#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>
#include <urcu/static/urcu-memb.h>
#include <urcu/static/urcu-qsbr.h>

static int nothing_enter(struct reader *reader)
{
	(void)reader;
	return 0;
}

static void nothing_leave(struct reader *reader)
{
	(void)reader;
}

static int attach_enter(struct reader *reader)
{
	int err = attach_open(&reader->a, reader->cell, 0);

	if (!err && !reader->a.readers.slot) {
		attach_close(&reader->a);
		err = -EAGAIN;
	}
	return err;
}

static int slotless_enter(struct reader *reader)
{
	int err = attach_open(&reader->a, reader->cell, 0);

	if (!err)
		readers_close(&reader->a.readers);
	return err;
}

static void attach_leave(struct reader *reader)
{
	attach_close(&reader->a);
}

static uint64_t plain_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;

	while (sections--)
		sum += LOAD_ONCE(reader->shared->word);
	return sum;
}

static uint64_t fairlead_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;
	struct view view;

	while (sections--) {
		attach_begin(&reader->a, &view);
		sum += LOAD_ONCE(records_run(&view)->run);
		sum += (uint64_t)attach_end(&reader->a, &view);
	}
	return sum;
}

/*
 * section_begin() with R1 ordered by the writer's membarrier(2) instead. Every reader must be
 * registered with the kernel.
 */
static uint64_t membarrier_read(struct reader *reader, unsigned long sections)
{
	const struct segment_header *header = reader->a.header;
	struct reader_slot *slot = reader->a.readers.slot;
	uint64_t sum = 0;

	while (sections--) {
		uint64_t g = atomic_load_explicit(&header->current, memory_order_relaxed);

		atomic_store_explicit(&slot->pin, g << 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		g = atomic_load_explicit(&header->current, memory_order_acquire);
		atomic_store_explicit(&slot->pin, g << 1 | 1, memory_order_release);
		struct view view = { .base = (const uint8_t *)header, .file_bytes = reader->a.file_bytes, .gen = g };

		view.directory = (const struct generation *)(view.base + PAGE_BYTES) + g % GENERATIONS;
		sum += LOAD_ONCE(records_run(&view)->run);
		sum += (uint64_t)section_end(&view, slot);
	}
	return sum;
}

static uint64_t rwlock_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;

	while (sections--) {
		pthread_rwlock_rdlock(&reader->shared->rwlock);
		sum += LOAD_ONCE(reader->shared->word);
		pthread_rwlock_unlock(&reader->shared->rwlock);
	}
	return sum;
}

static uint64_t seqlock_read(struct reader *reader, unsigned long sections)
{
	uint64_t copy[RECORD_WORDS], sum = 0;
	uint32_t seq;

	while (sections--) {
		do {
			seq = atomic_load_explicit(&reader->shared->seq, memory_order_acquire);
			view_copy(copy, reader->shared->record, sizeof(copy));
			/* force all words to be read */
			__asm__ volatile("" :: "r"(copy) : "memory");
			atomic_thread_fence(memory_order_acquire);
		} while (seq & 1 || atomic_load_explicit(&reader->shared->seq, memory_order_relaxed) != seq);
		sum += copy[0];
	}
	return sum;
}

static int memb_enter(struct reader *reader)
{
	(void)reader;
	urcu_memb_register_thread();
	return 0;
}

static void memb_leave(struct reader *reader)
{
	(void)reader;
	urcu_memb_unregister_thread();
}

static uint64_t memb_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;

	while (sections--) {
		_urcu_memb_read_lock();
		sum += LOAD_ONCE(*rcu_dereference(reader->shared->pointer));
		_urcu_memb_read_unlock();
	}
	return sum;
}

static uint64_t memb_call_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;

	while (sections--) {
		urcu_memb_read_lock();
		sum += LOAD_ONCE(*rcu_dereference(reader->shared->pointer));
		urcu_memb_read_unlock();
	}
	return sum;
}

static int qsbr_enter(struct reader *reader)
{
	(void)reader;
	urcu_qsbr_register_thread();
	return 0;
}

static void qsbr_leave(struct reader *reader)
{
	(void)reader;
	urcu_qsbr_unregister_thread();
}

/* Announce a quiescent state after each section, which corresponds to the end of a section here. */
static uint64_t qsbr_read(struct reader *reader, unsigned long sections)
{
	uint64_t sum = 0;

	while (sections--) {
		_urcu_qsbr_read_lock();
		sum += LOAD_ONCE(*rcu_dereference(reader->shared->pointer));
		_urcu_qsbr_read_unlock();
		_urcu_qsbr_quiescent_state();
	}
	return sum;
}

const struct scheme schemes[SCHEMES] = {
	[FAIRLEAD] = { "fairlead", false, attach_enter, fairlead_read, attach_leave },
	[MEMB] = { "liburcu-memb", true, memb_enter, memb_read, memb_leave },
	[MEMB_CALL] = { "liburcu-memb-call", true, memb_enter, memb_call_read, memb_leave },
	[QSBR] = { "liburcu-qsbr", true, qsbr_enter, qsbr_read, qsbr_leave },
	[MEMBARRIER] = { "slot-membarrier", false, attach_enter, membarrier_read, attach_leave },
	[VALIDATION] = { "validation-only", false, slotless_enter, fairlead_read, attach_leave },
	[RWLOCK] = { "rwlock", false, nothing_enter, rwlock_read, nothing_leave },
	[SEQLOCK] = { "seqlock-64", false, nothing_enter, seqlock_read, nothing_leave },
	[PLAIN] = { "plain-load", false, nothing_enter, plain_read, nothing_leave },
};
