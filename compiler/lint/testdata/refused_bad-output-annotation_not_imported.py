from runlace_types import Ctx  # ! bad-output-annotation


def run(ctx: Ctx) -> Output:
    return {}
