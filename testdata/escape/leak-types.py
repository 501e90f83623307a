# trick: look for an earlier run's attributes on built-in types and library classes, and its classes among the subclasses
# want: nothing
# native: finds
import collections
import enum
import fractions
import io
import json
import string
import textwrap
import uuid


def run(ctx):
    found = []
    for cls in (int, str, dict, list, type, object, bytes, tuple, float, bool, type(None), type(run), collections.OrderedDict, enum.Enum, io.StringIO, fractions.Fraction,
                uuid.UUID, string.Template, json.JSONDecoder, json.JSONEncoder):
        if "runlace_pollution" in vars(cls):
            found.append(cls.__name__)
    found += ["subclass " + cls.__name__ for cls in dict.__subclasses__() if "Pollut" in cls.__name__]
    if hasattr(textwrap.fill, "runlace_pollution") or json.JSONEncoder.default.__kwdefaults__:
        found.append("a function's attributes")
    return found
