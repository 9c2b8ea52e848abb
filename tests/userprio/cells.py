# SPDX-License-Identifier: Apache-2.0
"""A local cell with HTCondor's user priorities."""
import contextlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "local"))
from cell import cell  # noqa: E402

CONFIG = "UID_DOMAIN = pool\nNEGOTIATOR_INTERVAL = 2\nNEGOTIATOR_CYCLE_DELAY = 0\nNEGOTIATOR_MIN_INTERVAL = 0\nCLAIM_WORKLIFE = 0\n"


@contextlib.contextmanager
def pool(config=""):
    with cell() as under_test:
        path = os.path.join(under_test.directory, "sched_conf")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub(r"(?m)^algorithm\s+\S+", "algorithm userprio", text))
        with open(os.path.join(under_test.directory, "condor_config"), "w") as file:
            file.write(CONFIG + config)
        yield under_test


def customers(under_test, columns="name, factor"):
    """{name: row} of the store."""
    rows = under_test.query(f"select {columns} from customer")
    return {row[0]: row[1:] if len(row) > 2 else row[1] for row in rows}
