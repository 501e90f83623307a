from runlace_types import *  # ! bad-ctx-annotation


def run(ctx: Ctx) -> dict[str, object]:
    return {}
