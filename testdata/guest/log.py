# want: "done"
def run(ctx):
    print("out", end=""); print("err\u2603", flush=True)
    return "done"
