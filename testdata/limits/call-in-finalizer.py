# hostile: call from finalizers for ever
# fuel: 2000
# want: call-limit


class Caller:
    def __init__(self, ctx):
        self.ctx = ctx

    def __del__(self):
        try:
            self.ctx.nosuch.tool()
        except Exception:
            pass


def run(ctx):
    while True:
        Caller(ctx)
