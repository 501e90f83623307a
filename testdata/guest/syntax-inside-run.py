# want: exception
# says: SyntaxError: invalid syntax
# line: 5
def run(ctx):
    return eval("1 +")
