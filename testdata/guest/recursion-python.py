# want: recursion-limit
# says: maximum recursion depth exceeded
# line: 5
def f(n):
    return f(n + 1)
def run(ctx):
    return f(0)
