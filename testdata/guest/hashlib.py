# want: ["90015098","a9993e36","23097d22","ba7816bf","cb00753f","ddaf35a1","3a985da7","ba80a53f","508c5e8c","9c196e32"]
import hashlib, hmac
def run(ctx):
    names = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")
    return [hashlib.new(n, b"abc").hexdigest()[:8] for n in names] + [hmac.new(b"key", b"abc", "sha256").hexdigest()[:8]]
