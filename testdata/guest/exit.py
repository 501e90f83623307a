# want: exit
# says: return from run instead
# line: 5
def run(ctx):
    raise SystemExit(3)
