# want: output-invalid
# says: output['n'][1] is an integer of more than 4300 digits: write decimal.Decimal(value), which has no limit, or hex(value)
def run(ctx):
    return {"n": [1, 10**5000]}
