from runlace_types import Ctx


def run(ctx: Ctx, **options: str) -> dict[str, object]:  # ! bad-run-signature
    return {}
