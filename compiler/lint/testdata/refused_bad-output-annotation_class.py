from typing import TypedDict
from runlace_types import Ctx


class Output(TypedDict):  # ! bad-output-annotation
    sent: int


def run(ctx: Ctx) -> Output:
    return {"sent": 1}
