"""Copies the documents of a checkout to a folder for MkDocs: stage.py ROOT FOLDER.

Links between documents stay. A link to another file takes the file along. A link to a folder goes to its README; if it has
none, to a list of its files where the folder is one of documents, and else it becomes text: the site has no sources.
"""
import pathlib
import re
import shutil
import subprocess
import sys

root, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:])
tracked = subprocess.run(
    ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    check=True, capture_output=True, text=True).stdout.split("\0")
files = {f for f in tracked if f and (root / f).is_file()}
folders = {str(p) for f in files for p in pathlib.PurePosixPath(f).parents}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def resolved(page, target):
    """The path within the checkout that a page's link names; None if it leaves it."""
    path = pathlib.Path(root / page).parent / target
    try:
        return str(path.resolve().relative_to(root))
    except ValueError:
        return None


def take_along(name):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / name, folder / name)


def list_of(name):
    """A page that lists the files of a folder; returns its name."""
    page = f"{name}/index.md"
    inside = sorted(f for f in files if f.startswith(name + "/"))
    for f in inside:
        if not f.endswith(".md"):
            take_along(f)
    (folder / page).parent.mkdir(parents=True, exist_ok=True)
    (folder / page).write_text(
        f"# {name}\n\n" + "".join(f"- [{f[len(name) + 1:]}]({f[len(name) + 1:]})\n" for f in inside))
    return page


def rewritten(page, text):
    def link(m):
        image, words, target = m.groups()
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return m[0]
        path, _, anchor = target.partition("#")
        name = resolved(page, path)
        if name in files:
            if not name.endswith(".md"):
                take_along(name)
            return m[0]
        if name in folders:
            place = f"{name}/README.md"
            if place not in files:
                place = list_of(name) if name.startswith("docs/") else None
            if place:
                up = "../" * (len(pathlib.PurePosixPath(page).parts) - 1)
                return f"{image}[{words}]({up}{place}{'#' + anchor if anchor else ''})"
            return words
        sys.exit(f"{page}: the link {target} names nothing")
    # Not in blocks of code.
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.S | re.M)
    return "".join(p if i % 2 else LINK.sub(link, p) for i, p in enumerate(parts))


shutil.rmtree(folder, ignore_errors=True)
pages = [f for f in sorted(files) if f.endswith(".md") and not f.startswith((".github/", "cli/"))]
for page in pages:
    (folder / page).parent.mkdir(parents=True, exist_ok=True)
    (folder / page).write_text(rewritten(page, (root / page).read_text()))
shutil.copyfile(root / "docs/site/howdah.css", folder / "howdah.css")
print(f"{len(pages)} pages")
