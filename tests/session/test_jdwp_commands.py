"""Commands of the Java Debug Wire Protocol that jdb has no words for, beside HotSpot's own agent: the same questions, the same answers."""
import pathlib
import re
import subprocess

import pytest
from conftest import EBB
from java_source import javac
from jdb_client import ebb, hotspot
from jdwp_client import Jdwp, text, u4, u8
from test_jdb import Prompt

HERE = pathlib.Path(__file__).resolve().parent / 'beside_jdb_jdwp'
SOURCES = pathlib.Path(__file__).resolve().parents[2] / 'src'
BREAKPOINT, EXCEPTION, VM_DEATH = 2, 4, 99
GENERIC = 0x800  # a bit of HotSpot's own in the modifiers of a field
MONITORS = {43: 'blocked', 44: 'entered', 45: 'wait', 46: 'waited'}


@pytest.fixture(scope='session')
def alive(tmp_path_factory):
    folder = tmp_path_factory.mktemp('alive')
    javac('-g', '-d', folder, HERE / 'Alive.java')
    return folder


def both(folder, ask, *args):
    """What HotSpot and ebb answer, and what the program printed if it was let run to its end."""
    answers = []
    for start in hotspot, ebb:
        words = ['-cp', '.', 'Alive', *args]
        program = start(words if start is hotspot else ['java', *words], folder)
        client = Jdwp(program.port)
        client.has_ended = False
        try:
            answer = ask(client)
            if client.has_ended:
                program.process.wait(180)
        finally:
            client.socket.close()
            printed = program.end()
        answers.append((answer, [line for line in printed.splitlines() if client.has_ended and not line.startswith(('Listening', 'ebb:', 'ERROR: JDWP'))]))
    return answers


def same(folder, ask, *args):
    hotspots, ebbs = both(folder, ask, *args)
    assert ebbs == hotspots
    return ebbs


def to_stage(client, name):
    """Stops where the program says that it has come to that stage."""
    cls = client.wait_for_class('Alive')
    request = client.break_in(cls, 'stage')
    while True:
        client.resume()
        event = client.stop(BREAKPOINT)
        frame = client.good(11, 6, u8(event.thread) + u4(0) + u4(1))
        frame.u4()
        said = client.good(16, 1, u8(event.thread) + u8(frame.id()) + u4(1) + u4(0) + b's')
        said.u4()
        if client.string(said.value()[1]) == name:
            client.clear(BREAKPOINT, request)
            return cls, event.thread


def stop_in(client, cls, name, bci=0):
    request = client.break_in(cls, name, bci)
    client.resume()
    event = client.stop(BREAKPOINT)
    client.clear(BREAKPOINT, request)
    return event.thread


def run_to_end(client):
    client.has_ended = True
    client.resume()
    try:
        while client.event()[2].u1() != VM_DEATH:
            pass
    except (EOFError, ConnectionResetError):
        pass


def test_every_command_but_redefinition_is_served():
    names = re.findall(r'JDWP_COMMAND\(\d+, \d+, (\w+)\)', (SOURCES / 'jvm/jdwp/jdwp.def').read_text())
    served = re.findall(r'JD_ROW\((\w+),', (SOURCES / 'front/jdwp/served.def').read_text())
    assert set(names) - set(served) == {'VM_REDEFINE', 'EVENT_COMPOSITE'}


def test_capabilities(alive):
    def ask(client):
        can = list(client.good(1, 17).take(32))
        assert list(client.good(1, 12).take(7)) == can[:7]
        return can[:7] + can[10:18] + can[19:]  # left out: redefinition of classes, and filters by source, which only ebb has
    same(alive, ask)


def test_where_classes_come_from(alive):
    """jdb looks for sources there."""
    def ask(client):
        told = client.good(1, 13)
        return [told.text(), *([told.text() for _ in range(told.u4())] for _ in range(2))]
    assert same(alive, ask)[0][0] == str(alive)


