# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parses Python for the workbench and does nothing else with it.

One request is one JSON line {"source": text}; one answer is one JSON line, either
{"schema": 1, "tree": node} or {"schema": 1, "error": {message, line, col, endline, endcol}}.
A node is [kind, line, col, endline, endcol, text, literal, [child, ...]]: lines from 1, columns in UTF-8
bytes from 1, the end one past the last byte. `text` is null or a string. `literal` is null or a tagged list:
["none"], ["ellipsis"], ["bool", b], ["int", i], ["float", repr], ["str", s].

The answer must not depend on the Python that runs this (3.9 and later): what only some versions know (the
places inside f-strings, of aliases) is replaced by the place of what stands around it.
"""
import ast
import json
import sys
import warnings

SCHEMA = 1
MAXIMUM_DEPTH = 300
MAXIMUM_MEMORY = 1 << 30
MAXIMUM_SECONDS = 4.0  # of the processor, for one text; what is densest takes a third of it

BINARY = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&",
}
UNARY = {"USub": "-", "UAdd": "+", "Invert": "~", "Not": "not"}
COMPARE = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
    "In": "in", "NotIn": "not in",
}


class TooDeep(Exception):
    pass


def kind_name(value):
    return type(value).__name__


def clean(text):
    """A string that JSON can carry: half surrogate pairs are replaced."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


def place_of(node):
    return [node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1]


def make(kind, place, text=None, literal=None, children=()):
    return [kind, place[0], place[1], place[2], place[3], text, literal, list(children)]


def none(place):
    """Stands for something left out, at the start of what it was left out of."""
    return make("None", [place[0], place[1], place[0], place[1]])


def spanning(children, otherwise):
    places = [c[1:5] for c in children if c[0] != "None"]
    if not places:
        return otherwise
    start = min(p[0:2] for p in places)
    end = max(p[2:4] for p in places)
    return start + end


