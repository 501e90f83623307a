# want: output-invalid
# says: of type object, which JSON does not have: write dicts, lists, strings, numbers, booleans or None
import dataclasses, datetime, decimal, enum

@dataclasses.dataclass
class D:
    a: int

class E(enum.Enum):
    A = "a"

def ring():
    r = []
    r.append(r)
    return r

def run(ctx):
    return {"a": [0, object()]}
