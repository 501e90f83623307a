# want: "Undefined"
"""A docstring first."""
from __future__ import annotations
def run(ctx) -> Undefined:
    return run.__annotations__["return"]
