# hostile: decode hostile text with slow codecs
# want: cpu-limit
# line: 8-12


def run(ctx):
    data = b'xn--' + b'a' * 3000 + b'-' + b'9' * 3000
    while True:
        try:
            data.decode('punycode')
        except UnicodeError:
            pass
