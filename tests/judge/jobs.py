# SPDX-License-Identifier: Apache-2.0
"""The jobs of a random cell. Few kinds of requests, so that jobs share categories and fight for the same."""
from cell_text import REQUESTS, SOFT
from cellspace import USERS


class Jobs:
    def __init__(self, cell):
        self.cell, self.r, self.on, self.chance = cell, cell.r, cell.on, cell.chance
        self.users = self.r.sample(USERS, self.r.randint(2, 8)) if self.on["limits"] else USERS
        self.kinds = [self.request() for k in range(self.r.randint(4, 8))]
        self.softs = [text for text in (self.soft() for k in range(4)) if text]

    def request(self):
        """A hard request, without how long."""
        asked = []
        for name in self.cell.attributes:
            for p, make in REQUESTS.get(name, ()):
                if self.chance(p):
                    asked.append("%s=%s" % (name, make(self.r)))
        if self.on["types"] and self.chance(0.15):
            asked.append(self.r.choice(["arch=lx-amd64", "num_proc=4", "h=!ada", "arch=sol*", "mf=2G"]))
        return ",".join(asked[:3])

    def soft(self):
        return ",".join("%s=%s" % (name, make(self.r)) for name, make in SOFT.items() if name in self.cell.attributes and self.chance(0.4)) or \
            self.r.choice(["arch=lx*", "num_proc=4"])

    def place(self):
        r, cell = self.r, self.cell
        queue, host, group = r.choice(cell.queues), r.choice(cell.hosts), r.choice(["old", "mid", "big"])
        return r.choice([queue, queue, "!" + queue, "*@@" + group, "%s@@%s" % (queue, group), "*@" + host, "%s@%s" % (queue, host), "*@!(ada|bly)",
                         "[bm]*.q", "*@@site"] + (["*@@nest", "*@@a2", "*@@!(a*|old)"] if self.on["hostgroups"] else []))

    def places(self):
        return ",".join(dict.fromkeys(self.place() for k in range(self.r.choice([1, 1, 2]))))

    def times(self, hard):
        """A time limit beside other requests."""
        limit = self.r.choice(["h_rt=60", "h_rt=100", "h_rt=300", "h_rt=457", "h_rt=811", "h_rt=1000", "h_rt=1500", "h_rt=3600", "h_rt=5000",
                               "h_rt=0:2:0,s_rt=100"])
        return ",".join(filter(None, [hard, limit]))

    def parallel(self, row):
        r, pes = self.r, self.cell.pes
        row["pe"] = r.choice(pes + pes + ["*", "t*", "[rf]*", r.choice(pes) + "*"])
        row["slots"] = r.choice(["1", "2", "3", "4", "6", "8", "2-8", "2-3,6-9", "2,4,6", "3-", "-5", "1-3", "4-12", "2-8,16"])
        if self.chance(0.45, "masterq"):
            row["masterq"] = self.place()

    def job(self, running):
        r = self.r
        row = {"owner": r.choice(self.users)}
        if running:
            row["phase"] = "run"
        elif not self.chance(0.08):
            row["p"] = -r.choice([r.randint(1, 900), r.randint(1, 900), r.randint(1, 60)])
        hard = r.choice(self.kinds) if self.chance(0.65) else ""
        if self.chance(0.6, "times") or self.chance(0.5, "reserve") or self.chance(0.15):
            hard = self.times(hard)
        if hard:
            row["l"] = hard
        if self.cell.projects and self.chance(0.5):
            row["project"] = r.choice(self.cell.projects)
        if self.cell.pes and self.chance(0.4):
            self.parallel(row)
        if self.chance(0.25, "places") or self.chance(0.15, "masterq") or self.chance(0.3, "subordinates"):
            row["q"] = self.places()
        if (self.chance(0.35, "arrays") or self.chance(0.3, "limits")) and ("pe" not in row or self.chance(0.15)):
            row["tasks"] = r.choice(["1-3", "1-4", "1-7", "5-6", "2-20:3", "1-12"])
            if self.chance(0.35):
                row["tc"] = r.randint(1, 4)
        if self.chance(0.5, "reserve") and not running:
            row["R"] = "y"
        if self.chance(0.5, "soft"):
            row["soft_l"] = r.choice(self.softs)
        if self.chance(0.4, "soft"):
            row["soft_q"] = self.places()
        if self.chance(0.2, "priorities"):
            row["js"] = r.randint(1, 500)
        return row

    def hold(self, row, before):
        """Why a job waits: by hand, until later, for others."""
        r = self.r
        if self.chance(0.15):
            row["hold"] = r.choice(["u", "o", "s"])
        if self.chance(0.15):
            row["a_offset"] = r.choice([-500, 0, 40000, 86400])
        if self.chance(0.25):
            row["dl_offset"] = r.choice([-60, 90, 400, 5000, 86400])
        if before and self.chance(0.15):
            row["hold_jid"] = ",".join(r.sample(before, min(len(before), r.choice([1, 1, 2]))))
        arrays = [name for name in before if self.arrays.get(name) == row.get("tasks")]
        if row.get("tasks") and arrays and self.chance(0.4):
            row["hold_jid_ad"] = r.choice(arrays)
        if row.get("tasks") and self.chance(0.2):
            row["hold_tasks"] = [[r.choice("uos"), r.choice(["1", "2", "1-2", "2-4", "5"])]]

    def all(self):
        r = self.r
        rows = [self.job(True) for k in range(r.randint(1, 13))] if self.on["running"] else []
        rows += [self.job(False) for k in range(r.randint(20, 36))]
        self.arrays, out, before = {}, [], []
        for k, row in enumerate(rows, 1):
            name = "j%03d" % k
            if "phase" not in row:
                if self.on["holds"]:
                    self.hold(row, before)
                if self.on["ar"] and self.chance(0.35):
                    row["ar"] = "r%d" % r.randint(0, len(self.cell.about["ars"]) - 1)
                before.append(name)
                self.arrays[name] = row.get("tasks")
            out.append({"id": name, **row})
        return out
