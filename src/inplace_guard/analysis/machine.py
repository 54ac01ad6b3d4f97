"""The machine that the interpreter runs on: frames, heap, and the rules of autograd on them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from inplace_guard.analysis import refusals, suspicion
from inplace_guard.analysis.frames import Bound, Frame, State
from inplace_guard.analysis.heap import Heap
from inplace_guard.analysis.joins import join, join_into
from inplace_guard.analysis.tape import EMPTY, Hazard, Mem, Node, Place, Save, Write
from inplace_guard.analysis.values import MAYBE, MULTI, NO, PLAIN, UNKNOWN, YES, Dict, Seq, Tensor, Value

Kept = tuple[Tensor, str, str, int]  # the tensor, what it is to the op, how it is kept, at which certainty of req


class Machine:
    """Heap and autograd semantics, free of Python's syntax."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.heap = Heap({"grad": True, "hooks": "", "function": False, "inference": False})
        self.hazards: dict[tuple[str, int, int], Hazard] = {}
        self.last_id = 0
        self.steps = 0
        self.limit = 60_000
        self.covered: set[ast.AST | None] = set()  # functions whose ops some backward or escape has met
        self.replaying = False
        self.opinions: frozenset[str] = frozenset()  # the IPG9 rules that were selected
        self.leaves_count = True  # False in a helper whose callers, unseen, may well switch grad mode off
        self.cutting = False  # whether any detach_() was met
        self.watched = False  # whether any memory is under suspicion (see `suspicion.read`)
        self.reads: list[Tensor] | None = None  # what the ops of the running checkpointed segment read
        self.making: list[Write | None] = []  # the writes of the running op
        self.min_req = MAYBE  # what an op must at least require for a report in the running entry

    # Heap

    def new_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def tick(self, cost: int = 1) -> None:
        self.steps += cost
        if self.steps > self.limit:
            raise Bound

    def fork(self) -> State:
        return self.heap.fork(), dict(self.frame.locals)

    def resume(self, state: State) -> None:
        self.heap, self.frame.locals = state

    def current(self) -> State:
        return self.heap, self.frame.locals

    def join(self, states: Iterable[State]) -> bool:
        """Continue from all of these states at once; False if there is none (no path gets here)."""
        todo = list(states)
        if not todo:
            return False
        heap, names = todo[0]
        for other_heap, other_names in todo[1:]:
            self.tick()
            # The names first: what each branch saved must still be told apart (see joins.elsewhere).
            join_into(self, names, other_names, heap, other_heap, other_names)
            join_into(self, heap, other_heap, heap, other_heap, heap.differing(other_heap))
        self.heap, self.frame.locals = heap, names
        return True

    def mem(self, key: int) -> Mem:
        mem: Mem = self.heap.get(key, EMPTY)
        return mem

    def tensor(self, req: int = NO, nodes: tuple[Node, ...] = (), **facts: Any) -> Tensor:
        """A tensor in memory of its own."""
        mem = self.new_id()
        if self.heap["inference"]:
            self.heap["inference tensor", mem] = True
        return Tensor(frozenset((mem,)), req, nodes, **facts)

    def seq(self, items: Iterable[Value], kind: str = "list", open_end: bool = False) -> Seq:
        oid = self.new_id()
        self.heap[oid, "[]"] = tuple(items)
        if open_end:
            self.heap[oid, "open"] = True
        return Seq(oid, kind)

    def items(self, seq: Seq) -> tuple[Value, ...]:
        if (seq.oid, "at") in self.heap:
            self.settle(seq)
        items: tuple[Value, ...] = self.heap.get((seq.oid, "[]"), ())
        return items

    def settle(self, seq: Seq) -> None:
        """What a loop has stored by its numbers may be any of the items for those who do not ask by such a number."""
        items: tuple[Value, ...] = self.heap.get((seq.oid, "[]"), ())
        for index, value in self.heap.pop((seq.oid, "at")).items():
            kept = [
                x if i < index.least or x is value else join(self, x, value, self.heap, self.heap)
                for i, x in enumerate(items)
            ]
            items = tuple(kept) or (value,)
        self.heap[seq.oid, "[]"] = items

    def dict_(self, items: dict[Any, Value], kind: str = "dict") -> Dict:
        oid = self.new_id()
        self.heap[oid, "{}"] = items
        return Dict(oid, kind)

    def entries(self, value: Dict) -> dict[Any, Value]:
        entries: dict[Any, Value] = self.heap.get((value.oid, "{}"), {})
        return entries

    # Tensors

    def req(self, t: Tensor) -> int:
        if t.detached:
            return t.req
        return max(t.req, *(self.heap[m].req if m in self.heap else 0 for m in t.mem)) if t.mem else t.req

    def nodes(self, t: Tensor) -> tuple[Node, ...]:
        if t.detached:
            return t.nodes
        found = t.nodes
        if self.cutting and found:
            cut = {node for m in t.mem for node in self.heap.get(("cut", m), ())}
            found = tuple(node for node in found if node not in cut)
        for m in t.mem:
            mem = self.heap.get(m)
            if mem is not None and mem.hist:
                found += mem.hist
        return found

    def sure(self, t: Tensor) -> bool:
        return t.sure or any(self.mem(m).sure for m in t.mem)

    def leaf(self, t: Tensor) -> bool:
        """A leaf that requires grad for certain."""
        if t.view != PLAIN or t.bypass:
            return False
        if t.req != YES and (t.detached or not all(self.mem(m).req == YES for m in t.mem)):
            return False
        return bool(t.mem) and not self.nodes(t)

    def believe(self, t: Tensor) -> None:
        """It was used as only a tensor can be."""
        if not t.sure:
            for m in t.mem:
                mem = self.mem(m)
                if not mem.sure:
                    self.heap[m] = Mem(mem.saves, mem.hist, mem.req, True, mem.writes, mem.last)

    def require(self, t: Tensor, req: int) -> None:
        for m in t.mem:
            mem = self.mem(m)
            self.heap[m] = Mem(mem.saves, mem.hist, req, mem.sure, mem.writes, mem.last)

    def mark_optional(self, t: Tensor) -> None:
        for m in t.mem:
            self.heap["optional", m] = True

    def optional(self, t: Tensor) -> bool:
        return any(("optional", m) in self.heap for m in t.mem)

    def stamp(self, t: Tensor) -> int:
        """A time: one more than how often its memory was written (0 is kept for values that no name holds)."""
        return 1 + max((self.mem(m).writes for m in t.mem), default=0)

    # Autograd

    def record(
        self,
        op: str,
        place: Place,
        inputs: Iterable[Tensor],
        req: int,
        saves: Iterable[Kept] = (),
        label: str = "",
    ) -> Node:
        """A node of the graph, with what it keeps."""
        self.tick()
        parents: dict[Node, None] = {}
        loose: set[Node] = set()
        for t in inputs:
            found = self.nodes(t)
            if t.picked:
                loose.update(node for node in found if node not in parents)
            else:
                loose.difference_update(found)
            parents.update(dict.fromkeys(found))
            if self.reads is not None:
                self.reads.append(t)
            if self.cutting and t.nodes:
                suspicion.cut_short(self, t)
            if self.watched:
                suspicion.read(self, t)
        node = Node(op, place, tuple(parents), req, label)
        node.loose = frozenset(loose)
        node.function = self.frame.func
        node.order = self.new_id()
        self.keep(node, saves)
        return node

    def keep(self, node: Node, saves: Iterable[Kept]) -> None:
        kept = list(node.saves)
        for t, what, how, req in saves:
            if how == "op" and (self.heap["hooks"] or t.bypass):
                how = self.heap["hooks"] or "foreign"
                if how == "copied":
                    continue
            for m in t.mem:
                if how == "op" and len(t.mem) == 1 and ("inference tensor", m) in self.heap:
                    self.report(Hazard("IPG108", Write(node.op, node.place, "inplace")))
                save = Save(m, node, what, how, req, whole=t.view == PLAIN, weak=len(t.mem) > 1 and not t.many)
                kept.append(save)
                mem = self.mem(m)
                self.heap[m] = Mem((*mem.saves, save), mem.hist, mem.req, mem.sure, mem.writes, mem.last)
        node.saves = tuple(kept)

    def write(
        self,
        t: Tensor,
        op: str,
        place: Place,
        how: str = "inplace",
        *,
        label: str = "",
        whole: bool = True,
        layer: bool = False,
    ) -> Write:
        """A write to the memory of `t`: forbidden ones are reported, what was saved of it is clobbered."""
        how = t.bypass or ("no_grad" if how == "inplace" and not self.heap["grad"] else how)
        write = Write(op, place, how, sure=self.sure(t), weak=len(t.mem) > 1, label=label)
        write.value = t
        write.layer, write.through, write.part = layer, t.origin, t.view != PLAIN or op == "__setitem__"
        if how == "inplace" and (not t.many or t.origin == "param"):
            refusals.refused(self, t, write, whole)
        elif how == "no_grad" and not t.many:
            refusals.expanded(self, t, write, whole)
        if self.opinions:
            refusals.opinion(self, t, write)
        outside = how in ("inplace", "no_grad") and not self.heap["inference"]
        if outside and t.mem and all(("inference tensor", m) in self.heap for m in t.mem):
            self.report(Hazard("IPG108", write))
            for m in t.mem:  # it raises here, so nothing behind it does
                self.heap.pop(("inference tensor", m))
        for m in t.mem:
            if ("gradient", m) in self.heap:
                self.report(Hazard(self.heap["gradient", m], write, certain=False))
            if self.watched and len(t.mem) == 1 and op == "copy_":
                self.heap.pop(("converted", m), None)  # it has values of its own again
            if t.origin == "converted" and how in ("inplace", "no_grad") and len(t.mem) > 1:
                self.heap["converted", m] = (write, t.mem)
                self.watched = True
            if t.copy and how in ("inplace", "no_grad"):
                self.heap["believed", m] = (write, t.copy)
                self.watched = True
            if how in ("inplace", "no_grad", "data", "numpy"):
                suspicion.written(self, t, m, write)
            if t.origin.startswith("chained") and how == "inplace":
                self.heap["chained", m] = (write, t.origin)
                self.watched = True
            if ("pieces", m) in self.heap and how == "inplace" and t.view != MULTI:
                self.heap["rebased", m] = (write, self.last_id)
                self.watched = True
            mem = self.mem(m)
            for save in mem.saves if ("optional", m) not in self.heap else ():
                if save not in self.heap and save not in t.spared and not (how == "rebind" and not save.whole):
                    self.heap[save] = write
            self.heap[m] = Mem((), mem.hist, mem.req, mem.sure, mem.writes + 1, write)
        return write

    def rebase(self, t: Tensor, node: Node, req: int) -> None:
        """After a recorded write: every alias of this memory now has `node` in its history."""
        if t.detached or self.leaf(t):  # the write to a leaf was refused
            return
        for m in t.mem:
            mem = self.mem(m)
            hist = (node,) if len(t.mem) == 1 and t.view == PLAIN else (*mem.hist, node)
            self.heap[m] = Mem(mem.saves, hist, max(mem.req, req), mem.sure, mem.writes, mem.last)

    def backward(
        self,
        roots: Sequence[Tensor],
        place: Place,
        *,
        retain: bool,
        text: str = "backward",
        spend: bool = True,
        beyond: frozenset[Node] = frozenset(),
    ) -> None:
        """Run backward from these roots, as far as the nodes `beyond` which it need not go: report what it would find
        clobbered or freed, and free the graph."""
        todo = [node for t in roots for node in self.nodes(t)]
        seen: set[Node] = set(beyond)
        met: list[tuple[Save, Write]] = []
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen.add(node)
            self.covered.add(node.function)
            self.tick()
            freed = self.heap.get(node)
            if freed is not None:
                kept = next((save for save in node.saves if save.how in ("op", "opaque")), None)
                if kept is None:  # nothing was freed here, but perhaps behind it
                    todo.extend(node.parents)
                elif spend and kept.req == YES and freed is not place and self.firmly(roots, node):
                    again = Write("backward", place, "backward", sure=True)
                    self.report(Hazard("IPG301", again, kept, ("backward", freed), kept.how == "op"))
                continue
            for save in node.saves:
                write = self.heap.get(save)
                if write is not None:
                    met.append((save, write))
            if node.replay is not None and spend and not self.replaying:
                self.replaying = True
                try:
                    node.replay(self)
                finally:
                    self.replaying = False
            todo.extend(node.parents)
        # In a model with parameters, its raw input is data: what only the input's gradient would need is not needed.
        parameters = not spend and any(node.req == YES for node in seen)
        for save, write in met:
            least = MAYBE if spend or (save.how != "op" and self.min_req == MAYBE) else self.min_req
            data = parameters and save.how == "op" and self.mem(save.mem).req != YES
            if save.node.place.file is not None and not spend:
                # Code of other files serves many: which of its ways is taken, and with what, is seen less well.
                if write.weak and (save.what == "result" or save.how == "opaque"):
                    continue
                data = data or (save.how == "op" and not parameters)
            self.clobbered(save, write, (text, place), YES if data else least)
        if spend and not retain:
            for node in seen - beyond:
                self.heap.setdefault(node, place)

    def firmly(self, roots: Sequence[Tensor], node: Node) -> bool:
        """Whether these roots have that node, and not perhaps another of its kind, in their history."""
        todo = [n for t in roots if not t.picked and len(t.mem) <= 1 for n in self.nodes(t)]
        seen = set(todo)
        while todo:
            last = todo.pop()
            new = [n for n in last.parents if n not in seen and n not in last.loose]
            seen.update(new)
            todo += new
        return node in seen

    def clobbered(self, save: Save, write: Write, needed: tuple[str, Place], least: int) -> None:
        # Lists and dicts have items too, but nothing else that a module takes is added to in place.
        unsure = not (write.sure or self.mem(save.mem).sure)
        doubtful = unsure and (write.op == "__setitem__" or save.how != "opaque")
        if save.how == "opaque" and save.weak and write.weak:
            return  # perhaps kept, perhaps this one, and perhaps written
        if save.how == "opaque" and write.place.file is not None and save.node.place.file is write.place.file:
            return  # both in one other file, whose own analysis knows no less of what was called
        if save.req < least or doubtful or (save.how == "version" and not write.versioned):
            return
        if save.how == "history":
            code = "IPG201" if write.how in ("data", "rebind") else "IPG210"
        elif save.how == "tensor":
            code = "IPG303"
        elif not write.versioned:
            code = {"data": "IPG201", "rebind": "IPG201", "unversioned": "IPG203"}.get(write.how, "IPG202")
        elif save.how == "foreign":
            code = "IPG202"
        elif save.how == "ctx":
            code = "IPG204"
        elif save.how == "checkpoint":
            code = "IPG209"
        elif save.how == "hooked":
            code = "IPG213"
        elif write.how == "optimizer":
            code = "IPG107"
        else:
            code = "IPG102" if save.how == "opaque" else "IPG101"
        certain = save.how != "opaque" and save.req == YES and write.sure and not write.weak
        elsewhere = write.place.file is not None and save.node.place.file is not None
        if code == "IPG201" and not certain and elsewhere and (write.through != "param" or needed[0] == "return"):
            return  # a late initialisation in another file, most likely
        self.report(Hazard(code, write, save, needed, certain))

    def report(self, hazard: Hazard) -> None:
        place = hazard.write.place.here
        if place is None:
            return
        key = (hazard.code, place.line, place.column)
        old = self.hazards.get(key)
        if old is None or (hazard.certain and not old.certain):
            self.hazards[key] = hazard

    def look(self, name: str) -> Value:
        """A name in the running frame and those that it closes over."""
        frame: Frame | None = self.frame
        while frame is not None:
            if (value := frame.locals.get(name)) is not None:
                return value
            frame = frame.parent
        return UNKNOWN
