# want: output-invalid
# says: output['a'][1] is Decimal('-Infinity'), which JSON does not have: write None or a string
from decimal import Decimal

def run(ctx):
    return {"a": [0, Decimal('-Infinity')]}
