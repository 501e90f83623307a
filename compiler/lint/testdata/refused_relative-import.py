from . import helpers  # ! relative-import
from ..lib.x import y  # ! relative-import
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    return {}
