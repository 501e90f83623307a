# hostile: eval that calls eval until the limit, over and over
# want: cpu-limit
# line: 10-14


def run(ctx):
    text = "1"
    for _ in range(40):
        text = f"eval({text!r})" if len(text) < 5000 else text
    while True:
        try:
            eval(text)
        except (RecursionError, SyntaxError, MemoryError):
            pass
