# Going back with gdb in a program that `ebb cc` compiled: by running it again.  docs/timestamps.md tells what each command does.
python

import contextlib
import os
import re

import gdb


@contextlib.contextmanager
def without_breakpoints():
    """The user's breakpoints do not stop a run that goes to a moment."""
    enabled = [b for b in gdb.breakpoints() if b.enabled and b.visible]
    for b in enabled:
        b.enabled = False
    try:
        yield
    finally:
        for b in enabled:
            if b.is_valid():
                b.enabled = True


@contextlib.contextmanager
def at_system_calls():
    """Stops where each of them begins and returns."""
    number = re.search(r'Catchpoint (\d+)', gdb.execute('catch syscall', to_string=True)).group(1)
    gdb.execute(f'commands {number}\nsilent\nend')
    try:
        yield
    finally:
        gdb.execute(f'delete {number}')


def has_source(frame):
    line = frame.find_sal()
    return line.symtab is not None and os.path.exists(line.symtab.fullname())


def older(frame):
    """The frame that called this one; what was inlined there is part of it."""
    frame = frame.older()
    while frame and frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def register_frame():
    """The frame that has the count in r14 (a loop that calls nothing), or None: then it is in memory."""
    stack = int(gdb.parse_and_eval('(long) __ebb_frame'))
    frame = gdb.newest_frame()
    frame = older(frame) if frame.type() == gdb.INLINE_FRAME else frame
    while stack and frame and frame.type() != gdb.SIGTRAMP_FRAME:
        caller = older(frame)
        if int(frame.read_register('rsp')) <= stack and (not caller or stack < int(caller.read_register('rsp'))): # gdb shows no caller of main
            return frame
        frame = caller
    return None


def need_program():
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError('The program is not being run.')
    try:
        gdb.parse_and_eval('(long) __ebb_base')
    except gdb.error as why:
        if 'No symbol' in str(why):
            raise gdb.GdbError('The program does not count its time: compile it with `ebb cc`.')
        raise gdb.GdbError('The program has not come to main yet: its counter is not there.')


def evaluate(expression):
    """Of the user's, in the frame that is selected."""
    if not expression:
        raise gdb.GdbError('An expression is missing.')
    return gdb.parse_and_eval(expression)


def shown(expression):
    """As it is printed; at main there may be no memory at it yet."""
    try:
        return gdb.parse_and_eval(expression).format_string()
    except gdb.MemoryError:
        return '<unreadable>'


def break_once(place):
    """A breakpoint of ours, which nobody sees."""
    at = gdb.Breakpoint(place, internal=True, temporary=True)
    at.silent = True


class Timestamps:
    """The counters of the program that gdb debugs, and ways to run it again."""

    def __init__(self):
        self.bookmarks = {}

    def raw(self):
        """The counter."""
        loop = register_frame()
        return int(loop.read_register('r14')) if loop else int(gdb.parse_and_eval('(long) __ebb_counter'))

    def now(self):
        need_program()
        return self.raw() - int(gdb.parse_and_eval('(long) __ebb_base'))

    def position(self):
        return self.now(), int(gdb.newest_frame().pc())

    def begin(self):
        """A new run, at main, with no breakpoints on the way."""
        if not gdb.lookup_global_symbol('main'):
            raise gdb.GdbError('There is no program.')
        with without_breakpoints():
            break_once('*main')
            gdb.execute('run', to_string=True)
        self.alive('main')

    def alive(self, place, was_there=False):
        """Who asks for a moment that an earlier run had knows that this one differs."""
        if gdb.selected_inferior().pid:
            return
        differs = ': it does not do the same in each run' if was_there else ''
        raise gdb.GdbError(f'The program ended before {place}{differs}.')

    def quietly_continue(self):
        with without_breakpoints():
            gdb.execute('continue', to_string=True)

    def stop_at(self, timestamp):
        now = self.now()
        if gdb.parameter('follow-fork-mode') == 'child':
            gdb.execute('set var __ebb_follows = 1')
        gdb.execute(f'set var *(long *) &__ebb_base = {-timestamp}')
        gdb.execute(f'set var *(long *) &__ebb_counter = {now - timestamp}')

    def to_timestamp(self, timestamp, was_there=False):
        """Runs again, to the tick that gives this timestamp."""
        self.begin()
        if timestamp < self.now():
            raise gdb.GdbError(f'That was before main, which has timestamp {self.now()}.')
        if timestamp > self.now():
            self.stop_at(timestamp)
            self.quietly_continue()
            self.alive(f'timestamp {timestamp}', was_there)
        if self.now() != timestamp:
            raise gdb.GdbError(f'The program stopped at timestamp {self.now()}, before {timestamp}.')

    def leave_tick(self):
        """The breakpoint instruction stands in a block that GCC moved away: on to where that jumps back."""
        pc = int(gdb.newest_frame().pc())
        code = bytes(gdb.selected_inferior().read_memory(pc - 1, 2))
        if code[0] == 0xcc and code[1] in (0xe9, 0xeb):
            gdb.execute('stepi', to_string=True)

    def to_position(self, timestamp, place):
        """And on to the place: the second stop."""
        self.to_timestamp(timestamp, was_there=True)
        if int(gdb.newest_frame().pc()) != place:
            self.leave_tick()
        if int(gdb.newest_frame().pc()) != place:
            break_once(f'*{place:#x}')
            self.quietly_continue()
            self.alive('it came there', was_there=True)
        if self.position() != (timestamp, place):
            raise gdb.GdbError('The program is somewhere else at that timestamp: it does not do the same in each run.')

    def show(self):
        """Where it is; and from where, if there is no source of that."""
        gdb.execute('frame')
        frame = gdb.newest_frame()
        while frame and not has_source(frame):
            frame = frame.older()
        if frame and frame.level() > 0:
            line = frame.find_sal()
            print(f'called by {frame.name()} at {line.symtab.filename}:{line.line}')


