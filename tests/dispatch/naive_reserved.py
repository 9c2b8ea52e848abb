# SPDX-License-Identifier: Apache-2.0
"""Advance reservations: what is kept for the jobs that were submitted into them, and from all others.  qrsub(1)."""

RUNNING, IN_ERROR = 2, 5


class Inside:
    """The part of one instance that an advance reservation holds. Its jobs see only this part as the instance."""

    def __init__(self, ar, row, name_of):
        self.name, self.host = (ar, row["QU_full_name"]), None
        self.values = {"qname": row["QU_qname"], "hostname": row["QU_qhostname"]}
        self.values.update({k[3:]: v for k, v in row.items() if k[:5] in ("QU_s_", "QU_h_")})
        self.reserved = {name_of(c["CE_name"]): c["CE_doubleval"] for c in row["QU_consumable_config_list"]}
        self.values.update({name: repr(amount) for name, amount in self.reserved.items()})


class AdvanceReservation:
    """Take the resources of a job with the same requests, with defaults, but nothing from quotas."""

    def __init__(self, row, name_of):
        self.name, self.begin, self.end = row["AR_name"], row["AR_start_time"], row["AR_end_time"]
        self.running = row["AR_state"] == RUNNING or row["AR_state"] == IN_ERROR and not row["AR_error_handling"]
        self.pe = row.get("AR_granted_pe")
        self.inside = {q["QU_full_name"]: Inside(self.name, q, name_of) for q in row["AR_reserved_queues"]}
        self.slots = {g["JG_qname"]: g["JG_slots"] for g in row["AR_granted_slots"]}
        self.requests = {name_of(c["CE_name"]): c["CE_stringval"] for c in row.get("AR_resource_list") or ()}