class Writer:
    def __init__(self):
        self.depth = 0
        self.fixed = None  # the place that everything inside an f-string gets

    def place(self, node):
        return self.fixed or place_of(node)

    def one(self, node):
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise TooDeep()
        try:
            handler = getattr(self, "on_" + kind_name(node), None)
            if handler is None:
                return make("Other", self.place(node), kind_name(node))
            return handler(node, self.place(node))
        finally:
            self.depth -= 1

    def maybe(self, node, place):
        return none(place) if node is None else self.one(node)

    def many(self, nodes):
        return [self.one(n) for n in nodes]

    def block(self, statements, place):
        children = self.many(statements)
        return make("Block", spanning(children, none(place)[1:5]), children=children)

    # Statements

    def on_FunctionDef(self, n, p):
        if getattr(n, "type_params", None):
            return make("Other", p, "type parameters")
        children = [self.parameters(n.args, p), self.block(n.body, p)] + self.many(n.decorator_list)
        return make("FunctionDef", p, n.name, children=children)

    def on_ClassDef(self, n, p):
        if n.keywords or getattr(n, "type_params", None):
            return make("Other", p, "ClassDef")
        return make("ClassDef", p, n.name, children=[self.block(n.body, p)] + self.many(n.bases))

    def on_Return(self, n, p):
        return make("Return", p, children=[self.maybe(n.value, p)])

    def on_Delete(self, n, p):
        return make("Delete", p, children=self.many(n.targets))

    def on_Assign(self, n, p):
        return make("Assign", p, children=[self.one(n.value)] + self.many(n.targets))

    def on_AugAssign(self, n, p):
        return make("AugAssign", p, BINARY[kind_name(n.op)], children=[self.one(n.target), self.one(n.value)])

    def on_AnnAssign(self, n, p):
        return make("AnnAssign", p, children=[self.one(n.target), self.one(n.annotation), self.maybe(n.value, p)])

    def on_For(self, n, p):
        return make("For", p, children=[self.one(n.target), self.one(n.iter), self.block(n.body, p),
                                        self.block(n.orelse, p)])

    def on_While(self, n, p):
        return make("While", p, children=[self.one(n.test), self.block(n.body, p), self.block(n.orelse, p)])

    def on_If(self, n, p):
        return make("If", p, children=[self.one(n.test), self.block(n.body, p), self.block(n.orelse, p)])

    def on_With(self, n, p):
        contexts = []
        for item in n.items:
            if item.optional_vars is None:
                contexts.append(self.one(item.context_expr))
            else:
                contexts.append(make("Other", self.place(item.context_expr), "withitem"))
        return make("With", p, children=[self.block(n.body, p)] + contexts)

    def on_Raise(self, n, p):
        return make("Raise", p, children=[self.maybe(n.exc, p)])

    def on_Try(self, n, p):
        return make("Try", p, children=[self.block(n.body, p)])

    def on_Assert(self, n, p):
        return make("Assert", p, children=[self.one(n.test), self.maybe(n.msg, p)])

    def aliases(self, names, p):
        return [make("Alias", p, a.name + (" as " + a.asname if a.asname else "")) for a in names]

    def on_Import(self, n, p):
        return make("Import", p, children=self.aliases(n.names, p))

    def on_ImportFrom(self, n, p):
        return make("ImportFrom", p, "." * (n.level or 0) + (n.module or ""), children=self.aliases(n.names, p))

    def on_Global(self, n, p):
        return make("Global", p, ",".join(n.names))

    def on_Nonlocal(self, n, p):
        return make("Nonlocal", p, ",".join(n.names))

    def on_Expr(self, n, p):
        return make("ExprStatement", p, children=[self.one(n.value)])

    def on_Pass(self, n, p):
        return make("Pass", p)

    def on_Break(self, n, p):
        return make("Break", p)

    def on_Continue(self, n, p):
        return make("Continue", p)

    # Parameters

    def parameter(self, stars, arg, default):
        p = self.place(arg)
        return make("Parameter", p, stars + arg.arg, children=[self.maybe(default, p), self.maybe(arg.annotation, p)])

    def parameters(self, a, p):
        plain = a.posonlyargs + a.args
        defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
        children = [self.parameter("", arg, default) for arg, default in zip(plain, defaults)]
        if a.vararg is not None:
            children.append(self.parameter("*", a.vararg, None))
        elif a.kwonlyargs:
            place = self.place(a.kwonlyargs[0])
            children.append(make("Parameter", none(place)[1:5], "*", children=[none(place), none(place)]))
        for arg, default in zip(a.kwonlyargs, a.kw_defaults):
            children.append(self.parameter("", arg, default))
        if a.kwarg is not None:
            children.append(self.parameter("**", a.kwarg, None))
        return make("Parameters", spanning(children, none(p)[1:5]), children=children)

    # Expressions

    def on_Name(self, n, p):
        return make("Name", p, n.id)

    def on_Constant(self, n, p):
        v = n.value
        if v is None:
            literal = ["none"]
        elif v is Ellipsis:
            literal = ["ellipsis"]
        elif isinstance(v, bool):
            literal = ["bool", v]
        elif isinstance(v, int):
            if v.bit_length() < 64:
                literal = ["int", v]
            else:
                try:
                    literal = ["float", repr(float(v))]
                except OverflowError:
                    literal = ["float", "inf"]
        elif isinstance(v, float):
            literal = ["float", repr(v)]
        elif isinstance(v, str):
            literal = ["str", clean(v)]
        else:
            return make("Other", p, kind_name(v))
        return make("Constant", p, literal=literal)

    def on_Attribute(self, n, p):
        return make("Attribute", p, n.attr, children=[self.one(n.value)])

    def on_Subscript(self, n, p):
        return make("Subscript", p, children=[self.one(n.value), self.one(n.slice)])

    def on_Slice(self, n, p):
        return make("Slice", p, children=[self.maybe(n.lower, p), self.maybe(n.upper, p), self.maybe(n.step, p)])

    def on_Call(self, n, p):
        arguments = list(n.args) + list(n.keywords)
        if self.fixed is None:
            arguments.sort(key=lambda a: (a.lineno, a.col_offset))
        return make("Call", p, children=[self.one(n.func)] + self.many(arguments))

    def on_keyword(self, n, p):
        return make("Keyword", p, n.arg or "", children=[self.one(n.value)])

    def on_Starred(self, n, p):
        return make("Starred", p, children=[self.one(n.value)])

    def on_BinOp(self, n, p):
        return make("BinOp", p, BINARY[kind_name(n.op)], children=[self.one(n.left), self.one(n.right)])

    def on_UnaryOp(self, n, p):
        return make("UnaryOp", p, UNARY[kind_name(n.op)], children=[self.one(n.operand)])

    def on_BoolOp(self, n, p):
        return make("BoolOp", p, "and" if isinstance(n.op, ast.And) else "or", children=self.many(n.values))

    def on_Compare(self, n, p):
        children = [self.one(n.left)]
        for op, right in zip(n.ops, n.comparators):
            node = self.one(right)
            children.append(make("Comparator", node[1:5], COMPARE[kind_name(op)], children=[node]))
        return make("Compare", p, children=children)

    def on_IfExp(self, n, p):
        return make("IfExp", p, children=[self.one(n.test), self.one(n.body), self.one(n.orelse)])

    def on_Lambda(self, n, p):
        return make("Lambda", p, children=[self.parameters(n.args, p), self.one(n.body)])

    def on_Tuple(self, n, p):
        return make("Tuple", p, children=self.many(n.elts))

    def on_List(self, n, p):
        return make("List", p, children=self.many(n.elts))

    def on_Set(self, n, p):
        return make("Set", p, children=self.many(n.elts))

    def on_Dict(self, n, p):
        children = []
        for key, value in zip(n.keys, n.values):
            children += [self.maybe(key, self.place(value)), self.one(value)]
        return make("Dict", p, children=children)

    def comprehensions(self, generators):
        result = []
        for g in generators:
            if g.is_async:
                result.append(make("Other", self.place(g.target), "asynchronous comprehension"))
                continue
            children = [self.one(g.target), self.one(g.iter)] + self.many(g.ifs)
            result.append(make("Comprehension", spanning(children, children[0][1:5]), children=children))
        return result

    def on_ListComp(self, n, p):
        return make("ListComp", p, children=[self.one(n.elt)] + self.comprehensions(n.generators))

    def on_SetComp(self, n, p):
        return make("SetComp", p, children=[self.one(n.elt)] + self.comprehensions(n.generators))

    def on_GeneratorExp(self, n, p):
        return make("GeneratorExp", p, children=[self.one(n.elt)] + self.comprehensions(n.generators))

    def on_DictComp(self, n, p):
        return make("DictComp", p, children=[self.one(n.key), self.one(n.value)] + self.comprehensions(n.generators))

    def on_JoinedStr(self, n, p):
        outer = self.fixed
        self.fixed = p
        try:
            return make("JoinedStr", p, children=self.many(n.values))
        finally:
            self.fixed = outer

    def on_FormattedValue(self, n, p):
        conversion = "" if n.conversion == -1 else chr(n.conversion)
        return make("FormattedValue", p, conversion, children=[self.one(n.value), self.maybe(n.format_spec, p)])


