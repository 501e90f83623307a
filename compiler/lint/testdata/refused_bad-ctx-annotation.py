from runlace_types import Ctx


def run(ctx) -> dict[str, object]:  # ! bad-ctx-annotation
    return {}