def test_generic_types_and_class_files(alive):
    def ask(client):
        to_stage(client, 'objects')
        told = []
        for name in 'Alive', 'Alive$Node', 'java/util/ArrayList':
            cls = client.class_named(name)
            signature = client.good(2, 13, u8(cls))
            told += [signature.text(), signature.text(), [(*row[1:4], row[4] & ~GENERIC) for row in client.fields(cls)], sorted(row[1:] for row in client.methods(cls))]
            told.append(client.good(2, 17, u8(cls)).data)
            told.append(client.ask(2, 12, u8(cls)).error)
            if name != 'java/util/ArrayList':
                constants = client.good(2, 18, u8(cls))
                told.append((constants.u4(), constants.take(constants.u4())))
        cls = client.class_named('Alive')
        for row in client.methods(cls):
            variables = client.ask(6, 5, u8(cls) + u8(row[0]))
            told.append((row[1], variables.error, variables.data))
        return told
    same(alive, ask)


def test_who_is_alive(alive):
    def ask(client):
        _, thread = to_stage(client, 'objects')
        node, strings = client.class_named('Alive$Node'), {}
        value, following = (next(row[0] for row in client.fields(node) if row[1] == name) for name in ('value', 'next'))
        counts = client.good(1, 21, u4(2) + u8(node) + u8(client.class_named('Alive')))
        told = [counts.u4(), counts.id(), counts.id()]
        for limit in 0, 3:
            found = client.good(2, 16, u8(node) + u4(limit))
            nodes = [found.value()[1] for _ in range(found.u4())]
            told.append(len(nodes))
            strings.update({n: client.string(client.good(9, 2, u8(n) + u4(1) + u8(value)).data and
                                             last_value(client.good(9, 2, u8(n) + u4(1) + u8(value)))) for n in nodes})
        told.append(sorted(strings.values()))
        for n in sorted(strings, key=strings.get):
            for limit in 0, 1:
                refer = client.good(9, 10, u8(n) + u4(limit))
                who = [refer.value()[1] for _ in range(refer.u4())]
                told.append((strings[n], sorted(client.type_of(o) for o in who) if limit == 0 else len(who)))
        told += [client.ask(2, 16, u8(node) + u4(0xffffffff)).error, client.ask(9, 10, u8(nodes[0]) + u4(0xffffffff)).error]
        assert following
        return told
    same(alive, ask)


def last_value(answer):
    answer.u4()
    return answer.value()[1]


def test_monitors_with_their_frames(alive):
    def ask(client):
        cls, _ = to_stage(client, 'objects')
        thread = stop_in(client, cls, 'twice', 22)
        held = client.good(11, 13, u8(thread))
        told = [(client.type_of(held.value()[1]), held.u4()) for _ in range(held.u4())]
        plain = client.good(11, 8, u8(thread))
        return told, sorted(client.type_of(plain.value()[1]) for _ in range(plain.u4()))
    same(alive, ask)


def test_a_method_returns_before_its_time(alive):
    def ask(client):
        cls, thread = to_stage(client, 'objects')
        told = []
        stop_in(client, cls, 'twice', 22)
        told.append(client.ask(11, 14, u8(thread) + b'J' + u8(1)).error)  # of another type
        told.append(client.ask(11, 14, u8(thread) + b'I' + u4(77)).error)
        stop_in(client, cls, 'wide')
        told.append(client.ask(11, 14, u8(thread) + b'J' + u8(1 << 40)).error)
        stop_in(client, cls, 'text')
        other = client.good(1, 11, text('instead')).id()
        told.append(client.ask(11, 14, u8(thread) + b'L' + u8(client.good(2, 11, u8(cls)).id())).error)  # a class is no string
        told.append(client.ask(11, 14, u8(thread) + b's' + u8(other)).error)
        stop_in(client, cls, 'nothing')
        told.append(client.ask(11, 14, u8(thread) + b'V').error)
        run_to_end(client)
        return told
    _, printed = same(alive, ask)
    assert 'twice 77 falsefalse' in printed and 'wide 1099511627776' in printed and 'text instead' in printed and 'nothing 0' in printed


def frame_ids(client, thread):
    frames = client.good(11, 6, u8(thread) + u4(0) + u4(0xffffffff))
    return [(frames.id(), frames.place()) for _ in range(frames.u4())]


