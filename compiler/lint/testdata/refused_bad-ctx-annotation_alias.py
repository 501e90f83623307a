from runlace_types import Ctx as C  # ! bad-ctx-annotation


def run(ctx: Ctx) -> dict[str, object]:
    return {}
