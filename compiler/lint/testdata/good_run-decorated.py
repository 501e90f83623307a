from functools import lru_cache
from runlace_types import Ctx


@lru_cache
def helper(x: int) -> int:
    return x + 1


def run(ctx: Ctx) -> dict[str, object]:
    return {"x": helper(1)}
