# want: output-invalid
# says: output['a'][1] is of type set, which JSON does not have: write sorted(value)
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
    return {"a": [0, {1, 2}]}
