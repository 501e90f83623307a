# want: output-invalid
# says: output['a'][1] is nan, which JSON does not have: write None or a string
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
    return {"a": [0, float('nan')]}
