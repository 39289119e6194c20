"""Stands in for torch while pip asks vLLM's sources for their name and version, which is all that `setup.py` is run for."""

__version__ = "0.0.0"


class version:  # noqa: N801
    cuda = hip = xpu = None
