/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of shm/readers.h, step by step, for spin: reader processes with a slot, one without, and the writer of
 * shm/generation.c. The names R1 to R5, W1, W2 are those of readers.h. Each statement that is not in an atomic block is
 * one step; between any two of them everybody else may run, and a reader may die (`unless`): what it has stored reaches
 * memory, then the kernel drops its lock, its pin stays, and the next reader may claim the slot or not.
 *
 * Memory is x86's: loads are in order and see memory; stores wait in the process's buffer, in order, and come to memory
 * at any later time; a seq_cst store or fence goes on only when the buffer is empty. The kernel's own changes of pages
 * stand in the writer's buffer, too, since it runs them on the same processor. No pin is read back by who stored it,
 * and the writer knows its own stores by heart, so nobody needs to look into a buffer.
 *
 * A page stands for all of a directory's memory, `data` for its contents: the generation's number, or 0 while it is being refilled.
 *
 *   mixture     a section that ended well has read nothing but its own generation
 *   eviction    who has a slot is told -ESTALE only when this section was evicted; or the one before, when both pinned the same and the
 *               stores of the one before were still in the buffer when this one began
 *   hole        who has a slot touches no page that was given back, evicted or not (it could not be had again: SIGBUS)
 *   progress    the writer finds a directory in every run without waiting, whatever readers do
 *   memory      once all readers are done or dead, two runs later two directories hold pages, and no more
 *
 * -D names one thing to be left out; each must make spin find a violation (tests/system/model.sh).
 */
#ifndef DIRS
#define DIRS 3			/* GENERATIONS; three is the least that keeps a spare one */
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef SLOTTED
#define SLOTTED SLOTS		/* readers that have one */
#endif
#ifndef SLOTLESS
#define SLOTLESS 0		/* readers that have none */
#endif
#ifndef RUNS
#define RUNS 4			/* of the writer, while there are readers */
#endif
#ifndef SECTIONS
#define SECTIONS 2		/* of each reader, all its lives together */
#endif
#ifndef KILLS
#define KILLS 1
#endif

#define READERS (SLOTS + SLOTLESS)
#define DIR(gen) ((gen) % DIRS)
#define CONFIRMED(gen) ((gen) * 2 + 1)
#define UNCONFIRMED(gen) ((gen) * 2)
#define IS_CONFIRMED(pin) ((pin) % 2 == 1)
#define HOLDS(pin, gen) (IS_CONFIRMED(pin) && (pin) / 2 == (gen) || !IS_CONFIRMED(pin) && (pin) && (pin) / 2 <= (gen))

/* ---- memory ----------------------------------------------------------------------------------------------------- */

byte current = 1;		/* header.current; generation 1 is published when all begins */
byte gen[DIRS];			/* directory.gen */
bool shown[DIRS];		/* directory.tables: does it lead to the page? */
byte data[DIRS];		/* the page's contents */
bool hole[DIRS] = true;		/* the page was given back, or was never there */
byte pin[SLOTS];

mtype { CURRENT, GEN, CLEAR, REFILL, FILLED, PUNCH };
chan writer_buffer = [2] of { mtype, byte, byte };
chan reader_buffer[READERS] = [2] of { byte, byte };	/* pin; the section it is of */

mtype { FREE, READER };
mtype lock[READERS] = FREE;	/* of the slot's byte; who has no slot has none, but lives and dies, too */

/* What nobody in the program can see, for the properties. */
byte pin_section[SLOTS];	/* which section stored the pin */
byte told[SLOTS], told_pin[SLOTS];	/* newest section that was evicted */
byte done;			/* readers that will not begin again */
byte kills = KILLS;
bool dying[READERS];

inline writer_apply(what, d, value)
{
	if
	:: what == CURRENT -> current = value
	:: what == GEN -> gen[d] = value
	:: what == CLEAR -> shown[d] = false
	:: what == REFILL -> hole[d] = false; data[d] = 0; shown[d] = true
	:: what == FILLED -> data[d] = value
	:: what == PUNCH -> hole[d] = true; data[d] = 0
	fi
}

active proctype Memory()
{
	mtype what;
	byte d, value;

end:	do
	:: atomic { writer_buffer?what, d, value -> writer_apply(what, d, value); what = 0; d = 0; value = 0 }
	:: atomic { reader_buffer[0]?value, d -> pin[0] = value; pin_section[0] = d; d = 0; value = 0 }
#if SLOTS > 1
	:: atomic { reader_buffer[1]?value, d -> pin[1] = value; pin_section[1] = d; d = 0; value = 0 }
#endif
	od
}

/* ---- reader ----------------------------------------------------------------------------------------------------- */

