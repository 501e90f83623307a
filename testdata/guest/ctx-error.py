# want: ["bad-thing","it did not work",{"x":1},"it did not work",true]
from runlace_types import ToolError
def run(ctx):
    try:
        ctx.test.fail(x=1)
    except ToolError as e:
        return [e.code, e.message, e.data, str(e), isinstance(e, Exception)]
