# Checked by pyright against the stubs of the vectors. A line that has to be refused ends with "# error" and the rule.
from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    words = ctx.good_reserved_words.class_(from_="a", self="b", nested={"class_": "x", "deep": [{"import_": {"k": {"None_": "v"}}}]})
    words["type_"].upper()
    words["type"]  # error reportTypedDictNotRequiredAccess|reportGeneralTypeIssues
    ctx.good_reserved_words.class_(from_="a")  # error reportCallIssue
    ctx.good_reserved_words.class_(from_="a", self="b", frm="c")  # error reportCallIssue
    ctx.good_reserved_words.class_(from_="a", self=5)  # error reportArgumentType
    ctx.good_reserved_words.class_(from_="a", self="b", nested={"klass": "x"})  # error reportArgumentType

    ctx.good_nullable.nullable(a=None, b=None, c=None, d=None)
    ctx.good_nullable.nullable(a=5)  # error reportArgumentType
    ctx.good_enums.enums(kind="and", phases=3, mixed="auto", unit="line\nbreak", flag=True, none=None, float=1.5)
    ctx.good_enums.enums(kind="or")  # error reportArgumentType
    ctx.good_enums.enums(kind="and", phases=2)  # error reportArgumentType

    mail = ctx.good_unspellable_keys.send_email(content_type="a", StartTime_lt="b", headers={"content-type": "x", "a b": [{"x-y": "1"}]})
    print(mail["x-id"] + 1)

    tree = ctx.good_recursion.tree(node={"name": "a", "children": [{"name": "b", "parent": None}]})
    print(tree["children"][0]["children"][0]["name"].upper())
    ctx.good_recursion.tree(node={"name": "a", "children": [{"nme": "b"}]})  # error reportArgumentType
    ctx.good_recursion.json_value(value={"a": [1, "x", None, {"b": True}]})
    ctx.good_recursion.json_value(value={"a": {1, 2}})  # error reportArgumentType
    ctx.good_recursion.matrix(m=[1.5, [2, [3]]])

    union = ctx.good_unions.unions(shape={"kind": "circle", "radius": 1})
    if union["status"] == "ok":
        print(union["value"] + 1)
    else:
        print(union["message"].upper())
    ctx.good_unions.unions(shape={"kind": "circle", "side": 1})  # error reportArgumentType
    ctx.good_root_unions.by_id_or_name(id=1)
    ctx.good_root_unions.by_id_or_name(name="x", dry=True)
    ctx.good_root_unions.by_id_or_name(dry=True)  # error reportCallIssue
    ctx.good_all_of.merged(a="x", b=1, c=True, only_then="y")
    ctx.good_tuples_and_maps.collections(point=[1, 2.5], pair=["a", 1], mixed={"a": "x", "b": 5}, of={"k": [1]}, closed={})
    ctx.good_builtin_names.list(a=["x"], b={"k": 1}, c=1.5, d=True, e="x")["list"].append("y")  # error reportTypedDictNotRequiredAccess
    print(ctx.good_builtin_names.get(x="a").get("b", {}).get("Issue", "").upper())
    ctx.good_tool_names.查询()
    ctx.good_tool_names.gone()  # error reportAttributeAccessIssue|reportUnknownMemberType
    ctx.degraded_no_schemas.only_schema(anything=1, goes="x")
    ctx.degraded_no_schemas.nothing(x=1)  # error reportCallIssue
    ctx.degraded_untyped.untyped(a=object(), d=[1, "x"], e={"k": [1]}, i=[{}])
    nothing = ctx.degraded_no_schemas.nothing()
    print(nothing["anything"].goes())

    try:
        ctx.github_ref.create_issue(owner="a", repo="b", title="c")
    except ToolError as e:
        print(e.message, e.code, e.data, e.tool.upper())
    text = ctx.ai(system="a", user="b")
    answer = ctx.ai(system="a", user="b", schema={"type": "object"})
    ctx.ai(system="a")  # error reportCallIssue
    print(ctx.media("media:sha256:00").hex(), ctx.media(handle=text)[:4])
    ctx.media(5)  # error reportArgumentType
    ctx.ai_.c()
    return {"text": text.upper(), "answer": answer["x"], "input": ctx.inputs["anything"]}