#define PIN(value) if :: me < SLOTS -> reader_buffer[me]!value, section :: else fi
#define WAS_TOLD (told[me] == section || told[me] + 1 == section && (told_pin[me] == UNCONFIRMED(again) || told_pin[me] == CONFIRMED(g)))
#define DRAINED empty(reader_buffer[me])

proctype Reader(byte me)
{
	byte section, g, again;
	bool leads, mixed, ended_well;

life:
	{
		atomic { lock[me] == FREE -> lock[me] = READER };
		PIN(0);						/* a dead owner's */
		do
		:: section < SECTIONS ->
			atomic { section++; g = current };
			PIN(CONFIRMED(g));			/* R1 */
#ifndef R1_RELAXED
			DRAINED;
#endif
#ifndef R2_LEFT_OUT
			atomic {
				if
				:: current != g -> again = current	/* R2 */
				:: else
				fi
			};
#endif
			if
			:: again ->
				PIN(UNCONFIRMED(again));	/* R3 */
#ifndef R3_RELAXED
				DRAINED;
#endif
#ifdef R4_LEFT_OUT
				g = again;
#else
				g = current;			/* R4 */
#endif
				PIN(CONFIRMED(g))		/* R5 */
			:: else
			fi;
			leads = shown[DIR(g)];
#ifdef UNPINNED_EARLY
			PIN(0);
#endif
			atomic {				/* one load of the page */
				assert(!leads || !hole[DIR(g)] || me >= SLOTS);		/* hole */
				mixed = !leads || data[DIR(g)] != g
			};
			ended_well = gen[DIR(g)] == g;
			atomic {
#ifdef END_UNCHECKED
				assert(!mixed);
#endif
				assert(!(ended_well && mixed));				/* mixture */
				assert(ended_well || me >= SLOTS || WAS_TOLD);		/* eviction */
				leads = false; mixed = false; ended_well = false; g = 0; again = 0
			};
			PIN(0)
		:: break
		od;
		atomic { DRAINED -> lock[me] = FREE; section = 0; done++ }
	} unless {
		atomic { dying[me] && DRAINED ->
			dying[me] = false; lock[me] = FREE;
			g = 0; again = 0; leads = false; mixed = false; ended_well = false
		};
		if
		:: goto life
		:: done++
		fi
	}
}

#define KILL(who) atomic { kills > 0 && lock[who] == READER && !dying[who] -> dying[who] = true; kills-- }

active proctype Killer()
{
end:	do
	:: KILL(0)
#if READERS > 1
	:: KILL(1)
#endif
	od
}

/* ---- writer ----------------------------------------------------------------------------------------------------- */

#define NOTHING 255

/* The table is read slot by slot; what follows from it is worked out in no time. */
inline look()			/* W2 */
{
#ifndef W2_UNFENCED
	empty(writer_buffer);
#endif
	do
	:: atomic { s < SLOTS -> seen[s] = pin[s]; seen_section[s] = pin_section[s]; s++ }
	:: atomic { s == SLOTS -> s = 0; break }
	od
}

/* got: the owner is dead, its pin is gone. One step: while the writer has the lock, nobody can claim, and the dead store nothing. */
inline reap()
{
#if defined(REAP_NOBODY)
	got = false
#elif defined(REAP_THE_LIVING)
	got = true; pin[s] = 0
#else
	got = lock[s] == FREE; pin[s] = (got -> 0 : pin[s])
#endif
}

#define IN_THE_WAY(generation) (HOLDS(seen[s], generation) && seen[s] != evicted[s])

inline readers_busy(generation)
{
	look();
	do
	:: atomic { s < SLOTS && !busy -> if :: IN_THE_WAY(generation) -> reap(); busy = !got; got = false :: else fi; s++ }
	:: atomic { s == SLOTS || busy -> s = 0; break }
	od
}

inline evict()
{
	evicted[s] = seen[s]; told[s] = seen_section[s]; told_pin[s] = seen[s]
}

inline readers_evict(generation)
{
	look();
	do
	:: atomic { s < SLOTS ->
		if
		:: IN_THE_WAY(generation) -> reap(); if :: !got -> evict() :: else fi; got = false
		:: else
		fi;
		s++ }
	:: atomic { s == SLOTS -> s = 0; break }
	od
}

/* An evicted section that was not confirmed may have been confirmed since: the same one for all that anybody knows. */
#ifdef STRAY_FORGOTTEN
#define STILL_IN(s) (seen[s] == evicted[s])
#else
#define STILL_IN(s) (seen[s] == evicted[s] || !IS_CONFIRMED(evicted[s]) && IS_CONFIRMED(seen[s]))
#endif

