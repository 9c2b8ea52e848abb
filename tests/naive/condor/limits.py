# SPDX-License-Identifier: Apache-2.0
"""Concurrency limits: "name[.sub][:units]", several with commas."""


class Limits:
    def __init__(self, config, in_use):
        self.config, self.used = config, {}
        for limits in in_use:
            self.use(limits)

    def parsed(self, limits):
        for word in limits.replace(",", " ").split():
            name, _, units = word.lower().partition(":")
            units = float(units) if units else 1.0
            yield name, units if units > 0 else 1.0

    def most(self, name):
        otherwise = self.config.number("CONCURRENCY_LIMIT_DEFAULT", 2308032.0)
        if "." in name:
            otherwise = self.config.number("CONCURRENCY_LIMIT_DEFAULT_" + name.rpartition(".")[0], otherwise)
        return self.config.number(name + "_LIMIT", otherwise)

    def admit(self, limits):
        return all(self.used.get(name, 0.0) + units <= self.most(name) for name, units in self.parsed(limits))

    def use(self, limits):
        for name, units in self.parsed(limits):
            self.used[name] = self.used.get(name, 0.0) + units