def test_frames_are_taken_away(alive):
    def ask(client):
        cls, thread = to_stage(client, 'objects')
        stop_in(client, cls, 'again', 14)  # after `calls` has grown
        frames = frame_ids(client, thread)
        told = [client.ask(16, 4, u8(thread) + u8(frames[0][0])).error]
        told.append(client.ask(16, 1, u8(thread) + u8(frames[1][0]) + u4(0)).error != 0)
        told.append([client.place_name(place)[1:] for _, place in frame_ids(client, thread)])
        stop_in(client, cls, 'again', 14)
        told.append(client.ask(16, 4, u8(thread) + u8(frame_ids(client, thread)[1][0])).error)
        told.append([client.place_name(place)[1:] for _, place in frame_ids(client, thread)])
        told.append(client.ask(16, 4, u8(thread) + u8(frame_ids(client, thread)[0][0])).error)  # the last one
        run_to_end(client)
        return told
    _, printed = same(alive, ask)
    assert 'twice 8 falsefalse' in printed


def test_a_thread_is_stopped_by_an_exception(alive):
    def ask(client):
        cls, thread = to_stage(client, 'objects')
        stop_in(client, cls, 'spin')
        exceptions = client.class_named('java/lang/IllegalStateException') or load(client, thread, 'java.lang.IllegalStateException')
        made = next(row[0] for row in client.methods(exceptions) if row[1:3] == ('<init>', '(Ljava/lang/String;)V'))
        message = client.good(1, 11, text('a debugger')).id()
        new = client.good(3, 4, u8(exceptions) + u8(thread) + u8(made) + u4(1) + b's' + u8(message) + u4(0))
        told = client.ask(11, 10, u8(thread) + u8(new.value()[1])).error
        run_to_end(client)
        return told
    (told, printed), (of_ebb, ebbs) = both(alive, ask)
    assert of_ebb == told and ebbs[:7] == printed[:7] and ebbs[6] == 'stopped by a debugger'  # HotSpot has interrupted the thread, too


def load(client, thread, name):
    cls = client.class_named('java/lang/Class')
    method = next(row[0] for row in client.methods(cls) if row[1:3] == ('forName', '(Ljava/lang/String;)Ljava/lang/Class;'))
    client.good(3, 3, u8(cls) + u8(thread) + u8(method) + u4(1) + b's' + u8(client.good(1, 11, text(name)).id()) + u4(0))
    return client.class_named(name.replace('.', '/'))


def test_a_thread_is_interrupted(alive):
    def ask(client):
        to_stage(client, 'sleeper')
        threads = client.good(1, 4)
        sleeper = next(t for t in [threads.id() for _ in range(threads.u4())] if client.name_of(t) == 'sleeper')
        client.good(11, 11, u8(sleeper))
        run_to_end(client)
    _, printed = same(alive, ask, 'sleeper')
    assert 'woken' in printed


def monitor_events(client, kinds):
    for kind in kinds:
        client.request(kind, 2, b'\x03' + u8(client.other) if client.other else b'\x06' + text('java.lang.ref.*'))
    seen = []
    while True:
        client.resume()
        _, n, event = client.event()
        for _ in range(n):
            kind = event.u1()
            if kind == BREAKPOINT or kind == VM_DEATH:
                return seen
            event.u4()
            thread, monitor = event.id(), event.value()[1]
            cls, method, index = client.place_name(event.place())
            place = cls, method, index == (1 << 64) - 1  # HotSpot is one byte further than the instruction that enters the monitor
            more = event.number(8) if kind == 45 else event.u1() if kind == 46 else None
            if cls != '?':  # the end of a thread on HotSpot, if somebody waits for it just then
                seen.append((MONITORS[kind], client.name_of(thread), client.type_of(monitor), place, more))


@pytest.mark.parametrize('stage, end, thread', [('contention', 'waiting', 'other'), ('waiting', 'end', 'waiter')])
def test_monitor_events(alive, stage, end, thread):
    def ask(client):
        cls, _ = to_stage(client, stage)
        client.other = 0
        client.break_in(cls, 'stage')
        return [row for row in monitor_events(client, MONITORS) if row[1] == thread]
    seen, _ = same(alive, ask)
    assert len(seen) >= 2


