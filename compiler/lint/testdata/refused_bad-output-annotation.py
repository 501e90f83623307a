# outputs
from runlace_types import Ctx, Output


def run(ctx: Ctx) -> dict[str, object]:  # ! bad-output-annotation
    return {}
