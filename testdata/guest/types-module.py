# want: ["dict","dict","dict",true]
from runlace_types import Ctx, GmailMessage, Inputs, Output, ToolError
def run(ctx: Ctx) -> Output:
    return [Inputs.__name__, Output.__name__, GmailMessage.__name__, isinstance(ctx, Ctx)]
