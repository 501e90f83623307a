from urllib.parse import urlsplit
from urllib import parse
import urllib.parse as up
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    return {"host": urlsplit(up.quote(parse.unquote("x"))).netloc}