inline readers_stray()
{
	look();
	do
	:: atomic { s < SLOTS ->
		if
		:: evicted[s] && STILL_IN(s) -> reap(); if :: !got -> evict(); stray = true :: else -> evicted[s] = 0 fi; got = false
		:: else -> evicted[s] = 0
		fi;
		s++ }
	:: atomic { s == SLOTS -> s = 0; break }
	od
}

inline reclaim()		/* segment_reclaim() */
{
	readers_stray();
	do
	:: atomic { d < DIRS ->
		if
		:: idle[d] && !stray -> idle[d] = false; writer_buffer!PUNCH, d, 0
		:: else
		fi;
		d++ }
	:: atomic { d == DIRS -> d = 0; stray = false; break }
	od
}

inline directory_take()
{
	if
	:: busy && gen_of[DIR(next)] < oldest -> oldest = gen_of[DIR(next)]; victim = next
	:: !busy && held[DIR(next)] -> chosen = next
	:: !busy && !held[DIR(next)] && !unused -> unused = next
	:: else
	fi;
	busy = false; next++
}

inline number_choose()
{
	atomic { next = now + 1; oldest = 255 };
	do
	:: atomic { next <= now + DIRS && !chosen && gen_of[DIR(next)] == now -> next++ }
	:: atomic { next <= now + DIRS && !chosen && !gen_of[DIR(next)] -> directory_take() }
	:: next <= now + DIRS && !chosen && gen_of[DIR(next)] && gen_of[DIR(next)] != now ->
		readers_busy(gen_of[DIR(next)]);
		atomic { directory_take() }
	:: atomic { next > now + DIRS || chosen -> break }
	od;
	atomic { chosen = (chosen -> chosen : unused); next = 0; unused = 0 };
	if
	:: !chosen ->
#ifndef EVICT_NOBODY
		readers_evict(oldest);
		chosen = victim
#endif
	:: else
	fi;
	atomic { assert(chosen); victim = 0; oldest = 0 }			/* progress */
}

inline directory_clear(which)
{
#ifndef GEN_LEFT
	writer_buffer!GEN, which, 0;
#endif
	gen_of[which] = 0;
	writer_buffer!CLEAR, which, 0
}

#define SPARE (d < DIRS && d != DIR(chosen) && gen_of[d] != now && held[d])

inline spare_free()
{
	do
	:: atomic { d < DIRS && !SPARE -> d++ }
	:: SPARE ->
		if
		:: gen_of[d] -> readers_busy(gen_of[d])
		:: else
		fi;
		if
		:: !busy -> directory_clear(d); atomic { held[d] = false; idle[d] = true }
		:: else
		fi;
		atomic { busy = false; d++ }
	:: atomic { d == DIRS -> d = 0; break }
	od
}

inline publish()		/* generation_begin() to generation_publish() */
{
	reclaim();
	number_choose();
	spare_free();
	reclaim();
	directory_clear(DIR(chosen));
	atomic { held[DIR(chosen)] = true; idle[DIR(chosen)] = false };
	writer_buffer!REFILL, DIR(chosen), 0;
	writer_buffer!FILLED, DIR(chosen), chosen;
	writer_buffer!GEN, DIR(chosen), chosen;
	writer_buffer!CURRENT, 0, chosen;				/* W1 */
#ifndef W2_UNFENCED
	empty(writer_buffer);
#endif
	atomic { gen_of[DIR(chosen)] = chosen; now = chosen; chosen = 0 }
}

#define PAGES (!hole[0] + !hole[1] + !hole[2])

active proctype Writer()
{
	byte round, now = 1;		/* now: its own knowledge of `current`, */
	byte gen_of[DIRS];		/* and of `gen` */
	bool held[DIRS], idle[DIRS];	/* directory's page: in use by it; free but not given back yet */
	byte seen[SLOTS], seen_section[SLOTS], evicted[SLOTS];
	bool busy, stray, got;
	byte d, s, next, chosen, unused, victim, oldest;

	atomic {
		gen[DIR(1)] = 1; gen_of[DIR(1)] = 1; shown[DIR(1)] = true; data[DIR(1)] = 1; hole[DIR(1)] = false; held[DIR(1)] = true;
		s = SLOTS - SLOTTED;
		do
		:: s < READERS -> run Reader(s); s++
		:: else -> s = 0; break
		od
	};
	do
	:: round < RUNS -> publish(); round++
	:: else -> break
	od;
	done == SLOTTED + SLOTLESS;
	round = 0;
	do						/* two more, alone */
	:: round < 2 -> publish(); round++
	:: else -> break
	od;
	reclaim();
	atomic { empty(writer_buffer) -> assert(PAGES <= 2) }		/* memory */
}
