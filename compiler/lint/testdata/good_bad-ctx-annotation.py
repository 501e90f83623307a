from runlace_types import Ctx


def run(ctx: Ctx, /) -> dict[str, object]:
    return {}
