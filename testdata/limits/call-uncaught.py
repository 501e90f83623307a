# hostile: call a tool that does not exist and let the error pass through
# want: tool-error
# line: 7


def run(ctx):
    return ctx.nosuch.tool()
