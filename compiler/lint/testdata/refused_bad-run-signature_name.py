from runlace_types import Ctx


def run(context: Ctx) -> dict[str, object]:  # ! bad-run-signature
    return {}
