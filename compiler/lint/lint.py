"""The lint: what a workflow must not do, and what it calls, read from its syntax tree.

Runs inside the guest, so that the grammar is the one that will run. Inputs: source, outputs (whether an outputs schema is
declared), connectors (attribute -> methods). Output: problems, calls (of tools), asks (of the model).
"""

import ast
import re
import sys

from _runlace.allowlist import MODULES

FORBIDDEN_ROOTS = frozenset("subprocess os sys socket http urllib requests httpx aiohttp importlib".split())

# What to write in place of a module: shown after the refusal.
INSTEAD_OF_MODULE = {
    "subprocess": "there are no processes here: call a tool of a connector that does the work",
    "os": "there are no files, folders or environment variables here: take paths and settings from ctx.inputs, split a path with path.rpartition('/')",
    "sys": "delete the import: print(...) writes to the run's log, and return ends the workflow",
    "socket": "there is no network here: call a tool of a connector",
    "http": "there is no network here: call a tool of a connector",
    "urllib": "there is no network here: call a tool of a connector. To take a URL apart write: from urllib.parse import urlsplit, parse_qs, quote",
    "requests": "there is no network here: call a tool of a connector",
    "httpx": "there is no network here: call a tool of a connector",
    "aiohttp": "there is no network here: call a tool of a connector",
    "importlib": "write a plain import of an allowed module at the top of the file",
    "builtins": "use the built-in functions by their names, without an import",
    "pathlib": "there are no files here: split a path with path.rpartition('/'), and reach files through a tool of a connector",
    "tempfile": "there are no files here: keep text in a variable or in io.StringIO()",
    "shutil": "there are no files here: call a tool of a connector",
    "glob": "there are no files here: list them with a tool of a connector, and match names with re.fullmatch(...)",
    "fnmatch": "write re.fullmatch(...) instead",
    "asyncio": "calls of tools wait for their answer: write them one after the other, without async",
    "threading": "calls of tools wait for their answer: write them one after the other in a loop",
    "concurrent": "calls of tools wait for their answer: write them one after the other in a loop",
    "multiprocessing": "calls of tools wait for their answer: write them one after the other in a loop",
    "logging": "write print(...), which goes to the run's log",
    "warnings": "write print(...), which goes to the run's log",
    "traceback": "write print(repr(e)) in the except clause",
    "secrets": "write random.randint(...) or uuid.uuid4(): a run's randomness comes from its seed",
    "numpy": "write sum(...), statistics.mean(...), math.fsum(...) over lists",
    "pandas": "write loops over lists of dicts, collections.defaultdict(list) to group, sorted(rows, key=...)",
    "yaml": "write json.loads(...), or let a tool return the data as JSON",
    "dateutil": "write datetime.datetime.fromisoformat(...) and datetime.timedelta(...)",
    "pytz": "write zoneinfo.ZoneInfo('Europe/Berlin')",
    "pydantic": "write @dataclasses.dataclass, or typing.TypedDict",
    "typing_extensions": "write from typing import ...",
    "inspect": "delete the import: a workflow does not look at its own code",
    "pickle": "write json.dumps(...) and json.loads(...)",
    "types": "write a dict, or @dataclasses.dataclass",
    "struct": "write int.from_bytes(...) and int.to_bytes(...)",
    "string.templatelib": "write an f-string",
}

CALLS = {
    "open": ("there are no files in a workflow", None),    # its hint names a tool
    "exec": ("a workflow may not run code from text", "write the statements themselves, in place of exec(...)"),
    "eval": ("a workflow may not evaluate text", "write json.loads(text) for data, or the expression itself, in place of eval(...)"),
    "__import__": ("modules may not be imported by a name in a variable", "write a plain import of an allowed module at the top of the file"),
    "compile": ("a workflow may not compile text", "write the code itself; for a pattern write re.compile(...)"),
    "input": ("nobody is there to answer", "declare a property in inputs_schema and write ctx.inputs[\"name\"]"),
    "breakpoint": ("there is no debugger in a workflow", "write print(...), which goes to the run's log"),
    "exit": ("a workflow ends by returning", "write return with the output, or raise ValueError(\"why\")"),
    "quit": ("a workflow ends by returning or raising", "write return with the output, or raise ValueError(\"why\")"),
    "help": ("there is no help at run time", "delete it: get_tools shows the signatures"),
}

