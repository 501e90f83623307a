# trick: return numbers that JSON does not have
# want: any


def run(ctx):
    return [float("nan"), float("inf"), -float("inf"), {"x": float("nan")}]
