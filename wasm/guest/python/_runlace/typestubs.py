"""runlace_types at run time. The real one is generated as stubs for the type checker; here its names only have to exist."""

import types
from _runlace.context import Ctx, ToolError


class _Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"module 'runlace_types' has no attribute {name!r}")
        return dict    # Inputs, Output and every generated type are dicts when the workflow runs


def make() -> types.ModuleType:
    module = _Module("runlace_types", "The types of this machine's connectors.")
    module.Ctx, module.ToolError = Ctx, ToolError
    return module
