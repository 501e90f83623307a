# hostile: call for ever and catch everything
# fuel: 2000
# want: call-limit
# line: 8-12


def run(ctx):
    while True:
        try:
            ctx.nosuch.tool(x=1)
        except BaseException:
            pass