DYNAMIC = {
    "getattr": "write the attribute itself, as value.name; for a dict write value.get(\"name\")",
    "setattr": "write value.name = ..., or keep the values in a dict: values[\"name\"] = ...",
    "delattr": "keep the values in a dict, and write values.pop(\"name\", None)",
    "vars": "write the attributes by name; for a dataclass write dataclasses.asdict(value)",
    "globals": "keep the values in a dict of your own, and look them up there",
    "locals": "use the variables by name",
}

BANNED = CALLS.keys() | DYNAMIC.keys()

# Functions of allowed modules that do what a banned builtin does.
SAME_AS = {("io", "open"): "open", ("io", "open_code"): "open", ("io", "FileIO"): "open"}
GETTERS = {("operator", "attrgetter"), ("operator", "methodcaller")}

# Names of every module that lead into the interpreter. __name__ and __doc__ are plain strings.
PLAIN_DUNDERS = frozenset(("__name__", "__doc__", "__debug__", "__import__"))
# What to write in place of a method that an operation stands for.
OPERATIONS = {
    "__len__": "len(x)", "__str__": "str(x)", "__repr__": "repr(x)", "__getitem__": "x[key]", "__setitem__": "x[key] = value", "__iter__": "iter(x)",
    "__next__": "next(x)", "__contains__": "key in x", "__eq__": "a == b", "__ne__": "a != b", "__lt__": "a < b", "__add__": "a + b", "__mul__": "a * b",
    "__call__": "x(...)", "__enter__": "with x:", "__exit__": "with x:", "__hash__": "hash(x)", "__bool__": "bool(x)", "__int__": "int(x)",
    "__init__": "T(...) for a new object, or super().__init__(...) inside a class", "__new__": "T(...) for a new object", "__format__": "f\"{x}\"",
    "__class__": "isinstance(value, T) to test a type, or repr(e) to show an exception with its type",
    "__name__": "repr(e) to show an exception with its type, or the name itself in quotes", "__qualname__": "the name itself in quotes",
    "__dict__": "the attributes by name, or dataclasses.asdict(value) for a dataclass", "__doc__": "the text itself in quotes",
    "__annotations__": "the names themselves in a list",
}
# Attributes that lead to frames, and from there to everything.
FRAMES = frozenset((
    "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code", "tb_frame", "f_back", "f_builtins", "f_globals", "f_locals", "f_code",
))


class Scope:
    """What binds names: the module, a function (or lambda, comprehension, list of type parameters), a class body."""

    def __init__(self, kind, parent):
        self.kind, self.parent = kind, parent
        self.bound, self.globals, self.nonlocals = set(), set(), set()
        self.imports = {}    # name -> [(module, attribute or None)]
        self.stars = set()    # modules whose names a star import brought
        self.sure = {}    # name -> the position from which on it is bound for certain; not for functions, where it always is


