from runlace_types import Ctx


class Ctx:  # ! bad-ctx-annotation
    pass


def run(ctx: Ctx) -> dict[str, object]:
    return {}
