/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ads of slots. The reported ad of a slot is used unchanged if nothing is taken out of the slot.
 * The ad of a partitionable slot has what is left, and the ad of each piece has what its task
 * takes. These attributes are added to the reported ad. An instance without a reported ad is a
 * partitionable slot, whose ad is made of Grid Engine's facts. An ad stays the same object as long
 * as its attributes do not change.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/policy/userprio/inside.h"

#define OWN_MADE (1ull << 63)		/* flag in the numbers of ads made here, not reported */

static int set_number(struct classad *ad, const char *name, double number)
{
	struct classad_value value = { .type = CLASSAD_REAL, .real = number };

	if (number == trunc(number) && fabs(number) < 0x1p53) {
		value.type = CLASSAD_INT;
		value.integer = (int64_t)number;
	}
	return classad_set_value(ad, name, &value);
}

static int set_text(struct classad *ad, const char *name, const char *text)
{
	const struct classad_value value = { .type = CLASSAD_STRING, .text = text, .bytes = strlen(text) };

	return classad_set_value(ad, name, &value);
}

static int set_truth(struct classad *ad, const char *name, bool truth)
{
	const struct classad_value value = { .type = CLASSAD_BOOL, .truth = truth };

	return classad_set_value(ad, name, &value);
}

static double number_of(struct userprio_cell *cell, const struct classad *my, const struct classad *target,
			const char *name)
{
	struct classad_value value;
	double number;

	classad_attribute(&(struct classad_pair){ my, target }, name, &cell->room, &value);
	if (!classad_number(&value, &number) || !isfinite(number))
		number = 0.0;
	classad_room_reset(&cell->room);
	return number;
}

/* Return the resources that a task takes, as its job requests them from the slot. */
struct taken slot_ad_taken(struct userprio_cell *cell, const struct classad *job, const struct classad *slot,
			   double cpus)
{
	return (struct taken){ .cpus = cpus,
			       .memory = fmax(number_of(cell, job, slot, "RequestMemory"), 0.0),
			       .disk = fmax(number_of(cell, job, slot, "RequestDisk"), 0.0),
			       .gpus = fmax(number_of(cell, job, slot, "RequestGPUs"), 0.0) };
}

/* Reported ads */

/* Compute the values that depend only on the reported ad, once for each ad. */
static void base_look(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance)
{
	static const char *const looks_at_jobs[] = { "Requirements", "Rank", "MaxJobRetirementTime" };
	struct classad_value value;

	if (ad->base == instance->made)
		return;
	for (size_t k = 0; k < sizeof(looks_at_jobs) / sizeof(*looks_at_jobs); k++)
		ad_classes_ask(&cell->classes, classad_find(instance->ad, looks_at_jobs[k]));
	classad_attribute(&(struct classad_pair){ .my = instance->ad }, "PartitionableSlot", &cell->room, &value);
	ad->partitionable = value.type == CLASSAD_BOOL && value.truth;
	classad_room_reset(&cell->room);
	ad->weight = slot_weight(cell->conf, instance->ad, &cell->room);
	classad_room_reset(&cell->room);
	ad->base = instance->made;
}

bool slot_ad_is_partitionable(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance)
{
	base_look(cell, ad, instance);
	return ad->partitionable;
}

static void ad_drop(struct slot_ad *ad)
{
	classad_free(ad->ad);
	ad->ad = NULL;
	memset(&ad->saying, 0, sizeof(ad->saying));
}

/* Return whether the ad made here has exactly the attributes of `saying`. */
static bool is_same(const struct slot_ad *ad, const struct slot_saying *saying)
{
	return ad->ad && memcmp(&ad->saying, saying, sizeof(*saying)) == 0;
}

static int ad_begin(struct userprio_cell *cell, struct slot_ad *ad, const struct slot_saying *saying,
		    const struct classad *base)
{
	ad_drop(ad);
	ad->ad = classad_create();
	if (!ad->ad)
		return -ENOMEM;
	ad->saying = *saying;
	ad->made = OWN_MADE | ++cell->slots.made;
	classad_set_base(ad->ad, base);
	return 0;
}

static int ad_end(struct userprio_cell *cell, struct slot_ad *ad, int rc)
{
	if (rc) {
		ad_drop(ad);
		return -ENOMEM;
	}
	ad->weight = slot_weight(cell->conf, ad->ad, &cell->room);
	classad_room_reset(&cell->room);
	return 0;
}

/* Set an amount that is left. An attribute that the reported ad does not have stays undefined. */
static int set_left(struct userprio_cell *cell, struct classad *ad, const struct classad *base, const char *name,
		    double left)
{
	(void)cell;
	return base && !classad_find(base, name) ? 0 : set_number(ad, name, fmax(left, 0.0));
}

