from __future__ import annotations

import collections.abc
import json.decoder
from collections.abc import Iterable
from html.entities import html5
import abc, bisect, calendar, cmath, contextlib, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions
import functools, graphlib, hashlib, heapq, hmac, html, io, ipaddress, itertools, math, numbers, operator, pprint, random, re
import statistics, string, textwrap, time, typing, unicodedata, uuid, zoneinfo
from runlace_types import Ctx, ToolError


def run(ctx: Ctx) -> dict[str, object]:
    return {}
