# hostile: a text stream that only grows
# want: memory-limit
# line: 9-10
import io


def run(ctx):
    stream = io.StringIO()
    while True:
        stream.write('x' * 10**6)
