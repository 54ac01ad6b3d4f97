"""Which functions of a file are worth running, and running them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator

from inplace_guard.analysis import abroad, calls, definitions, signatures
from inplace_guard.analysis.classes import ClassInfo, grad_mode
from inplace_guard.analysis.frames import Bound, Frame
from inplace_guard.analysis.interpreter import ALLOWANCE, Interpreter
from inplace_guard.analysis.reach import Reach
from inplace_guard.analysis.scope import Scope, own
from inplace_guard.analysis.tape import Hazard, Place
from inplace_guard.analysis.values import MAYBE, NO, UNKNOWN, YES, Class, Obj, Super, Tensor, Value

# What a write, or the life of a graph, looks like in the text. Code without any of these has nothing to report.
SIGNS = re.compile(
    r"[A-Za-z0-9]_\(|[+\-*/@%&|^<>]=|\] ?=|inplace|out=|\.step\(|\.data\b|numpy|dlpack|backward|True\)|storage"
)
LIVES = re.compile(r"\.step\(|numpy|dlpack|backward|storage")
# Where a gradient can come from, or an error at the write itself: without any of these, no write of a function that is
# not a module's forward can be a hazard that we would report.
SOURCES = re.compile(
    r"\.backward\(|requires_grad_\(|requires_grad ?= ?True|Parameter\b|\bnn\.[A-Z]\w+\(|\bgrad\(|register_hook"
    r"|\.expand(?:_as)?\(|randint|multinomial"
)
DIFFERENTIATES = re.compile(r"\.backward\(|\bgrad\(")  # so grad mode is on
# A script trains, or differentiates, or shares memory with NumPy.
SCRIPTS = re.compile(
    r"\.backward\(|\bgrad\(|requires_grad_\(|requires_grad ?= ?True|Parameter\(|from_numpy|\.numpy\(|\.expand\("
    r"|__main__"
)
HOOKS_OF_FRAMEWORKS = ("forward", "training_step")  # what they return goes to a backward

INTERNAL = "internal error, not analysed"
# They tell of values that are not what the reader thinks; another finding on the same write says more.
WEAKER = frozenset({"IPG205", "IPG207", "IPG209", "IPG210", "IPG212"})
LEAST = 15_000  # steps for an entry of a file in which others have met their bound: each halves what the next ones get
DEPTH = 4000  # Python frames: about a dozen for each call that is followed

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Runner:
    """Runs the entries of one file and gathers what they report."""

    interpreter: type[Interpreter] = Interpreter  # `diagnose` listens with a class of its own

    def __init__(
        self, tree: ast.Module, source: str, codes: frozenset[str] = frozenset(), scope: Scope | None = None
    ) -> None:
        """With the `scope` that a project made of the file, the files that it imports are followed."""
        self.opinions = frozenset(code for code in codes if code.startswith("IPG9"))
        self.scope = scope or Scope(tree, source)
        self.tree = self.scope.tree
        self.hazards: dict[tuple[str, int, int], Hazard] = {}
        self.ran: set[ast.AST] = set()
        self.covered: set[ast.AST] = set()
        self.notes: list[str] = []
        self.stopped = 0  # entries that met their bound
        self.trainers: re.Pattern[str] | None = None
        self.source = source

    def run(self) -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, DEPTH))
        try:
            self.run_entries()
        except RecursionError:
            self.notes.append("nested too deeply to analyse")
        finally:
            sys.setrecursionlimit(limit)

    def run_entries(self) -> None:
        self.module()
        # The outer modules come last in a file; what they run is seen in its place and not run again alone.
        for cls in reversed(list(self.classes())):
            self.modules_forward(cls)
        for cls in self.classes():
            self.dataset(cls)
        self.trainers = self.calls_of_trainers()
        for function, owner in self.functions():
            if function not in self.ran and self.concerned(function):
                self.function(function, owner)

    def interesting(self, node: ast.ClassDef) -> bool:
        return LIVES.search(self.scope.text(node)) is not None or Reach(self.scope, node).writes()

    def concerned(self, node: FunctionNode) -> bool:
        text = self.scope.text(node)
        if self.opinions or SOURCES.search(text) is not None:
            return SIGNS.search(text) is not None
        return self.trainers is not None and self.trainers.search(text) is not None

    def calls_of_trainers(self) -> re.Pattern[str] | None:
        """What a call of a function that runs a backward, itself or through others, looks like."""
        if not self.scope.trains:
            return None
        texts = {function.name: self.scope.text(function) for function, _ in self.functions()}
        names = {name for name, text in texts.items() if ".backward(" in text}
        pattern = None
        while True:
            pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\(") if names else None
            more = {
                n for n, text in texts.items() if pattern and n not in names and pattern.search(text[text.find(")") :])
            }
            if not more:
                return pattern
            names |= more

    def has_entry(self, node: ast.ClassDef) -> bool:
        return any(isinstance(s, FunctionNode) and s.name in HOOKS_OF_FRAMEWORKS for s in node.body)

    def reported(self) -> list[Hazard]:
        """What was found, by place; of several findings on one write, those that say what backward does about it. A
        write in another file is that file's matter if its own analysis reports it."""
        stronger = {(line, column) for code, line, column in self.hazards if code not in WEAKER}
        kept = [
            h
            for (code, line, column), h in self.hazards.items()
            if code not in WEAKER or (line, column) not in stronger
        ]
        kept = [h for h in kept if not any(reports(scope, line) for scope, line in h.write.place.abroad)]
        places = {id(h): h.write.place.here or h.write.place for h in kept}
        return sorted(kept, key=lambda h: (places[id(h)].line, places[id(h)].column, h.code))

    def classes(self) -> Iterator[ast.ClassDef]:
        for definition in self.scope.defs.values():
            if isinstance(definition, ast.ClassDef):
                yield definition

    def functions(self) -> Iterator[tuple[FunctionNode, ast.ClassDef | None]]:
        for definition in self.scope.defs.values():
            if isinstance(definition, FunctionNode):
                yield definition, None
            elif isinstance(definition, ast.ClassDef):
                for statement in definition.body:
                    if isinstance(statement, FunctionNode):
                        yield statement, definition

    # Entries

    def module(self) -> None:
        """The top level, if it does more than define things: a script."""
        trains = SCRIPTS.search(self.source) and any(acts(statement) for statement in self.tree.body)
        if not trains and not ("nn." in self.source and any(writes(statement) for statement in self.tree.body)):
            return
        it = self.interpreter(self.scope)
        it.limit = 150_000
        it.most_abroad = abroad.MOST_OF_SCRIPTS
        it.allowance = 2 * abroad.MOST_OF_SCRIPTS
        self.guarded(it, "the top level", lambda: it.exec(self.tree.body))

    def modules_forward(self, node: ast.ClassDef) -> None:
        """forward of a module class: its result goes to a backward."""
        own = self.has_entry(node)
        if not (own and self.interesting(node)) and not (not own and overrides(node)):
            return
        it = self.interpreter(self.scope)
        info = definitions.class_info(it, node, it.globals)
        if not info.is_module:
            return
        if not own:
            inherited = info.method("forward")
            if inherited is not None and self.interesting(node):
                self.method(node, "forward")  # it calls what this class overrides
            return
        for name in HOOKS_OF_FRAMEWORKS:
            if name in info.methods and info.methods[name] not in self.covered:
                self.method(node, name)

    def dataset(self, node: ast.ClassDef) -> None:
        """__getitem__ of a dataset: a write to what it stores is there at the next epoch."""
        bases = [self.scope.dotted(base) or "" for base in node.bases]
        if "torch.utils.data.Dataset" not in bases or not self.interesting(node):
            return
        it = self.interpreter(self.scope)

        def run() -> None:
            info = definitions.class_info(it, node, it.globals)
            found = info.method("__getitem__")
            if found is not None:
                obj = self.instance(it, info, node)
                for key, cell in list(it.heap.items()):
                    if type(key) is tuple and key[0] == obj.oid and isinstance(cell, Tensor) and not it.sure(cell):
                        it.heap[key] = cell.but(origin="stored")
                self.enter(it, found[0], found[1], obj, "parameter", node)

        self.guarded(it, f"{node.name}.__getitem__", run)

    def method(self, node: ast.ClassDef, name: str) -> None:
        it = self.interpreter(self.scope)

        def run() -> None:
            info = definitions.class_info(it, node, it.globals)
            found = info.method(name)
            if found is None:
                return
            function, owner = found
            obj = self.instance(it, info, node)
            # A forward from another file is called with what that file knows of: only parameters are sure.
            it.min_req = MAYBE if owner.scope is it.home else YES
            value = self.enter(it, function, owner, obj, "forward", node)
            self.escape(it, value, function, owner)

        self.guarded(it, f"{node.name}.{name}", run)

    def instance(self, it: Interpreter, info: ClassInfo, node: ast.ClassDef) -> Obj:
        """self, as __init__ leaves it."""
        obj = Obj(it.new_id(), info)
        found = info.method("__init__")
        if found is not None:
            function, owner = found
            self.enter(it, function, owner, obj, "init", node)
        else:  # class Scaled(nn.Linear) without an __init__ of its own
            calls.base_init(it, Super(obj, None), [], {}, node)
        it.allowance = it.abroad + ALLOWANCE
        return obj

    def enter(
        self,
        it: Interpreter,
        function: FunctionNode,
        owner: ClassInfo | None,
        receiver: Value | None,
        origin: str,
        node: ast.AST,
    ) -> Value:
        """Run a function with arguments of which nothing is known. `node`, of this file, is what asks for it."""
        frame = Frame(function, it.around(owner) if owner is not None else it.globals, owner)
        if frame.scope is it.home:
            return self.enter_frame(it, function, frame, receiver, origin)
        frame.via = Place(node)
        value = abroad.run(it, function, lambda: self.enter_frame(it, function, frame, receiver, origin))
        return UNKNOWN if value is None else value

    def enter_frame(
        self, it: Interpreter, function: FunctionNode, frame: Frame, receiver: Value | None, origin: str
    ) -> Value:
        signatures.bind_parameters(it, frame, function, [receiver] if receiver is not None else [], {}, origin)
        if grad_mode(frame.scope, function) in ("no_grad", "inference"):
            it.heap["grad"] = False
        value = it.run_function(function, frame)
        it.heap["grad"] = True
        return value

    def escape(self, it: Interpreter, value: Value, function: FunctionNode, owner: ClassInfo | None) -> None:
        roots = it.tensors(value)
        if roots:
            ends = [n for n in own(function) if isinstance(n, ast.Return)]
            file = owner.scope if owner is not None and owner.scope is not it.home else None
            it.backward(roots, Place(ends[-1] if ends else function, file), retain=True, text="return", spend=False)

    def function(self, function: FunctionNode, owner: ast.ClassDef | None) -> None:
        """Any other function: reported is what its own backward meets, and what is certain."""
        it = self.interpreter(self.scope)

        def run() -> None:
            it.min_req = YES
            it.leaves_count = (
                function.name == "__init__" or DIFFERENTIATES.search(self.scope.text(function)) is not None
            )
            receiver: Value | None = None
            cls = None
            if owner is not None:
                cls = definitions.class_info(it, owner, it.globals)
                static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
                receiver = None if static else self.instance(it, cls, owner)
                if any(isinstance(d, ast.Name) and d.id == "classmethod" for d in function.decorator_list):
                    receiver = Class(cls)
            value = self.enter(it, function, cls, receiver, "parameter", function)
            if owner is None:
                self.escape(it, value, function, None)

        self.guarded(it, function.name, run)

    def guarded(self, it: Interpreter, what: str, run: Callable[[], object]) -> None:
        it.opinions = self.opinions
        it.limit = max(it.limit >> self.stopped, LEAST)
        it.own_limit = min(it.own_limit, it.limit)
        try:
            run()
            self.ran |= it.ran
            self.covered |= it.met()
        except Bound:
            self.stopped += 1
            self.notes.append(f"{what}: stopped after {it.limit} steps, the rest of it was not analysed")
        except RecursionError:
            self.notes.append(f"{what}: nested too deeply to analyse")
        except Exception as error:  # one entry must not take the findings of the others with it
            self.notes.append(f"{what}: {INTERNAL} ({type(error).__name__}: {error}); please report it")
        for key, hazard in it.hazards.items():
            old = self.hazards.get(key)
            if old is None or (hazard.certain and not old.certain):
                self.hazards[key] = hazard


