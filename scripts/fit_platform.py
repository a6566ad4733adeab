"""Writes fitted values into a platform file for `hubsim fit`: all else in it stays as it is."""
import os

import yaml

from fit_rows import Problem


class Edits:
    """Changes of a text, by place; made from behind, so that places stay right."""

    def __init__(self, text):
        self.text, self.at = text, {}

    def replace(self, node, new):
        self.at[(node.start_mark.index, node.end_mark.index)] = new

    def insert(self, index, new):
        self.at[(index, index)] = new

    def result(self):
        text = self.text
        for (start, end), new in sorted(self.at.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text


def get(node, key):
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if name.value == key:
            return value
    return None


def find(node, key):
    """The node of a dotted key, whose parts may stand in mappings within each other."""
    if not isinstance(node, yaml.MappingNode):
        return None
    for name, value in node.value:
        if name.value == key:
            return value
        deeper = find(value, key[len(name.value) + 1:]) if key.startswith(name.value + ".") else None
        if deeper is not None:
            return deeper
    return None


def calibrate(edits, node, value, ids):
    """One value with its rows. A bare number becomes a mapping."""
    rows = f"[{', '.join(ids)}]"
    if isinstance(node, yaml.ScalarNode):
        edits.replace(node, f"{{ value: {value}, source: fitted, calibrated: {rows} }}")
        return
    edits.replace(get(node, "value"), str(value))
    old = get(node, "calibrated")
    last = node.value[-1]
    if old is not None:
        edits.replace(old, rows)
    elif node.flow_style:
        edits.insert(last[1].end_mark.index, f", calibrated: {rows}")
    else:
        edits.insert(last[1].end_mark.index, f"\n{' ' * last[0].start_mark.column}calibrated: {rows}")


def add_key(edits, component, key, value, ids):
    """A key that had its default, as the first one of its component."""
    first = component.value[0][0].start_mark
    line = f"{key}: {{ value: {value}, source: fitted, calibrated: [{', '.join(ids)}] }}"
    edits.insert(first.index, line + "\n" + " " * first.column)


def keep_include(edits, node, old, new):
    """What a file includes is looked for beside it."""
    folder = os.path.dirname(os.path.realpath(new))
    edits.replace(node, os.path.relpath(os.path.join(os.path.dirname(os.path.realpath(old)), node.value), folder))


def each_include(node, seen):
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == "include":
                yield value
            yield from each_include(value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from each_include(value, seen)


def write(path, out, fitted):
    """`fitted`: for each key, such as host.cpu.irq_ps, its value and the rows that fix it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree, edits = yaml.compose(text), Edits(text)
    components = get(tree, "components")
    for key, (value, ids) in fitted.items():
        name, _, rest = key.partition(".")
        component = get(components, name) if components is not None else None
        if component is None:
            raise Problem(f"{path}: {key}: expected a component {name} to write its value to; --set takes it, too")
        node = find(component, rest)
        if node is not None:
            calibrate(edits, node, value, ids)
        elif get(component, "include") is not None:
            raise Problem(f"{path}: {key}: is set by {get(component, 'include').value}, not here; --set takes it")
        elif component.flow_style:
            raise Problem(f"{path}:{component.start_mark.line + 1}: {key}: expected {name} with a line for each key")
        else:
            add_key(edits, component, rest, value, ids)
    for node in each_include(tree, set()):
        keep_include(edits, node, path, out)
    with open(out, "w", encoding="utf-8") as file:
        file.write(edits.result())
