# trick: return objects that claim to be lists, dicts, texts and numbers
# want: any


class Number(int):
    def __repr__(self):
        return "], [\"injected\""

    __str__ = __repr__


class Real(float):
    def __repr__(self):
        return "{\"injected\": 1}"

    __str__ = __repr__


class Text(str):
    def __iter__(self):
        return iter(("\"", "}"))

    def encode(self, *args):
        return b"\" injected"


class Table(dict):
    def items(self):
        return [("x", self), ("x", 1)]

    def __len__(self):
        return 0

    def __iter__(self):
        return iter(())


class Liar:
    __class__ = dict

    def items(self):
        return [("injected", 1)]


def run(ctx):
    return [Number(5), Real(1.5), Text("text"), [Table(a=1)] if ctx.inputs.get("ring") else Number(7), Liar()]
