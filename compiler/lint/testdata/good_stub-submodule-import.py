import runlace_types
from runlace_types import Ctx, Inputs, Output, ToolError


def run(ctx: Ctx) -> dict[str, object]:
    return {}
