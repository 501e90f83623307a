import subprocess  # ! forbidden-import
import os.path as p, sys  # ! forbidden-import forbidden-import
import socket  # ! forbidden-import
from http.client import HTTPConnection  # ! forbidden-import
import urllib  # ! forbidden-import
from urllib import request, parse  # ! forbidden-import
import urllib.request  # ! forbidden-import
import requests  # ! forbidden-import
import httpx  # ! forbidden-import
import aiohttp  # ! forbidden-import
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    from os import path  # ! forbidden-import
    import importlib  # ! forbidden-import
    return {}
