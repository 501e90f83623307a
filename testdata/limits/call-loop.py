# hostile: call a tool that does not exist, for ever, and catch the error
# fuel: 2000
# want: call-limit
# line: 8-12


def run(ctx):
    while True:
        try:
            ctx.nosuch.tool()
        except Exception:
            pass
