# want: ["all",41]
import abc, base64, bisect, calendar, cmath, collections, contextlib, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions
import functools, graphlib, hashlib, heapq, hmac, html, io, ipaddress, itertools, json, math, numbers, operator, pprint, random, re
import statistics, string, textwrap, time, typing, unicodedata, urllib.parse, uuid, zoneinfo, runlace_types
import collections.abc, html.entities, json.decoder
from urllib import parse

NAMES = """abc base64 bisect calendar cmath collections contextlib copy csv dataclasses datetime decimal difflib enum fractions functools
graphlib hashlib heapq hmac html io ipaddress itertools json math numbers operator pprint random re statistics string textwrap time typing
unicodedata urllib uuid zoneinfo runlace_types""".split()

def run(ctx):
    return ["all", sum(n in globals() for n in NAMES) + (parse is urllib.parse) - 1]
