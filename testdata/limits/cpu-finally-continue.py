# hostile: continue in a finally block, which drops whatever is being raised
# want: cpu-limit
# line: 7-11


def run(ctx):
    while True:
        try:
            pass
        finally:
            continue
