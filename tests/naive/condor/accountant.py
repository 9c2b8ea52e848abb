# SPDX-License-Identifier: Apache-2.0
"""Usage and the priorities that follow from it: one record for each customer (submitter or group), one for each
claimed slot."""
import math

LEAST_RUP, LEAST_FACTOR = 0.5, 1.0


def six(x):
    """Round to six digits, as a real is stored."""
    return float("%.6f" % x)


class Customer:
    def __init__(self):
        self.rup, self.factor = LEAST_RUP, 0.0
        self.used, self.weight_used, self.tree_used = 0, 0.0, 0.0
        self.uncharged, self.weight_uncharged = 0, 0.0
        self.accumulated, self.weight_accumulated = 0.0, 0.0
        self.begin = self.last = 0
        self.ceiling, self.floor = -1, 0


class Held:
    def __init__(self, customer, weight, since):
        self.customer, self.weight, self.since = customer, weight, since


class Accountant:
    def __init__(self, config, groups):
        self.config, self.groups = config, groups
        self.halflife = config.number("PRIORITY_HALFLIFE", 86400.0)
        self.customers, self.held, self.last_update = {}, {}, 0
        for group in groups.all:
            self.customer(group.name)

    def customer(self, name):
        if name not in self.customers:
            self.customers[name] = Customer()
            self.customers[name].factor = self.first_factor(name)
        return self.customers[name]

    def first_factor(self, name):
        group = self.groups.of(name)
        of_group = self.config.number("GROUP_PRIO_FACTOR_" + group.name, 0.0)
        local = self.config.text("ACCOUNTANT_LOCAL_DOMAIN", "")
        domain = name.rpartition("@")[2] if "@" in name else ""
        if name.startswith("nice-user"):
            factor = self.config.number("NICE_USER_PRIO_FACTOR", 1e10)
        elif of_group:
            factor = of_group
        elif local and local != domain:
            factor = self.config.number("REMOTE_PRIO_FACTOR", 1e7)
        else:
            factor = self.config.number("DEFAULT_PRIO_FACTOR", 1000.0)
        return max(factor, LEAST_FACTOR)

    def eup(self, name):
        customer = self.customer(name)
        return max(customer.rup, LEAST_RUP) * customer.factor

    def weight_used(self, name):
        return self.customer(name).weight_used

    def update(self, now):
        dt, self.last_update = now - self.last_update, now
        if dt > 0:
            for customer in self.customers.values():
                self.update_customer(customer, now, dt)

    def update_customer(self, c, now, dt):
        beta = math.pow(0.5, dt / self.halflife)
        recent, recent_weight = c.used + c.uncharged / dt, c.weight_used + c.weight_uncharged / dt
        if c.tree_used > 0:
            recent_weight = c.tree_used
        c.rup = six(max(max(c.rup, LEAST_RUP) * beta + recent_weight * (1 - beta), LEAST_RUP))
        c.accumulated = six(c.accumulated + c.used * dt + c.uncharged)
        c.weight_accumulated = six(c.weight_accumulated + c.weight_used * dt + c.weight_uncharged)
        if c.accumulated > 0 and not c.begin:
            c.begin = now
        if recent > 0:
            c.last = now
        c.uncharged, c.weight_uncharged = 0, 0.0

    def paying_customers(self, name):
        """The customer and its group, then every group above: by name, cut at the last dot."""
        group = self.groups.of(name).name
        above, path = [], group
        while path:
            above.append(path)
            path = path.rpartition(".")[0]
        return [self.customer(name), self.customer(group)], [self.customer(path) for path in above]

    def add_match(self, name, slot, weight, now):
        if slot in self.held:
            if self.held[slot].customer == name:
                return
            self.remove_match(slot, now)
        both, trees = self.paying_customers(name)
        for customer in both:
            customer.used += 1
            customer.weight_used = six(customer.weight_used + weight)
            customer.uncharged -= now - self.last_update
            customer.weight_uncharged = six(customer.weight_uncharged - (now - self.last_update) * weight)
        for group in trees:
            group.tree_used = six(group.tree_used + weight)
        self.held[slot] = Held(name, weight, now)

    def remove_match(self, slot, now):
        """Charge the whole time, even for a match that began after the last update."""
        was = self.held.pop(slot)
        both, trees = self.paying_customers(was.customer)
        for customer in both:
            customer.used = max(0, customer.used - 1)
            customer.weight_used = six(max(0.0, customer.weight_used - was.weight))
            customer.uncharged += now - self.last_update
            customer.weight_uncharged = six(customer.weight_uncharged + (now - self.last_update) * was.weight)
        for group in trees:
            group.tree_used = six(max(0.0, group.tree_used - was.weight))

    def check_matches(self, claims, now):
        """claims: slot -> (customer, weight), of all that are claimed."""
        for slot in [slot for slot, held in self.held.items() if claims.get(slot, (None,))[0] != held.customer]:
            self.remove_match(slot, now)
        for slot, (customer, weight) in claims.items():
            self.add_match(customer, slot, weight, now)
