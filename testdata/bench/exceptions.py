"""Exceptions: raised and caught near and far, chained, with finally and with context managers."""

from contextlib import contextmanager, suppress


class Refused(Exception):
    def __init__(self, code):
        super().__init__(f"refused: {code}")
        self.code = code


def deep(n, code):
    if n == 0:
        raise Refused(code)
    try:
        return deep(n - 1, code)
    finally:
        n += 1


@contextmanager
def guarded(log):
    try:
        yield log
    except ValueError as e:
        log.append(len(str(e)))


def run(ctx):
    n, log = 0, []
    for i in range(14000):
        try:
            if i % 3 == 0:
                raise Refused(i)
            int("x" if i % 3 == 1 else "7")
        except Refused as e:
            n += e.code % 5
        except ValueError:
            n += 1
        else:
            n += 2
    for i in range(900):
        try:
            deep(8, i)
        except Refused as e:
            n += e.code
        try:
            try:
                {}["missing"]
            except KeyError as e:
                raise Refused(1) from e
        except Refused as e:
            n += len(e.__cause__.args)
    for i in range(2500):
        with guarded(log):
            float("no")
        with suppress(ZeroDivisionError):
            n += 1 // 0
    return f"{n} {sum(log)}"
