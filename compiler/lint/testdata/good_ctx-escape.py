from runlace_types import Ctx, Inputs


def total(inputs: Inputs) -> int:
    return len(inputs)


def run(ctx: Ctx) -> dict[str, object]:
    inputs = ctx.inputs
    return {"n": total(inputs), "m": total(ctx.inputs)}