ts = Timestamps()


class Command(gdb.Command):
    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        """What goes wrong is one line."""
        confirm = gdb.parameter('confirm')
        gdb.execute('set confirm off')
        try:
            self.run(text.strip())
        except (gdb.error, gdb.MemoryError, ValueError, OverflowError) as why:
            raise gdb.GdbError(str(why))
        finally:
            gdb.execute(f"set confirm {'on' if confirm else 'off'}")


class When(Command):
    """The position: timestamp and place."""
    name = 'ts-when'

    def run(self, text):
        timestamp, place = ts.position()
        frame = gdb.newest_frame()
        line = frame.find_sal()
        where = f'{line.symtab.filename}:{line.line}' if line.symtab else frame.name()
        print(f'timestamp {timestamp}, {where} ({place:#x})')


class Goto(Command):
    """ts-goto N [LOCATION]: runs the program again, to timestamp N and on to the location."""
    name = 'ts-goto'

    def run(self, text):
        words = text.split(None, 1)
        if not words or not words[0].isdigit() or int(words[0]) >= 1 << 62:
            raise gdb.GdbError('ts-goto N [LOCATION]: N is a timestamp, a number as ts-when tells it.')
        if len(words) > 1:
            gdb.decode_line(words[1])
        ts.to_timestamp(int(words[0]))
        ts.leave_tick()
        if len(words) > 1:
            break_once(words[1])
            ts.quietly_continue()
            ts.alive(words[1])
        ts.show()


class Bookmark(Command):
    """ts-bookmark NAME: remembers where the program is."""
    name = 'ts-bookmark'

    def run(self, text):
        if not text:
            raise gdb.GdbError('ts-bookmark NAME')
        ts.bookmarks[text] = ts.position()


class Back(Command):
    """ts-back NAME: goes to a bookmark."""
    name = 'ts-back'

    def run(self, text):
        if text not in ts.bookmarks:
            known = ', '.join(sorted(ts.bookmarks))
            raise gdb.GdbError(f'There is no bookmark "{text}"; there are: {known}.' if known else 'There are no bookmarks: ts-bookmark NAME makes one.')
        ts.to_position(*ts.bookmarks[text])
        ts.show()


class LastWrite(Command):
    """ts-last-write EXPRESSION: goes back to where the data got the value that it has."""
    name = 'ts-last-write'

    def run(self, text):
        need_program()
        value = evaluate(text)
        if value.address is None or value.type.sizeof == 0:
            raise gdb.GdbError(f'{text} is no data in memory.')
        value.fetch_lazy()
        target = f'*({value.type} *) {int(value.address):#x}'
        end = ts.position()
        writes = self.writes(target, end)
        if not writes:
            raise gdb.GdbError(f'Nothing wrote {text} since main began.')
        if self.writes(target, end, len(writes)) != writes:
            raise gdb.GdbError('The program wrote it elsewhere this time: it does not do the same in each run.')
        print(f'{len(writes)} writes; the last one was the instruction before this:')
        ts.show()

    def writes(self, target, end, at_most=None):
        """The positions after each write before `end`, or after so many of them: a pass.  The CPU does not see what the kernel writes."""
        ts.begin()
        ts.stop_at(end[0])
        watch = gdb.Breakpoint(target, type=gdb.BP_WATCHPOINT, internal=True)
        watch.silent = True
        try:
            with without_breakpoints(), at_system_calls():
                return self.stops(target, end, at_most)
        finally:
            watch.delete()

    def stops(self, target, end, at_most):
        found, value = [], shown(target)
        while ts.position() != end and len(found) != at_most:
            gdb.execute('continue', to_string=True)
            ts.alive('it came by here again', was_there=True)
            before, value = value, shown(target)
            if value != before:
                found.append(ts.position())
            if ts.now() > end[0]:
                raise gdb.GdbError('The program did not come by here again: it does not do the same in each run.')
            if ts.now() == end[0] and self.is_brake():
                break_once(f'*{end[1]:#x}')
        return found

    @staticmethod
    def is_brake():
        """It stands after a breakpoint instruction of a tick."""
        return bytes(gdb.selected_inferior().read_memory(int(gdb.newest_frame().pc()) - 1, 1)) == b'\xcc'


class Bisect(Command):
    """ts-bisect CONDITION: goes to the first timestamp at which the condition, which held at the start, does not hold."""
    name = 'ts-bisect'

    def holds(self, condition):
        """Where it can't be tested (a null on the way, data that is not there yet) it counts as holding."""
        try:
            return bool(int(evaluate(condition)))
        except gdb.error:
            return True

    def run(self, text):
        end = ts.position()
        high = end[0]
        if int(evaluate(text)):
            raise gdb.GdbError('It holds now: go to where it does not.')
        ts.begin()
        low = ts.now()
        if not self.holds(text):
            raise gdb.GdbError('It does not hold at the start of main.')
        runs = 0
        while high - low > 1:
            middle = (low + high) // 2
            ts.to_timestamp(middle, was_there=True)
            runs += 1
            if self.holds(text):
                low = middle
            else:
                high = middle
        ts.to_timestamp(high, was_there=True)
        ts.leave_tick()
        if self.holds(text):
            ts.to_position(*end)
            print(f'It holds at the first moment of timestamp {high}, and not any more here; {runs} runs.')
        else:
            print(f'It broke between timestamps {low} and {high}; {runs} runs.')
        ts.show()


for command in (When, Goto, Bookmark, Back, LastWrite, Bisect):
    command()
end
