"""tess: commands of gdb that list the tasks of a Tessera program, each with the tasks that await it.

    gdb -x share/gdb/tess.py --args ./prog ARGUMENTS     (installed: /usr/share/tessera/gdb/tess.py)
    (gdb) run
    (gdb) tess tasks              all tasks of this process
    (gdb) tess tasks 3            those of place 3
    (gdb) tess task 0x7f...       one of them, by the address of its frame

It works on a running process, on one that gdb attached to, and on a core file, with or without debug information: the
library has a table of where things lie (src/runtime/report/debugger.hpp).
"""

import struct

import gdb

VERSION = 2
TABLE = "tess::detail::debugged"


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def words(address, count=1):
    return struct.unpack(f"<{count}Q", memory(address, 8 * count))


def text(address, most=300):
    if address == 0:
        return ""
    try:
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(length=-1)[:most]
    except gdb.error:
        return "?"


class Table:
    """tess::detail::debugged of the process."""

    def __init__(self):
        try:
            address = int(gdb.parse_and_eval(f"(unsigned long)&'{TABLE}'"))
        except gdb.error as problem:
            raise gdb.GdbError(f"no {TABLE}: not a Tessera program, or not started ({problem})")
        version, self.count, self.workers = struct.unpack("<IIQ", memory(address, 16))
        if version != VERSION:
            raise gdb.GdbError(f"the program's table has version {version}, this script reads {VERSION}: "
                               "take the tess.py of the same installation")
        if self.workers == 0:
            raise gdb.GdbError("no job runs: tess::run has not begun, or has ended")
        (self.slabs, self.large, self.slab_bytes, self.slab_block_bytes, self.slab_used, self.header, self.state,
         self.task_state, self.link_bytes, self.promise, self.continuation, self.callee, self.where,
         self.waits_for) = struct.unpack("<14I", memory(address + 16, 56))

    def each_worker(self):
        """(place, worker, promise that runs or 0, what it polls for, address of its frames)"""
        for i in range(self.count):
            place, index, current, handler, polls, frames = struct.unpack("<IIQQQQ", memory(self.workers + 40 * i, 40))
            runs = words(current)[0]
            yield place, index, 0 if runs == handler else runs, text(words(polls)[0]), frames

    def each_frame(self, pool):
        """Addresses of the live tasks' frames."""
        begin, end = words(pool + self.slabs, 2)
        for slab in range(begin, end, self.slab_bytes):
            base = words(slab)[0]
            block = words(slab + self.slab_block_bytes)[0]
            for i in range(words(slab + self.slab_used)[0]):
                if self._is_task(base + i * block):
                    yield base + i * block + self.header
        ring = pool + self.large
        link = words(ring)[0]
        while link != ring:
            if self._is_task(link + self.link_bytes):
                yield link + self.link_bytes + self.header
            link = words(link)[0]

    def _is_task(self, block):
        return struct.unpack("<I", memory(block + self.state, 4))[0] >= self.task_state

    def innermost(self, promise):
        while callee := words(promise + self.callee)[0]:
            promise = callee
        return promise

    def outer(self, promise):
        """The task that awaits this one, or 0."""
        word = words(promise + self.continuation)[0]
        # Bit 0: it has futures (include/tess/detail/tasks/task_continuation.hpp).
        return 0 if word & 1 else word & ~7

    def chain(self, promise):
        """The task and those that await it, from the inside out."""
        while promise:
            yield promise
            promise = self.outer(promise)

    def location(self, promise):
        """`file:line in function` of the task's latest co_await; empty: it has come to none."""
        where = words(promise + self.where)[0]
        if where == 0:
            return ""
        file, function = words(where, 2)
        line = struct.unpack("<I", memory(where + 16, 4))[0]
        return f"{text(file).rsplit('/', 1)[-1]}:{line} in {text(function)}" if line else ""

    def waits(self, promise):
        """What a parked task waits for, or None."""
        wait = words(promise + self.waits_for)[0]
        return text(words(words(wait)[0])[0]) if wait else None


def describe(table, promise, runs, polls):
    inner = table.innermost(promise)
    at = table.location(inner)
    waits = table.waits(inner)
    if runs and runs in table.chain(inner):
        state = f"runs{', waits for ' + polls if polls else ''}" + (f", after its co_await at {at}" if at else "")
    elif waits is not None:
        state = f"waits for {waits} at {at}"
    else:
        state = f"can run, from {at}" if at else "has not begun"
    lines = [state]
    for outer in list(table.chain(inner))[1:]:
        lines.append(f"    awaited at {table.location(outer)}")
    return "\n".join(lines)


class TessPrefix(gdb.Command):
    """Commands on the tasks of a Tessera program."""

    def __init__(self):
        super().__init__("tess", gdb.COMMAND_DATA, prefix=True)


class TessTasks(gdb.Command):
    """tess tasks [PLACE]: the tasks of this process, or of one of its places, with those that await them."""

    def __init__(self):
        super().__init__("tess tasks", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if argument and not argument.isdigit():
            raise gdb.GdbError(f"tess tasks: `{argument}` is no place; expected a number or nothing")
        table = Table()
        count = 0
        for place, worker, runs, polls, pool in table.each_worker():
            if argument and place != int(argument):
                continue
            for frame in table.each_frame(pool):
                promise = frame + table.promise
                # An awaited task is shown with the one that awaits it.
                if table.outer(promise):
                    continue
                count += 1
                print(f"place {place} worker {worker}  {frame:#x}  {describe(table, promise, runs, polls)}")
        print(f"{count} tasks")


class TessTask(gdb.Command):
    """tess task ADDRESS: the task whose frame is there."""

    def __init__(self):
        super().__init__("tess task", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("tess task: expected the address of a frame, as `tess tasks` shows it")
        table = Table()
        wanted = int(gdb.parse_and_eval(argument))
        for place, worker, runs, polls, pool in table.each_worker():
            if wanted in table.each_frame(pool):
                print(f"place {place} worker {worker}  {wanted:#x}  "
                      f"{describe(table, wanted + table.promise, runs, polls)}")
                return
        raise gdb.GdbError(f"tess task: no task of this process has its frame at {wanted:#x}")


TessPrefix()
TessTasks()
TessTask()
