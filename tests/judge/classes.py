# SPDX-License-Identifier: Apache-2.0
"""Classes of random cells: which features a cell of the class has, each always (1) or with this probability.

    access       access lists and projects of queues, hosts and PEs        arrays     -t and -tc
    ar           advance reservations and jobs inside them                 calendars  off and suspended, now and later
    adjust       job_load_adjustments, corrections of what has started     consumables  of all levels; JOB and forced ones
    excl         exclusive use of hosts and queues                         float      consumables that are no whole numbers
    formulas     load formulas, load_scaling                               hostgroups groups in groups, values by group, ambiguous ones
    holds        -h, -a, -dl, -hold_jid, -hold_jid_ad                      limits     maxujobs, max_aj_instances
    masterq      -masterq                                                  pe         parallel environments, ranges
    places       -q                                                        priorities tickets, urgencies, waiting time, deadlines
    quotas       resource quota sets                                       reserve    -R y, max_reservation
    running      tasks that run before                                     seqno      queue_sort_method seqno, few numbers
    soft         soft requests                                             states     queues disabled or suspended by hand
    subordinates lists of both kinds                                       suspend    suspend_thresholds
    thresholds   load_thresholds                                           ties       hosts of the same load
    times        -l h_rt                                                   types      attributes of all relations and types
"""

CLASSES = {
    "seq": {"types": 0.5, "consumables": 0.5, "thresholds": 0.4, "places": 0.5, "ties": 0.4, "running": 0.3, "adjust": 0.3},
    "pe": {"pe": 1, "consumables": 0.3, "ties": 0.5, "running": 0.3, "places": 0.2, "adjust": 0.4, "thresholds": 0.3},
    "soft": {"soft": 1, "pe": 0.5, "ties": 0.5, "places": 0.3, "running": 0.2, "adjust": 0.3},
    "access": {"access": 1, "pe": 0.5, "ties": 0.4, "places": 0.2},
    "rqs": {"quotas": 1, "pe": 0.4, "consumables": 0.5, "running": 0.3, "ties": 0.5},
    "reserve": {"reserve": 1, "pe": 0.7, "running": 1, "consumables": 0.4, "ties": 0.5, "times": 1, "adjust": 0.3},
    "rqs-reserve": {"quotas": 1, "reserve": 1, "pe": 0.3, "running": 1, "consumables": 0.6, "times": 1, "ties": 0.5},
    "rqs-reserve-hard": {"quotas": 1, "reserve": 1, "pe": 1, "running": 1, "consumables": 1, "times": 1, "ties": 0.5},
    "calendars": {"calendars": 1, "reserve": 0.6, "pe": 0.5, "running": 0.4, "times": 1, "ties": 0.5},
    "subordinates": {"subordinates": 1, "pe": 0.5, "running": 0.5, "places": 0.5, "ties": 0.5, "times": 0.3, "reserve": 0.2},
    "ar": {"ar": 1, "pe": 0.6, "running": 0.4, "times": 1, "ties": 0.5, "reserve": 0.4, "consumables": 0.3},
    "arrays": {"arrays": 1, "running": 0.5, "priorities": 0.4, "ties": 0.5, "pe": 0.2, "reserve": 0.2},
    "holds": {"holds": 1, "arrays": 1, "ties": 0.4, "priorities": 0.2, "running": 0.3},
    "limits": {"limits": 1, "arrays": 0.8, "running": 0.7, "ties": 0.5, "priorities": 0.2},
    "suspend": {"suspend": 1, "running": 1, "pe": 0.4, "ties": 0.4, "arrays": 0.2},
    "load": {"formulas": 1, "adjust": 1, "thresholds": 0.7, "running": 0.6, "pe": 0.4, "consumables": 0.3},
    "masterq": {"pe": 1, "masterq": 1, "places": 0.5, "running": 0.3, "ties": 0.5, "consumables": 0.2},
    "excl": {"excl": 1, "pe": 0.6, "running": 0.5, "consumables": 0.4, "ties": 0.5, "reserve": 0.2, "times": 0.3},
    "hostgroups": {"hostgroups": 1, "pe": 0.5, "quotas": 0.4, "places": 0.7, "ties": 0.4, "consumables": 0.3},
    "seqno": {"seqno": 1, "pe": 0.5, "ties": 0.5, "running": 0.3, "adjust": 0.3},
    "float": {"float": 1, "pe": 0.6, "running": 0.3, "ties": 0.4, "reserve": 0.2},
    "priorities": {"priorities": 1, "arrays": 0.4, "running": 0.5, "pe": 0.3, "access": 0.2, "holds": 0.2},
}
MIXED = dict.fromkeys("access adjust arrays consumables excl float formulas hostgroups holds limits masterq pe places priorities quotas "
                      "running seqno soft states thresholds ties times types".split(), 0.35)
CLASSES["mixed"] = {**MIXED, "pe": 0.7, "running": 0.5}
CLASSES["mixed-reserve"] = {**MIXED, "pe": 0.6, "reserve": 1, "running": 1, "times": 1}
CLASSES["mixed-all"] = {**dict.fromkeys(MIXED, 0.3), "pe": 0.6, "reserve": 0.5, "running": 0.6, "times": 0.5, "calendars": 0.3, "subordinates": 0.3,
                        "ar": 0.2, "suspend": 0.2}
FEATURES = sorted({feature for features in CLASSES.values() for feature in features})
