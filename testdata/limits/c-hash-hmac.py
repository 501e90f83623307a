# hostile: stretch a key by hand
# want: cpu-limit
import hmac


def run(ctx):
    key = b'k'
    while True:
        key = hmac.new(key, b'x' * 10000, 'sha512').digest()
