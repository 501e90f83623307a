from runlace_types import Ctx


def run(ctx: Ctx) -> None:
    print("nothing to return")
