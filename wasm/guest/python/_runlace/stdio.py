"""Standard output and error. What is written goes to the host at once: a run that is stopped has lost nothing."""

import io
from _host import write_log


class LogStream(io.TextIOBase):
    def __init__(self, stream, name):
        self._stream, self.name = stream, name

    encoding = "utf-8"
    errors = "backslashreplace"
    mode = "w"

    def write(self, text):
        write_log(self._stream, text)
        return len(text)

    def writable(self):
        return True
