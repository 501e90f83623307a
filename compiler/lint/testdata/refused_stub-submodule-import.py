import runlace_types.ctx  # ! stub-submodule-import
from runlace_types.connectors.crm import FindOutput  # ! stub-submodule-import
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    return {}
