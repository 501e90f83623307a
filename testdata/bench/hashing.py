"""Digests: SHA-2, SHA-1, MD5, SHA-3, BLAKE2, HMAC, base64, of large and of small data."""

import base64
import hashlib
import hmac


def run(ctx):
    block = bytes(range(256)) * 256
    out = []
    for name in ("sha256", "sha512", "sha1", "md5", "sha3_256", "blake2b"):
        h = hashlib.new(name)
        for _ in range(12):
            h.update(block)
        out.append(h.hexdigest()[:12])
    chain = b"start"
    for i in range(3000):
        chain = hashlib.sha256(chain).digest()
    for i in range(500):
        chain = hmac.new(chain, b"message", "sha256").digest()
    text = base64.b64encode(block * 4)
    out.append(hashlib.md5(base64.b64decode(text) + chain).hexdigest())
    return " ".join(out)
