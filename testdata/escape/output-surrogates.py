# trick: return texts that are no UTF-8: lone surrogates, zero bytes, line separators, in keys as well
# want: any


def run(ctx):
    return {"\ud800": "\udfff\ud800", "\0": "\0\u2028\u2029\uffff", "\U0010ffff": "</script>"}
