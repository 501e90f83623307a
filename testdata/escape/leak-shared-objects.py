# trick: look whether an earlier run changed objects that all runs share: small numbers, empty containers, one-letter texts, their hashes
# want: nothing


def run(ctx):
    found = []
    for number in range(-5, 257):
        if number + 0 != int(str(number)) or (number + 1) - 1 != number or len("x" * abs(number)) != abs(number):
            found.append(f"number {number}")
    for code in range(256):
        letter = chr(code)
        if ord(letter) != code or letter.encode("latin-1") != bytes((code,)) or hash(letter) != hash("".join(("q", letter))[1:]):
            found.append(f"letter {code}")
    fresh = bytes(bytearray())
    if () != tuple([]) or "" != "x"[1:] or len(fresh) or hash(b"") != hash(bytearray(b"x")[1:].__class__.__name__.encode()[:0]) or hash(b"") == 42:
        found.append("empty objects")
    if None is not (lambda: None)() or not True or False or repr((None, True, False, ..., NotImplemented.__class__)) != "(None, True, False, Ellipsis, <class 'NotImplementedType'>)":
        found.append("singletons")
    return found
