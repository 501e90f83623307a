import runlace_types


def run(ctx: runlace_types.Ctx) -> dict[str, object]:  # ! bad-ctx-annotation
    return {}