static struct slot_saying saying_left(struct userprio_cell *cell, const struct instance *instance,
				      const struct taken *taken)
{
	struct slot_saying saying;

	memset(&saying, 0, sizeof(saying));
	saying.base = instance->made;
	saying.cpus = number_of(cell, instance->ad, NULL, "Cpus") - taken->cpus;
	saying.memory = number_of(cell, instance->ad, NULL, "Memory") - taken->memory;
	saying.disk = number_of(cell, instance->ad, NULL, "Disk") - taken->disk;
	saying.gpus = number_of(cell, instance->ad, NULL, "GPUs") - taken->gpus;
	return saying;
}

static int left_make(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance,
		     const struct taken *taken)
{
	const struct slot_saying saying = saying_left(cell, instance, taken);
	int rc;

	if (is_same(ad, &saying))
		return 0;
	rc = ad_begin(cell, ad, &saying, instance->ad);
	if (rc == 0)
		rc = set_left(cell, ad->ad, instance->ad, "Cpus", saying.cpus);
	if (rc == 0)
		rc = set_left(cell, ad->ad, instance->ad, "Memory", saying.memory);
	if (rc == 0)
		rc = set_left(cell, ad->ad, instance->ad, "Disk", saying.disk);
	return ad_end(cell, ad, rc ? rc : set_left(cell, ad->ad, instance->ad, "GPUs", saying.gpus));
}

static int retiring_make(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance,
			 int64_t retirement)
{
	struct slot_saying saying;
	int rc;

	memset(&saying, 0, sizeof(saying));
	saying.base = instance->made;
	saying.retirement = retirement;
	if (is_same(ad, &saying))
		return 0;
	rc = ad_begin(cell, ad, &saying, instance->ad);
	return ad_end(cell, ad, rc ? rc : set_number(ad->ad, "RetirementTimeRemaining", (double)retirement));
}

int slot_ad_reported(struct userprio_cell *cell, struct slot_ad *ad, const struct instance *instance,
		 const struct taken *taken, int64_t retirement)
{
	base_look(cell, ad, instance);
	if (taken->cpus > 0.0)
		return left_make(cell, ad, instance, taken);
	if (retirement > 0)
		return retiring_make(cell, ad, instance, retirement);
	if (ad->ad) {
		ad_drop(ad);
		ad->base = 0;		/* the weight is that of the reported ad again */
		base_look(cell, ad, instance);
	}
	ad->made = instance->made;
	return 0;
}

/* Pieces */

static int piece_fill(struct classad *ad, const char *name, uint32_t number, const struct slot_saying *saying)
{
	char text[512];
	const char *at = strchr(name, '@');
	int rc;

	snprintf(text, sizeof(text), "%.*s_%u%s", (int)(at ? at - name : (long)strlen(name)), name, number,
		 at ? at : "");
	rc = set_text(ad, "Name", text);
	if (rc == 0)
		rc = set_truth(ad, "PartitionableSlot", false);
	if (rc == 0)
		rc = set_truth(ad, "DynamicSlot", true);
	if (rc == 0)
		rc = set_number(ad, "Cpus", saying->cpus);
	if (rc == 0)
		rc = set_number(ad, "Memory", saying->memory);
	if (rc == 0)
		rc = set_number(ad, "Disk", saying->disk);
	if (rc == 0)
		rc = set_number(ad, "GPUs", saying->gpus);
	return rc || saying->retirement == 0 ? rc
					     : set_number(ad, "RetirementTimeRemaining", (double)saying->retirement);
}

/*
 * Make the ad of a piece. `base`: ad of the whole slot, reported or made of Grid Engine's facts;
 * `base_made` is its number.
 */
int slot_ad_piece(struct userprio_cell *cell, struct slot_ad *ad, const struct slot_piece *piece,
		  const struct classad *base, uint64_t base_made)
{
	struct slot_saying saying;
	int rc;

	memset(&saying, 0, sizeof(saying));
	saying.base = base_made;
	saying.facts = piece->number;
	saying.cpus = piece->taken.cpus;
	saying.memory = piece->taken.memory;
	saying.disk = piece->taken.disk;
	saying.gpus = piece->taken.gpus;
	saying.retirement = piece->retirement;
	if (is_same(ad, &saying))
		return 0;
	rc = ad_begin(cell, ad, &saying, base);
	return ad_end(cell, ad, rc ? rc : piece_fill(ad->ad, piece->slot, piece->number, &saying));
}

/* Grid Engine's facts */

struct facts_taken {				/* facts of an instance */
	struct classad *ad;		/* NULL: only compute the hash */
	uint64_t hash;
	double slots;			/* slots left */
};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ull;
	return hash;
}

