from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    return {}
