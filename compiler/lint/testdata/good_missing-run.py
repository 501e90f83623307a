"""The last of several counts."""
from runlace_types import Ctx


def run() -> None:
    return None


def run(ctx: Ctx) -> dict[str, object]:
    return {}
