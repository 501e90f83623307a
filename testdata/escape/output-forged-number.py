# trick: have a text of one's own taken for a number that is written as it was read
# want: nothing
# The reader of numbers takes nothing but a number, so that no text of a workflow's own gets into its JSON as it is.
def run(ctx):
    number = type(ctx).ai.__globals__["decode"].__globals__["_number"]
    found = []
    for text in ("", "-", "1,2", "1 ", " 1", "01", "-01", "1.", ".5", "1.e5", "1e", "1e+", "+1", "0x10", "1_000", "nan", "Infinity", "-inf", "1e5\x00", "1\x000", "\x00", "1e5,\"a\":1",
                 "0." + "1" * 30 + "\"", "\u0661", "1\u0660", b"1", 1, None, 0.5, "1" * 5000 + ",", "--1", "1-1", "1..5", "1.5.5", "1e5e5", "1e1.5"):
        try:
            found.append([repr(text), repr(number(text))])
        except (ValueError, TypeError):
            pass
    x = number("0.12345678901234567890")
    for name in ("text", "_text", "__class__", "__dict__", "__repr__"):
        try:
            setattr(x, name, "1,2")
            found.append(name)
        except (AttributeError, TypeError):
            pass
    for change in (lambda: setattr(type(x), "__repr__", lambda self: "1,2"), lambda: type("Odd", (type(x),), {}), lambda: object.__new__(type(x)), lambda: float.__new__(type(x), 1)):
        try:
            made = change()
            found.append(repr(made))
        except TypeError:
            pass
    return found