def reports(scope: Scope, line: int) -> bool:
    """Whether the analysis of another file of the project reports this line of it."""
    assert scope.project is not None
    assert scope.unit is not None
    own = scope.project.own
    if scope.unit.path not in own:
        own[scope.unit.path] = frozenset()  # against files that import each other
        runner = Runner(scope.tree, scope.source, scope=scope)
        runner.run()
        places = [place for _, place, _ in runner.hazards]
        own[scope.unit.path] = frozenset(places)
    return line in own[scope.unit.path]


def overrides(node: ast.ClassDef) -> bool:
    return bool(node.bases) and any(isinstance(s, FunctionNode) and s.name != "__init__" for s in node.body)


def writes(statement: ast.stmt) -> bool:
    """A top-level statement that may write a tensor itself."""
    if isinstance(statement, ast.Assign):
        return any(isinstance(target, ast.Subscript | ast.Attribute) for target in statement.targets)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        return isinstance(function, ast.Attribute) and function.attr.endswith("_")
    return isinstance(statement, ast.AugAssign)


def acts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.If):
        return any(acts(inner) for inner in (*statement.body, *statement.orelse))
    if isinstance(statement, ast.Try):
        return any(acts(inner) for inner in statement.body)
    return isinstance(statement, ast.For | ast.While | ast.With | ast.AugAssign)


__all__ = ["NO", "UNKNOWN", "Runner", "Tensor"]
