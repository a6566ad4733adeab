"""Runs the cells of a notebook without Jupyter:  scripts/python scripts/notebook.py [--check] FILE

Stores what they print, what their last line is, and their figures, as Jupyter does. With --check it compares text, and the
number of figures, with what is stored; status 1 and a diff where they differ. It takes the hubsim of the PATH.
"""
import ast
import base64
import contextlib
import difflib
import io
import json
import sys

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402  after the choice of what draws


def lines(text):
    return text.splitlines(keepends=True)


def pictures():
    """The open figures, which are closed."""
    for number in pyplot.get_fignums():
        png = io.BytesIO()
        pyplot.figure(number).savefig(png, format="png", dpi=72, metadata={"Software": None})
        yield {"output_type": "display_data", "metadata": {},
               "data": {"image/png": base64.b64encode(png.getvalue()).decode(), "text/plain": ["<Figure>"]}}
    pyplot.close("all")


def execute(source, names, count):
    """The outputs of a cell; `names` is what the cells before it have defined."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"cell {count}", "exec"), names)
        value = None if last is None else eval(compile(last, f"cell {count}", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {},
                        "data": {"text/plain": lines(repr(value))}})
    return outputs + list(pictures())


def texts(outputs):
    """Their text, for comparison; a figure is one line."""
    return [line for output in outputs for line in output.get("text") or output["data"]["text/plain"]]


def main(words):
    check, path = words[:1] == ["--check"], words[-1]
    with open(path) as file:
        notebook = json.load(file)
    names, same = {"__name__": "__main__"}, True
    for count, cell in enumerate((cell for cell in notebook["cells"] if cell["cell_type"] == "code"), 1):
        stored = texts(cell["outputs"])
        cell["execution_count"], cell["outputs"] = count, execute("".join(cell["source"]), names, count)
        now = texts(cell["outputs"])
        if check and now != stored:
            same = False
            sys.stdout.writelines(difflib.unified_diff(stored, now, f"{path}, cell {count}", "now"))
    if not check:
        with open(path, "w") as file:
            file.write(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