def test_what_a_debugger_made_threads_do_is_done_again_by_replay(alive):
    """Returns before their time and frames that were taken away are edits: the prompt goes back over them, and forward again."""
    prompt = Prompt(['run', '--no-init', '--jdwp', '0', 'java', '-cp', '.', 'Alive'], alive)
    client = Jdwp(int(re.search(r'jdb on 127\.0\.0\.1:(\d+)', prompt.read_to(r'jdb on .*\n'))[1]))
    try:
        cls, thread = to_stage(client, 'objects')
        stop_in(client, cls, 'twice', 22)
        client.good(11, 14, u8(thread) + b'I' + u4(77))
        stop_in(client, cls, 'wide')
        client.good(11, 14, u8(thread) + b'J' + u8(5555))
        stop_in(client, cls, 'again', 14)
        client.good(16, 4, u8(thread) + u8(frame_ids(client, thread)[0][0]))
        stop_in(client, cls, 'again', 14)
        live = prompt.say('print Alive.calls', r'\$\d+ = .*\n')
        said, _ = prompt.process.communicate('goto start\ngoto end\nprint Alive.calls\nbreak Alive.wide\nreverse-continue\nfinish\ncontinue\nprint Alive.calls\nkill\nquit\n', timeout=120)
    finally:
        client.socket.close()
        prompt.process.kill()
    assert 'wide 5555' in live and 'twice 77' in live
    assert re.findall(r'\$\d+ = (.*)', said) == ['12', '5555', '12'] and 'diverged' not in said, said


# ---- one debugger after the other

RELAY = '''
public class Relay {
    static volatile boolean ends;
    static volatile int turns;
    static void turn() { turns++; }
    public static void main(String[] args) {
        while (!ends)
            turn();
        System.out.println("ended");
    }
}
'''


def turns_of(client, cls):
    fields = {row[1]: row[0] for row in client.fields(cls)}
    return client.good(2, 6, u8(cls) + u4(1) + u8(fields['turns'])), fields['ends']


@pytest.mark.parametrize('leaves', ['with a word', 'without'])
@pytest.mark.parametrize('start', [hotspot, ebb])
def test_another_debugger_after_the_first_has_left(tmp_path, start, leaves):
    """As HotSpot has it: the program runs on, the next one connects to it while it runs, and finds nothing of the first."""
    (tmp_path / 'Relay.java').write_text(RELAY)
    javac('-g', 'Relay.java', cwd=tmp_path)
    program = start(['-cp', '.', 'Relay'] if start is hotspot else ['java', '-cp', '.', 'Relay'], tmp_path)
    try:
        first = Jdwp(program.port)
        cls = first.wait_for_class('Relay')
        first.break_in(cls, 'turn')
        first.resume()
        first.stop(BREAKPOINT)
        if leaves == 'with a word':
            first.good(1, 6)
        first.socket.close()
        port = int(re.search(r'(\d+)$', program.process.stdout.readline().strip())[1])
        second = Jdwp(port)
        cls = second.class_named('Relay')  # it runs: nobody had to resume it
        second.break_in(cls, 'turn')
        assert second.name_of(second.stop(BREAKPOINT).thread) == 'main' and not second.events
        turns, ends = turns_of(second, cls)
        assert turns.u4() == 1 and turns.value()[1] > 0
        second.good(15, 3)  # all breakpoints
        second.good(3, 2, u8(cls) + u4(1) + u8(ends) + b'\x01')
        run_to_end(second)
        program.process.wait(180)
        assert 'ended' in program.process.stdout.read()
    finally:
        program.end()


def test_a_recording_waits_for_the_next_debugger_where_the_first_left_it(alive):
    subprocess.run([EBB, 'record', '-o', 'relay.ebb', 'java', '-cp', '.', 'Alive'], cwd=alive, check=True, timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    program = ebb(['--recording', 'relay.ebb'], alive)
    try:
        first = Jdwp(program.port)
        thread = stop_in(first, first.wait_for_class('Alive'), 'stage')
        there = first.good(11, 6, u8(thread) + u4(0) + u4(1)).data[12:]
        first.socket.close()
        assert str(program.port) in program.process.stdout.readline()
        second = Jdwp(program.port)
        event = second.stop(90)
        assert second.name_of(event.thread) == 'main'
        assert second.good(11, 6, u8(event.thread) + u4(0) + u4(1)).data[12:] == there
        run_to_end(second)
        program.process.wait(180)
    finally:
        program.end()
