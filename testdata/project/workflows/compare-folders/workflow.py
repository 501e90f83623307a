"""Compares two folders: which files only one of them has, and which differ."""

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    def files(folder: str) -> dict[str, str]:
        """The files of a folder by their names in it; the server answers with whole paths."""
        found = ctx.files.search_files(path=folder, pattern="**/*.*")["content"]
        if found == "No matches found":
            return {}
        return {path.partition(f"/{folder}/")[2]: path for path in found.splitlines()}

    left, right = files(ctx.inputs["left"]), files(ctx.inputs["right"])
    changed: list[str] = []
    same = 0
    for name in sorted(left.keys() & right.keys()):
        a = ctx.files.read_text_file(path=left[name])["content"]
        b = ctx.files.read_text_file(path=right[name])["content"]
        if a == b:
            same += 1
        else:
            changed.append(name)
    return {"only_left": sorted(left.keys() - right.keys()), "only_right": sorted(right.keys() - left.keys()), "changed": changed, "same": same}
