/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/negotiation/negotiation.h"

double slot_weight(const struct condor_conf *conf, const struct classad *ad, struct classad_room *room)
{
	struct classad_pair pair = { .my = ad };
	struct classad_value value = { .type = CLASSAD_UNDEFINED };
	double weight;

	if (!conf->use_slot_weights)
		return 1;
	classad_room_reset(room);
	if (!conf->force_slot_weight && classad_find(ad, "SlotWeight"))
		classad_attribute(&pair, "SlotWeight", room, &value);
	else if (conf->slot_weight.program)
		classad_evaluate(conf->slot_weight.program, &pair, room, &value);
	return classad_number(&value, &weight) && isfinite(weight) && weight >= 0 ? weight : 1;
}