class Lint:
    def __init__(self, source, outputs, connectors):
        self.lines = re.split("\r\n|\r|\n", source.removeprefix("\ufeff"))
        self.outputs, self.connectors = outputs, connectors
        self.allowed = frozenset(MODULES)
        self.problems, self.calls, self.asks = [], [], []
        self.module = Scope("module", None)
        self.deleted = set()    # names that are deleted somewhere
        self.uses = []    # (Name node, scope)
        self.getters = []    # (Call node, scope)
        self.attributes = []    # (Attribute node on a plain name, scope)
        self.parent = {}
        self.tree = ast.parse(source.removeprefix("\ufeff"), "workflow.py")

    # Reporting

    def problem(self, code, node, message, hint):
        line, column = (node.lineno, self.column(node.lineno, node.col_offset)) if node is not None else (1, 1)
        self.problems.append({"code": code, "line": line, "column": column, "message": message, "hint": hint})

    def column(self, line, offset):
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return len(text.encode()[:offset].decode("utf-8", "replace")) + 1

    def here(self, lead="The connectors here are "):
        names = sorted(self.connectors)
        return f"{lead}{', '.join(names)}" if names else "No connector is set up here"

    def near(self, name, names):
        """The names that are a slip of the pen away, best first."""
        scored = sorted((distance(name.lower(), n.lower()), n) for n in names)
        return [n for d, n in scored if d <= max(1, min(len(name), len(n)) // 3)]

    # The walk

    def walk(self):
        self.sure_bindings(self.tree.body, self.module)
        stack = [(self.tree, self.module)]
        while stack:
            node, scope = stack.pop()
            visit = getattr(self, "visit_" + type(node).__name__, None)
            children = visit(node, scope) if visit else None
            if children is None:
                children = [(child, scope) for child in ast.iter_child_nodes(node)]
            for child, _ in children:
                self.parent[child] = node
            stack.extend(children)
        for node, scope in self.uses:
            self.use(node, scope)
        for node, scope in self.attributes:
            self.module_attribute(node, scope)
        for node, scope in self.getters:
            self.getter(node, scope)

    def sure_bindings(self, body, scope):
        """Notes what the statements of a body bind whatever happens, and from where on."""
        for s in body:
            names, at = [], (s.end_lineno, s.end_col_offset)
            if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                names = [s.name]
                if isinstance(s, ast.FunctionDef) and not s.decorator_list:
                    at = (s.body[0].lineno, s.body[0].col_offset)
            elif isinstance(s, ast.Assign):
                names = [n.id for t in s.targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            elif isinstance(s, ast.AnnAssign) and s.value is not None and isinstance(s.target, ast.Name):
                names = [s.target.id]
            elif isinstance(s, (ast.Import, ast.ImportFrom)):
                names = [bound_by(a, s) for a in s.names if a.name != "*"]
            elif isinstance(s, ast.TypeAlias):    # its value is evaluated when it is asked for
                names, at = [s.name.id], (s.lineno, s.col_offset)
            for n in names:
                scope.sure.setdefault(n, at)

    def bind(self, name, scope):
        scope.bound.add(name)

    def visit_Name(self, node, scope):
        if isinstance(node.ctx, ast.Load):
            self.uses.append((node, scope))
            return []
        if isinstance(node.ctx, ast.Del):
            self.deleted.add(node.id)
        self.bind(node.id, scope)
        if node.id == "ctx":
            self.rebound(node, "ctx is assigned" if isinstance(node.ctx, ast.Store) else "ctx is deleted")
        elif node.id == "__builtins__":
            self.dunder(node, node.id)
        return []

    def rebound(self, node, message):
        self.problem("ctx-rebound", node, message + ": it is what run was given, and stays that",
                     "use another name for the value, and leave ctx as it is")

    def visit_NamedExpr(self, node, scope):
        owner = scope
        while owner.kind == "comprehension":
            owner = owner.parent
        return [(node.value, scope), (node.target, owner)]

    def visit_FunctionDef(self, node, scope):
        self.bind(node.name, scope)
        if node.name == "ctx":
            self.rebound(node, "a function is called ctx")
        outer = self.type_parameters(node, scope)
        inner = Scope("function", outer)
        a = node.args
        for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
            if arg is not None:
                self.bind(arg.arg, inner)
        children = [(d, scope) for d in (*node.decorator_list, *a.defaults, *a.kw_defaults) if d is not None]
        children += [(arg.annotation, outer) for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg is not None and arg.annotation]
        children += [(node.returns, outer)] if node.returns else []
        children += [(p, outer) for p in node.type_params]
        return children + [(s, inner) for s in node.body]

    def visit_AsyncFunctionDef(self, node, scope):
        self.asynchronous(node, f"async def {node.name}", "write def instead of async def, and delete await: a call of a tool waits for its answer")
        return self.visit_FunctionDef(node, scope)

    def visit_Lambda(self, node, scope):
        inner = Scope("function", scope)
        a = node.args
        for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
            if arg is not None:
                self.bind(arg.arg, inner)
        return [(d, scope) for d in (*a.defaults, *a.kw_defaults) if d is not None] + [(node.body, inner)]

    def visit_ClassDef(self, node, scope):
        self.bind(node.name, scope)
        if node.name == "ctx":
            self.rebound(node, "a class is called ctx")
        outer = self.type_parameters(node, scope)
        inner = Scope("class", outer)
        self.sure_bindings(node.body, inner)
        children = [(d, scope) for d in node.decorator_list] + [(p, outer) for p in node.type_params]
        children += [(b, outer) for b in node.bases] + [(k, outer) for k in node.keywords]
        return children + [(s, inner) for s in node.body]

    def type_parameters(self, node, scope):
        if not node.type_params:
            return scope
        outer = Scope("function", scope)
        for p in node.type_params:
            self.bind(p.name, outer)
        return outer

    def visit_TypeAlias(self, node, scope):
        outer = self.type_parameters(node, scope)
        return [(node.name, scope), (node.value, outer)] + [(p, outer) for p in node.type_params]

    def comprehension(self, node, scope):
        inner = Scope("comprehension", scope)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        children = [(p, inner) for p in parts]
        for i, g in enumerate(node.generators):
            if g.is_async:
                self.asynchronous(g.target, "async for in a comprehension", "write for instead of async for")
            children += [(g.target, inner), (g.iter, inner if i else scope)] + [(c, inner) for c in g.ifs]
        return children

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_Global(self, node, scope):
        scope.globals.update(node.names)
        for name in node.names:
            if name == "ctx":
                self.rebound(node, "ctx is declared global")
            self.bind(name, self.module)

    def visit_Nonlocal(self, node, scope):
        scope.nonlocals.update(node.names)

    def visit_ExceptHandler(self, node, scope):
        if node.name:
            self.bind(node.name, scope)
            self.deleted.add(node.name)    # at the end of the clause
            if node.name == "ctx":
                self.rebound(node, "an exception is called ctx")

    def visit_MatchAs(self, node, scope):
        if node.name:
            self.bind(node.name, scope)
            if node.name == "ctx":
                self.rebound(node, "a pattern assigns ctx")

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node, scope):
        if node.rest:
            self.bind(node.rest, scope)
            if node.rest == "ctx":
                self.rebound(node, "a pattern assigns ctx")

    def visit_MatchClass(self, node, scope):
        for name in node.kwd_attrs:
            if name.startswith("__") or name in FRAMES:
                self.dunder(node, name)

    # Asynchronous code

    def asynchronous(self, node, what, hint):
        self.problem("async-not-supported", node, f"{what}: a workflow is not asynchronous", hint)

    def visit_Await(self, node, scope):
        self.asynchronous(node, "await", "delete await: a call of a tool waits for its answer")

    def visit_AsyncFor(self, node, scope):
        self.asynchronous(node, "async for", "write for instead of async for")

    def visit_AsyncWith(self, node, scope):
        self.asynchronous(node, "async with", "write with instead of async with")

    # Imports

    def visit_Import(self, node, scope):
        for alias in node.names:
            name = bound_by(alias, node)
            self.bind(name, scope)
            scope.imports.setdefault(name, []).append((alias.name if alias.asname else alias.name.partition(".")[0], None))
            if name == "ctx":
                self.rebound(alias, "a module is imported as ctx")
            self.import_of(alias, alias.name, ())
        return []

    def visit_ImportFrom(self, node, scope):
        module = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                scope.stars.add(module)
                continue
            name = bound_by(alias, node)
            self.bind(name, scope)
            scope.imports.setdefault(name, []).append((module, alias.name))
            if name == "ctx":
                self.rebound(alias, "something is imported as ctx")
        if node.level:
            self.problem("relative-import", node, f"from {'.' * node.level}{module} import ...: a workflow is one file, with nothing beside it",
                         "put the code into this file; to import the types write: from runlace_types import Ctx, Output")
        elif self.import_of(node, module, [a.name for a in node.names]):
            for alias in node.names:
                if alias.name.startswith("__"):
                    self.dunder(alias, alias.name)
                elif alias.name != "*" and (module, alias.name) in SAME_AS:
                    self.banned(alias, SAME_AS[module, alias.name], f"{module}.{alias.name}", call=False)
        return []

    def import_of(self, node, name, names):
        """Reports an import that is not allowed."""
        root = name.partition(".")[0]
        if root == "runlace_types":
            if name == root:
                return True
            self.problem("stub-submodule-import", node, f"{name} is a part of runlace_types that exists only for the type checker",
                         "write: from runlace_types import Ctx, Output, ToolError; types of tools need no import, since pyright infers them")
            return False
        if name in self.allowed or root in self.allowed:
            if name in sys.modules:
                return True
            self.problem("import-not-allowed", node, f"{name} is not available: of {root}, only the parts that it loads by itself are here",
                         f"write import {root}, or use another of the allowed modules")
            return False
        if names and all(f"{name}.{n}" in self.allowed for n in names):
            return True
        instead = INSTEAD_OF_MODULE.get(name) or INSTEAD_OF_MODULE.get(root)
        # urllib is half allowed.
        below = sorted(m for m in self.allowed if m.startswith(root + "."))
        if root in FORBIDDEN_ROOTS:
            hint = instead
            if "call a tool" in instead:
                hint += "; " + lower(self.here())
            self.problem("forbidden-import", node, f"{name} is forbidden: a workflow reaches the outside through tools only", hint)
        else:
            if below:
                instead = instead or f"of {root} there is only {', '.join(below)}"
            near = self.near(root, [m for m in self.allowed if "." not in m and m not in ("__future__", "runlace_types")])
            if not instead and near:
                instead = f"did you mean {near[0]}? Write: import {near[0]}"
            self.problem("import-not-allowed", node, f"{name} is not one of the modules that a workflow may import",
                         instead or "use an allowed module, or call a tool of a connector")
        return False

    # Names

    def binder(self, name, scope):
        """The scope that binds name as seen from scope, None if only the builtins do. Follows Python's rules."""
        s, first = scope, True
        while s.parent is not None:
            if name in s.globals:
                break
            if name in s.bound and name not in s.nonlocals and (s.kind != "class" or first):
                return s
            s, first = s.parent, False
        return self.module if name in self.module.bound else None

    def is_builtin(self, node, scope):
        """Whether a name may be the builtin where it is used. In a function it is one or the other for the whole body. A
        module and a class look among the builtins until the name is bound."""
        name = node.id
        for s in (self.binder(name, scope), self.module):
            if s is None or s.kind in ("function", "comprehension") and name in s.bound:
                return s is None
            if name in s.sure and name not in self.deleted and s.sure[name] <= (node.lineno, node.col_offset):
                return False
        return True

    def origin(self, node, scope):
        """The (module, attribute) pairs that a name may have been imported from."""
        found = []
        s = self.binder(node.id, scope)
        if s is not None:
            found += s.imports.get(node.id, ())
        s = scope
        while s is not None:
            found += [(module, node.id) for module in s.stars]
            s = s.parent
        return found

    def use(self, node, scope):
        name, parent = node.id, self.parent.get(node)
        called = isinstance(parent, ast.Call) and parent.func is node
        if name == "ctx":
            return self.use_of_ctx(node, parent, scope)
        if name in BANNED and self.is_builtin(node, scope):
            return self.banned(node, name, name, called)
        if name.startswith("__") and name.endswith("__") and name not in PLAIN_DUNDERS and self.is_builtin(node, scope):
            return self.dunder(node, name)
        # What was imported is reported at the import, what a star brought here.
        for module, attribute in self.origin(node, scope):
            if (module, attribute) in SAME_AS and self.binder(name, scope) is None:
                return self.banned(node, SAME_AS[module, attribute], name, called)
            if (module, attribute) in GETTERS:
                if called:
                    self.getters.append((parent, scope))
                else:
                    self.banned_getter(node, name)
        if isinstance(parent, ast.Attribute):
            self.attributes.append((parent, scope))

    def module_attribute(self, node, scope):
        for module, attribute in self.origin(node.value, scope):
            key = (module, node.attr)
            if attribute is not None:
                continue
            parent = self.parent.get(node)
            called = isinstance(parent, ast.Call) and parent.func is node
            if key in SAME_AS:
                self.banned(node, SAME_AS[key], f"{node.value.id}.{node.attr}", called)
            elif key in GETTERS:
                if called:
                    self.getters.append((parent, scope))
                else:
                    self.banned_getter(node, f"{node.value.id}.{node.attr}")

    def banned_getter(self, node, name):
        self.problem("dynamic-attribute-access", node, f"{name} is used without its attributes in sight",
                     "write a lambda that names the attribute: lambda value: value.name")

    def getter(self, node, scope):
        for arg in node.args:
            if not (isinstance(arg, ast.Constant) and isinstance(arg.value, str)):
                if node.args.index(arg) == 0 or ast.unparse(node.func).endswith("attrgetter"):
                    self.banned_getter(node, ast.unparse(node.func))
                    return
                continue
            for part in arg.value.split("."):
                if part.startswith("__") or part in FRAMES:
                    self.dunder(arg, part)
        for star in node.keywords:
            if star.arg is None:
                self.banned_getter(node, ast.unparse(node.func))
                return

    def banned(self, node, builtin, written, call):
        what = f"{written}(...)" if call else f"{written}, even under another name,"
        if builtin in DYNAMIC:
            self.problem("dynamic-attribute-access", node, f"{what} is not allowed: what {builtin} reaches cannot be checked before the run", DYNAMIC[builtin])
            return
        why, hint = CALLS[builtin]
        self.problem("forbidden-call", node, f"{what} is not allowed: {why}", hint or self.about_files())

    def about_files(self):
        found = {}
        for attr in sorted(self.connectors):
            for method in sorted(self.connectors[attr]):
                for verb in ("read", "write"):
                    if verb in method and "file" in method and "multiple" not in method and "media" not in method:
                        found[verb] = f"ctx.{attr}.{method}(...)"
        if found:
            return f"write {' or '.join(found[v] for v in sorted(found))} instead; for text in memory write io.StringIO(text)"
        return f"read and write files through a tool of a connector; for text in memory write io.StringIO(text). {self.here()}"

    def dunder(self, node, name):
        if name in FRAMES:
            hint = "delete it: a workflow does not look at its own frames"
        elif name in OPERATIONS:
            hint = f"write {OPERATIONS[name]}"
        elif name.endswith("__"):
            hint = "delete it: a workflow works with values, not with Python's own machinery"
        else:
            hint = f"use one underscore: {'_' + name.lstrip('_')}"
        self.problem("dunder-access", node, f"{name} is not allowed: it leads into the interpreter", hint)

    def visit_Attribute(self, node, scope):
        name = node.attr
        if (name.startswith("__") or name in FRAMES) and not self.super_init(node):
            at = ast.copy_location(ast.Pass(), node)
            at.lineno, at.col_offset = node.end_lineno, node.end_col_offset - len(name.encode())
            self.dunder(at, name)

    def super_init(self, node):
        v = node.value
        return (node.attr in ("__init__", "__post_init__") and isinstance(v, ast.Call) and isinstance(v.func, ast.Name) and v.func.id == "super"
                and not v.args and not v.keywords and isinstance(self.parent.get(node), ast.Call))

    # ctx

    def use_of_ctx(self, node, parent, scope):
        if not isinstance(parent, ast.Attribute):
            self.escape(node, parent, scope)
            return
        attr, above = parent.attr, self.parent.get(parent)
        called = isinstance(above, ast.Call) and above.func is parent
        if attr.startswith("__"):
            return    # reported as dunder-access
        if not isinstance(parent.ctx, ast.Load):
            self.rebound(parent, f"ctx.{attr} is assigned" if isinstance(parent.ctx, ast.Store) else f"ctx.{attr} is deleted")
        elif attr == "inputs":
            pass
        elif attr == "ai":
            if called:
                self.asks.append({**self.place(above), "schema": schema_kind(above)})
            else:
                self.problem("ctx-tool-not-called", parent, "ctx.ai is not called on the spot",
                             "write ctx.ai(system=\"...\", user=\"...\") with its arguments, there where the answer is needed")
        elif attr == "media":
            if not called:
                self.problem("ctx-tool-not-called", parent, "ctx.media is not called on the spot",
                             "write ctx.media(handle), there where the bytes are needed")
        elif isinstance(above, ast.Attribute):
            method, call = above.attr, self.parent.get(above)
            if method.startswith("__"):
                return
            if isinstance(call, ast.Call) and call.func is above:
                self.calls.append({"attr": attr, "method": method, **self.place(call)})
            else:
                self.not_called(parent, f"ctx.{attr}.{method} is not called on the spot", f"write ctx.{attr}.{method}(...) with its arguments, there where the result is needed")
        elif attr not in self.connectors and len(owners := [c for c in sorted(self.connectors) if attr in self.connectors[c]]) == 1:
            self.problem("unknown-connector", parent, f"ctx.{attr}: {attr} is a tool of the connector {owners[0]}, not a connector",
                         f"write ctx.{owners[0]}.{attr}(...)")
        else:
            near = [] if attr in self.connectors else self.near(attr, self.connectors)
            name = near[0] if near else attr if attr in self.connectors else "connector"
            self.not_called(parent, f"ctx.{attr} is used without calling one of its tools", f"write ctx.{name}.tool(...) in one expression, and keep only its result in a variable")

    def not_called(self, node, message, hint):
        self.problem("ctx-tool-not-called", node, message, f"{hint}. {self.here()}")

    def escape(self, node, parent, scope):
        call = self.parent.get(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and call.func is not node:
            f = call.func
            if isinstance(f, ast.Name) and f.id in DYNAMIC and self.is_builtin(f, scope):
                return    # reported as dynamic-attribute-access
            self.problem("ctx-escape", node, f"ctx is passed to {short(f)}",
                         "call the tools in run and pass their results, or define the function inside run, where it sees ctx without a parameter")
        else:
            self.problem("ctx-escape", node, "ctx is used as a value",
                         "write ctx.inputs[\"name\"] for an input and ctx.connector.tool(...) for a call: ctx itself is not stored, returned or compared")

    def place(self, node):
        return {
            "line": node.lineno, "column": self.column(node.lineno, node.col_offset),
            "end_line": node.end_lineno, "end_column": self.column(node.end_lineno, node.end_col_offset),
        }

    # run

    def check_run(self):
        body = self.tree.body
        first = body[0] if body else None
        runs = [s for s in body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)) and s.name == "run"]
        signature = f"def run(ctx: Ctx) -> {'Output' if self.outputs else 'dict[str, object]'}:"
        if not runs:
            self.problem("missing-run", first, "the file defines no function run at its top level", f"write: {signature}")
            return
        run = runs[-1]
        for d in run.decorator_list:
            self.problem("run-decorated", d, "run has a decorator: Runlace calls run itself, as it is written", "delete the decorator; helper functions may have some")
        a = run.args
        parameters = [*a.posonlyargs, *a.args]
        if len(parameters) != 1 or a.vararg or a.kwarg or a.kwonlyargs:
            self.problem("bad-run-signature", run, "run has to take one parameter, ctx",
                         f"write: {signature} and read the inputs from ctx.inputs, as declared in inputs_schema")
        else:
            if parameters[0].arg != "ctx":
                self.problem("bad-run-signature", parameters[0], f"the parameter of run is called {parameters[0].arg}", f"write: {signature}")
            self.check_ctx(parameters[0], first, signature)
        self.check_output(run, first)

    def check_ctx(self, parameter, first, signature):
        a = parameter.annotation
        code = "bad-ctx-annotation"
        if a is None:
            self.problem(code, parameter, f"the parameter {parameter.arg} has no type, so that its calls could not be checked", f"write: {signature}")
        elif not (isinstance(a, ast.Name) and a.id == "Ctx"):
            self.problem(code, a, f"the parameter has the type {short(a)}, and not the bare name Ctx", f"write: {signature} with: from runlace_types import Ctx")
        elif (own := self.defined("Ctx")) is not None:
            self.problem(code, own, "Ctx is defined here, in place of the one with this machine's connectors", "delete this definition and write: from runlace_types import Ctx")
        elif not self.imported("Ctx"):
            self.problem(code, first, "Ctx is not imported", "write at the top of the file: from runlace_types import Ctx" + (", Output" if self.outputs and not self.imported("Output") else ""))

    def check_output(self, run, first):
        r = run.returns
        code = "bad-output-annotation"
        if r is None:
            want = "Output" if self.outputs else "dict[str, object]"
            self.problem("missing-return-annotation", run, "run has no return type, so that its result could not be checked", f"write: def run(ctx: Ctx) -> {want}:")
            return
        bare = isinstance(r, ast.Name) and r.id == "Output"
        if not bare:
            if self.outputs:
                self.problem(code, r, f"run returns {short(r)}, and not the bare name Output that outputs_schema stands for",
                             "write: def run(ctx: Ctx) -> Output: with: from runlace_types import Ctx, Output")
            return
        if (own := self.defined("Output")) is not None:
            self.problem(code, own, "Output is defined here, in place of the one made from outputs_schema", "delete this definition and write: from runlace_types import Ctx, Output")
        elif not self.imported("Output"):
            self.problem(code, first, "Output is not imported", "write at the top of the file: from runlace_types import Ctx, Output")

    def defined(self, name):
        for s in self.tree.body:
            if isinstance(s, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and s.name == name:
                return s
            targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, (ast.AnnAssign, ast.AugAssign)) else [s.name] if isinstance(s, ast.TypeAlias) else []
            for t in targets:
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(t)):
                    return s
        return None

    def imported(self, name):
        return any(isinstance(s, ast.ImportFrom) and s.module == "runlace_types" and not s.level and any(a.name == name and a.asname in (None, name) for a in s.names)
                   for s in self.tree.body)

    def report(self):
        self.check_run()
        self.walk()
        self.problems.sort(key=lambda p: (p["line"], p["column"], p["code"]))
        for p in self.problems:
            if p["code"] == "import-not-allowed":    # the first one lists them for all
                p["hint"] += ". Allowed are " + ", ".join(sorted(self.allowed))
                break
        for found in (self.calls, self.asks):
            found.sort(key=lambda c: (c["line"], c["column"]))
        return {"problems": self.problems, "calls": self.calls, "asks": self.asks}


def bound_by(alias, node):
    if alias.asname:
        return alias.asname
    return alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]


def schema_kind(call):
    """What is passed as schema: absent, none, good, bad (a literal that is no object schema), or dynamic."""
    for k in call.keywords:
        if k.arg == "schema":
            try:
                value = ast.literal_eval(k.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                return "dynamic"
            if value is None:
                return "none"
            properties = value.get("properties") if isinstance(value, dict) else None
            return "good" if isinstance(value, dict) and value.get("type", "object") == "object" and isinstance(properties, dict) and properties else "bad"
    return "absent"


def short(node):
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else text[:37] + "..."


def lower(text):
    return text[:1].lower() + text[1:]


def distance(a, b):
    """Insertions, deletions, replacements and swaps of neighbours that lead from a to b."""
    before, row = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            d = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                d = min(d, last[j - 2] + 1)
            row.append(d)
    return row[-1]


def run(ctx):
    i = ctx.inputs
    return Lint(i["source"], i["outputs"], i["connectors"]).report()