def lines_of(source):
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def byte_column(lines, line, character):
    """Column in bytes of the 1-based column in characters that a SyntaxError carries."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text[: max(character - 1, 0)].encode("utf-8")) + 1


def problem(message, line=0, col=0, endline=0, endcol=0):
    return {"message": clean(message), "line": line, "col": col, "endline": endline, "endcol": endcol}


def syntax_problem(error, source):
    lines = lines_of(source)
    line = min(max(error.lineno or 1, 1), len(lines))
    col = byte_column(lines, line, error.offset or 1)
    endline = getattr(error, "end_lineno", None) or line
    endcol = byte_column(lines, endline, getattr(error, "end_offset", None) or 0)
    if endline < line or (endline == line and endcol <= col):
        endline, endcol = line, col + 1
    return problem(error.msg or "invalid syntax", line, col, endline, endcol)


def too_deep(source):
    """Python does not say where it gave up; what is nested that deeply makes the longest line."""
    lines = lines_of(source)
    line = max(range(len(lines)), key=lambda n: len(lines[n])) + 1
    return problem("the text is nested too deeply to be parsed", line, 1, line, 2)


def answer(source):
    try:
        tree = ast.parse(source, "<kernel>", "exec")
        last = lines_of(source)
        place = [1, 1, len(last), len(last[-1].encode("utf-8")) + 1]
        sys.setrecursionlimit(6000)
        root = make("Module", place, children=Writer().many(tree.body))
        return json.dumps({"schema": SCHEMA, "tree": root}, separators=(",", ":"))
    except SyntaxError as error:
        found = syntax_problem(error, source)
    except (MemoryError, RecursionError, TooDeep):
        found = too_deep(source)
    except (ValueError, OverflowError) as error:
        found = problem(str(error))
    finally:
        # The parser's own guard against deep nesting is derived from this limit.
        sys.setrecursionlimit(1000)
    return json.dumps({"schema": SCHEMA, "error": found}, separators=(",", ":"))


def main():
    warnings.simplefilter("ignore")
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAXIMUM_MEMORY, MAXIMUM_MEMORY))
    except (ImportError, ValueError, OSError):
        pass
    try:
        import signal

        # Whoever waits for the answer knows what it means when the timer ends this process.
        limit = lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
        limit(0)
    except (ImportError, AttributeError, ValueError, OSError):
        limit = lambda seconds: None
    out = sys.stdout.buffer
    out.write(json.dumps({"schema": SCHEMA, "ready": True}).encode("ascii") + b"\n")
    out.flush()
    for request in sys.stdin.buffer:
        limit(MAXIMUM_SECONDS)
        out.write(answer(json.loads(request)["source"]).encode("ascii") + b"\n")
        limit(0)
        out.flush()


main()
