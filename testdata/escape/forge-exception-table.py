# trick: code with forged exception tables, line tables, names and variable kinds
# want: any


def run(ctx):
    def victim():
        try:
            raise ValueError("x")
        except ValueError:
            return 1

    base, results = victim.__code__, []
    for change in ({"co_exceptiontable": b"\xff" * 50}, {"co_exceptiontable": b"\x80\x7f\x7f\x7f" * 9}, {"co_linetable": b""}, {"co_linetable": b"\xff" * 99}, {"co_firstlineno": -(2**31)},
                   {"co_name": "\ud800"}, {"co_filename": "x\ny\0z" * 9999}, {"co_names": ()}, {"co_consts": ()}, {"co_stacksize": 0}, {"co_stacksize": 2**30}, {"co_flags": 0xffffff},
                   {"co_argcount": 5}, {"co_nlocals": 0}, {"co_varnames": ("a",) * 99}):
        try:
            victim.__code__ = base.replace(**change)
            results.append(repr(victim())[:40])
        except BaseException as e:
            results.append(type(e).__name__)
    return results
