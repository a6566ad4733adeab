"""hubsim from Python: runs, sweeps and kept results as columns with units.

    import hubsim
    table = hubsim.run("two-node", "pingpong", {"mode": "pio", "bytes": [8, 64]})
    table["latency_us_median"], table["latency_us_median"].unit

hubsim's libraries hold the models alone, and experiments are of the program `hubsim`. So this package runs that program,
and reads the tables that it writes. It needs nothing but Python. docs/python.md has more.
"""
from .program import Error, version
from .result import Column, Result, read
from .study import Parameter, parameters, run, sweep

__all__ = ["Column", "Error", "Parameter", "Result", "parameters", "read", "run", "sweep"]


def __getattr__(name: str) -> str:
    """`hubsim.__version__` is that of the program, which is asked for it."""
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