static bool is_attribute(const char *name)
{
	return (isalpha((unsigned char)*name) || *name == '_') && strlen(name) <= 100 &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

/* Convert an architecture name, such as "lx-amd64" to X86_64. Unknown names stay unchanged. */
static const char *arch_of(const char *arch)
{
	static const char *const names[][2] = {
		{ "lx-amd64", "X86_64" }, { "lx-x86", "INTEL" }, { "lx-arm64", "aarch64" }, { "lx-ppc64le", "ppc64le" },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (strcmp(arch, names[k][0]) == 0)
			return names[k][1];
	return arch;
}

/* Set the attribute with HTCondor's name of a fact. */
static int fact_in_other_words(struct classad *ad, const struct place_fact *fact)
{
	if (strcmp(fact->name, "slots") == 0)
		return set_number(ad, "Cpus", fmax(fact->left, 0.0)) || set_number(ad, "TotalSlotCpus", fact->total)
			       ? -ENOMEM
			       : 0;
	if (strcmp(fact->name, "num_proc") == 0 && !fact->text)
		return set_number(ad, "TotalCpus", fact->total);
	if (strcmp(fact->name, "mem_total") == 0 && !fact->text)
		return set_number(ad, "TotalMemory", trunc(fact->total / 0x1p20));
	if (strcmp(fact->name, "arch") == 0 && fact->text)
		return set_text(ad, "Arch", arch_of(fact->text));
	if (strcmp(fact->name, "load_avg") == 0 && !fact->text)
		return set_number(ad, "LoadAvg", fact->total);
	return 0;
}

static int fact_take(void *context, const struct place_fact *fact)
{
	struct facts_taken *facts = context;

	if (strcmp(fact->name, "slots") == 0)
		facts->slots = fact->left;
	if (!facts->ad) {
		facts->hash = hash_bytes(facts->hash, fact->name, strlen(fact->name) + 1);
		if (fact->text)
			facts->hash = hash_bytes(facts->hash, fact->text, strlen(fact->text) + 1);
		else
			facts->hash = hash_bytes(facts->hash, &fact->left, sizeof(fact->left));
		return 0;
	}
	if (fact_in_other_words(facts->ad, fact))
		return -ENOMEM;
	/* attribute names ignore case: arch is Arch */
	if (!is_attribute(fact->name) || strcmp(fact->name, "slots") == 0 || strcmp(fact->name, "arch") == 0)
		return 0;
	return fact->text ? set_text(facts->ad, fact->name, fact->text) : set_number(facts->ad, fact->name, fact->left);
}

static int names_fill(struct userprio_cell *cell, struct classad *ad, const char *name)
{
	const char *host = strchr(name, '@');
	char queue[256];
	struct error error;
	int rc = set_text(ad, "Name", name);

	snprintf(queue, sizeof(queue), "%.*s", (int)(host ? host - name : (long)strlen(name)), name);
	if (rc == 0)
		rc = set_text(ad, "Machine", host ? host + 1 : name);
	if (rc == 0)
		rc = set_text(ad, "qname", queue);
	if (rc == 0)
		rc = set_text(ad, "OpSys", "LINUX");
	if (rc == 0)
		rc = set_number(ad, "SlotID", 1);
	if (rc == 0)
		rc = set_truth(ad, "PartitionableSlot", true);
	if (rc == 0)
		rc = set_text(ad, "SlotType", "Partitionable");
	if (rc == 0 && cell->conf->start.text)
		rc = classad_set(ad, "Requirements", cell->conf->start.text, &error);
	return rc == 0 && cell->conf->rank.text ? classad_set(ad, "Rank", cell->conf->rank.text, &error) : rc;
}

int slot_ad_gridengine(struct userprio_cell *cell, struct slot_ad *ad, const struct places *places, uint32_t instance,
		       const char *name, double memory_taken)
{
	struct facts_taken facts = { .hash = 0xcbf29ce484222325ull };
	struct slot_saying saying;
	int rc = places->facts(places->self, instance, fact_take, &facts);

	memset(&saying, 0, sizeof(saying));
	saying.facts = facts.hash;
	saying.cpus = facts.slots;
	saying.memory = memory_taken;
	ad->partitionable = true;
	if (rc == 0 && is_same(ad, &saying))
		return 0;
	rc = rc ? rc : ad_begin(cell, ad, &saying, NULL);
	if (rc)
		return rc;
	facts.ad = ad->ad;
	rc = names_fill(cell, ad->ad, name);
	if (rc == 0)
		rc = places->facts(places->self, instance, fact_take, &facts);
	if (rc == 0 && classad_find(ad->ad, "TotalMemory"))
		rc = set_number(ad->ad, "Memory",
				fmax(number_of(cell, ad->ad, NULL, "TotalMemory") - memory_taken, 0.0));
	return ad_end(cell, ad, rc);
}

/* Return the weight of a number of slots of an instance. */
double slot_ad_weight(struct userprio_cell *cell, const struct classad *base, double cpus)
{
	struct classad *ad = cell->conf->use_slot_weights ? classad_create() : NULL;
	double weight = cell->conf->use_slot_weights ? cpus : 1.0;

	if (ad && set_number(ad, "Cpus", cpus) == 0) {
		classad_set_base(ad, base);
		weight = slot_weight(cell->conf, ad, &cell->room);
		classad_room_reset(&cell->room);
	}
	classad_free(ad);
	return weight;
}
