# want: output-invalid
# says: of type D, which JSON does not have: write dataclasses.asdict(value)
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
    return {"a": [0, D(1)]}
