# outputs
from runlace_types import Ctx


def run(ctx: Ctx):  # ! missing-return-annotation
    return {}
