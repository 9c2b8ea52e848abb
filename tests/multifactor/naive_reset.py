# SPDX-License-Identifier: Apache-2.0
"""When usage is forgotten: PriorityUsageResetPeriod of slurm.conf(5). Clocks of the cells show UTC."""
import calendar
import time

DAY = 86400


def next_reset(period, last):
    year, month, day, *_, weekday = time.gmtime(last)[:7]
    midnight = calendar.timegm((year, month, day, 0, 0, 0))
    if period == "DAILY":
        return midnight + DAY
    if period == "WEEKLY":
        return midnight + (7 - (weekday + 1) % 7) * DAY         # Python's weeks begin on Mondays
    if period == "YEARLY":
        return calendar.timegm((year + 1, 1, 1, 0, 0, 0))
    month = month + 1 if period == "MONTHLY" else (month - 1) // 3 * 3 + 4
    return calendar.timegm((year + (month > 12), (month - 1) % 12 + 1, 1, 0, 0, 0))
