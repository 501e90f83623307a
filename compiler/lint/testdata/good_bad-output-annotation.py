# outputs
from runlace_types import Ctx
from runlace_types import Output


def run(ctx: Ctx) -> Output:
    return {}
