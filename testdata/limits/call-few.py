# hostile: call a tool that does not exist a hundred times and go on
# want: completed


def run(ctx):
    count = 0
    for _ in range(100):
        try:
            ctx.nosuch.tool()
        except Exception:
            count += 1
    return count
