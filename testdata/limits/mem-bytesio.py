# hostile: a stream whose position is moved far ahead
# want: memory-limit
# line: 10
import io


def run(ctx):
    stream = io.BytesIO()
    stream.seek(2**31 - 100)
    stream.write(b'x')
    return len(stream.getvalue())
