"""Answers of the Java machine that newcomers found wrong, each with a program that shows it."""
import re

import pytest
from java_source import batch_answers, compile_java

SOURCE = '''
public class Answers {
    static class Box {
        int a, b;
        Box(int a, int b) { this.a = a; this.b = b; }
    }

    static Box box = new Box(1, 2);
    static int total;

    static void work(int n) {
        int x = n;
        int y = n + 1; // both
        x++;
        y++;
        total += x + y;
    }

    static void in_threads() throws Exception {
        for (int i = 0; i < 3; i++) {
            int n = i;
            Thread t = new Thread(() -> work(n), "worker" + i);
            t.start();
            t.join();
        }
    }

    public static void main(String[] args) throws Exception {
        int local = 1;
        box.a = 5;
        box = new Box(3, 4);
        box.b = 9;
        local = 2;
        total = 3; // edit
        local += total;
        in_threads();
        work(7);
        total = 77;
        System.out.println(local);
    }
}
'''


@pytest.fixture(scope='module')
def answers(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('answers'), 'Answers', SOURCE)


def line(text):
    return next(i for i, at in enumerate(SOURCE.splitlines(), 1) if text in at)


def run(batch, folder, *commands, **more):
    done = batch('java', *commands, args=['-cp', folder, 'Answers'], timeout=120, **more)
    return done.stdout + done.stderr


def test_the_new_value_of_an_object_is_the_one_then(batch, answers):
    """Its contents changed later, which is another write."""
    out = run(batch, answers, f'break Answers.java:{line("local += total")}', 'run', 'last-write Answers.box')
    assert re.search(r'New value = Answers.Box@\w+ \{a = 3, b = 4\}', out), out
    assert re.search(r'Old value = Answers.Box@\w+ \{a = 5, b = 2\}', out), out


def test_a_local_that_the_user_set_has_that_in_its_history(batch, answers):
    out = run(batch, answers, f'break Answers.java:{line("// edit")}', 'run', 'set var local = 50', 'next', 'values local', 'last-write local')
    assert re.findall(r'@Answers.java:\d+\t(.*)', out) == ['1', '2', '50'], out
    assert 'Old value = 2\nNew value = 50\n' in out and f'\n{line("// edit")}\t' in out.split('New value')[1], out


def test_what_was_set_at_this_stop_is_its_last_write(batch, answers):
    """Before the program has gone on, when a replay would not come by it yet."""
    out = run(batch, answers, f'break Answers.java:{line("// edit")}', 'run', 'set var local = 50', 'set var local = 51', 'last-write local', 'values local',
              'set var Answers.total = 8', 'last-write Answers.total', 'set var Answers.box.b = 3', 'last-write Answers.box.b', 'last-write Answers.box.a')
    told = re.findall(r'Old value = (.*)\nNew value = (.*)\n', out)
    assert told == [('2', '51'), ('0', '8'), ('9', '3'), ('0', '3')], out
    assert re.findall(r'@Answers.java:\d+\t(.*)', out) == ['1', '2', '51'], out


def test_threads_are_listed_by_number_wherever_one_goes(ebb, answers):
    told = batch_answers(ebb, answers, 'Answers', ['break Answers.work', 'run', 'continue', 'continue', 'continue', 'reverse-continue', 'info threads',
                                                   'reverse-continue', 'info threads', 'goto end', 'info threads'])
    for answer in told:
        if answer.get('command', '') == 'info threads':
            numbers = [thread['number'] for thread in answer['threads']]
            assert numbers == sorted(numbers), answer


def test_watchpoints_that_end_together_are_all_told(batch, answers):
    out = run(batch, answers, f'break Answers.java:{line("x++;")}', 'run', 'delete', 'watch x', 'watch y', 'continue', 'continue', 'continue', 'info breakpoints')
    assert re.search(r'Watchpoint 2 deleted', out) and re.search(r'Watchpoint 3 deleted', out), out
    assert 'No breakpoints' in out, out


def test_a_number_is_no_condition_of_java(ebb, answers):
    for condition in ('3', 'Answers.total'):
        done = ebb(['run', '--batch', '-e', 'break Answers.work', '-e', 'run', '-e', f'bisect {condition}', '--', 'java', '-cp', answers, 'Answers'],
                   timeout=120)
        assert 'cannot be converted to boolean' in done.stderr, done.stdout + done.stderr


def test_a_line_that_the_file_does_not_have(ebb, batch, answers):
    out = run(batch, answers, 'break Answers.java:9999', 'run')
    assert f'stays pending: Line number 9999 out of range; "Answers.java" has {len(SOURCE.splitlines())} lines.' in out, out
    out = run(batch, answers, 'break Answers.work', 'run', 'break Answers.java:9999')
    assert 'Line number 9999 out of range' in out and '9999) pending' not in out, out


def test_a_recording_that_can_not_be_written(ebb, answers, tmp_path):
    done = ebb(['record', '-o', tmp_path / 'no' / 'such', '--', 'java', '-cp', answers, 'Answers'], timeout=120)
    assert done.returncode == 1 and 'cannot write' in done.stderr and 'the recording is in' not in done.stderr, done.stderr


def test_going_to_the_end_switches_to_no_thread(batch, answers):
    out = run(batch, answers, 'break Answers.work', 'run', 'delete', 'continue', 'reverse-stepi', 'goto end')
    assert out.count('exited normally') == 2 and 'thread 0' not in out, out


# ---- what comes from native code

FONT = '''
import java.awt.*;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;

public class Glyphs {
    static int stage;

    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        stage = 1;
        Font font = new Font("SansSerif", Font.PLAIN, 12);
        System.out.println(font.getStringBounds("Hello", new FontRenderContext(null, true, true)));
        stage = 2;
        BufferedImage image = new BufferedImage(60, 20, BufferedImage.TYPE_INT_ARGB);
        Graphics2D g = image.createGraphics();
        g.setFont(font);
        g.drawString("Hello", 2, 15);
        stage = (image.getRGB(5, 10) & 0xff) + 1000;
        System.out.println("drawn");
    }
}
'''


def test_glyphs_that_java_reads_by_address(batch, ebb, tmp_path):
    """The font library allocates them, and tells Java where they are; it reads the font through buffers of its own memory."""
    folder = compile_java(tmp_path, 'Glyphs', FONT)
    done = batch('java', 'break Glyphs.java:20', 'run', 'last-write Glyphs.stage', 'reverse-next', 'reverse-next', 'last-write Glyphs.stage',
                 args=['-cp', folder, 'Glyphs'], timeout=120)
    if 'drawn' not in done.stdout and re.search(r'Error|Exception', done.stdout + done.stderr) and 'stage' not in done.stdout:
        pytest.skip('this JDK has no fonts: ' + (done.stdout + done.stderr)[-200:])
    assert 'New value = 2\n' in done.stdout and re.search(r'New value = 1\d\d\d\n', done.stdout), done.stdout + done.stderr
    assert ebb(['record', '--verify', '-o', tmp_path / 'r', '--', 'java', '-cp', folder, 'Glyphs'], timeout=120).returncode == 0
    done = ebb(['replay', '--verify', tmp_path / 'r'], timeout=120)
    assert 'all the same' in done.stdout, done.stdout + done.stderr


FLAGS = '''
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

public class Flags {
    static int stage;

    public static void main(String[] args) {
        stage = 1;
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        System.out.println(bean.getVMOption("UseCompressedOops").getValue() + " " + bean.getVMOption("MaxHeapSize").getValue() + " "
            + bean.getVMOption("MaxHeapSize").getOrigin() + " " + bean.getVMOption("HeapDumpPath").isWriteable());
        try {
            bean.getVMOption("NoSuchFlag");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        bean.setVMOption("HeapDumpPath", "/somewhere");
        System.out.println(bean.getVMOption("HeapDumpPath").getValue() + " " + (bean.getDiagnosticOptions().size() > 5));
        stage = 2;
    }
}
'''


def test_flags_of_the_machine(batch, tmp_path):
    folder = compile_java(tmp_path, 'Flags', FLAGS)
    done = batch('java', 'break Flags.java:21', 'run', 'last-write Flags.stage', args=['-Xmx64m', '-cp', folder, 'Flags'], timeout=120)
    assert f'false {64 << 20} VM_CREATION true\nVM option "NoSuchFlag" does not exist\n/somewhere true\n' in done.stdout, done.stdout + done.stderr
    assert 'New value = 2' in done.stdout, done.stdout + done.stderr


# ---- after the end

ENDS = '''
public class Ends {
    static int n;

    static void quit() {
        n = 9;
        System.exit(3); // last
    }

    public static void target(int a) {
        n += a;
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> target(1));
        t.start();
        t.join();
        if (args.length > 0)
            Ends.class.getMethod(args[0]).invoke(null);
        Ends.class.getMethod("target", int.class).invoke(null, 3); // reflected
        if (n > 3)
            quit(); // calls
    } // returns
}
'''


@pytest.fixture(scope='module')
def ends(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('ends'), 'Ends', ENDS)


def end_line(text):
    return next(i for i, at in enumerate(ENDS.splitlines(), 1) if text in at)


def stops(ebb, folder, name, *commands):
    """Lines at which the moves stop."""
    return [answer.get('line') for answer in batch_answers(ebb, folder, name, commands) if answer['kind'] == 'stop']


@pytest.mark.parametrize('command', ['reverse-step', 'reverse-next'])
def test_from_the_end_to_the_last_line(ebb, ends, answers, command):
    """Of the program's own code: before System.exit, and where main returns."""
    assert stops(ebb, ends, 'Ends', 'run', command, command, command)[1:] == [end_line('// last'), end_line('n = 9'), end_line('// calls')]
    last = [i for i, at in enumerate(SOURCE.splitlines(), 1) if at == '    }'][-1]
    assert stops(ebb, answers, 'Answers', 'run', command, command)[1:] == [last, last - 1]


@pytest.mark.parametrize('name', ['Answers', 'Ends'])
def test_from_the_end_of_a_recording_to_the_last_line(ebb, ends, answers, tmp_path, name):
    """There the thread that ended the program may have no frame left."""
    folder, recording = {'Answers': answers, 'Ends': ends}[name], tmp_path / 'run.ebb'
    assert ebb(['record', '-o', recording, '--', 'java', '-cp', folder, name], timeout=120).returncode in (0, 3, 7)
    done = ebb(['replay', '--batch', '-e', 'goto end', '-e', 'reverse-next', '-e', 'echo second\n', '-e', 'reverse-next', recording], timeout=120)
    lines = [int(n) for n in re.findall(rf'@{name}.java:(\d+)\n', done.stdout.split('End of the recorded')[1])]
    last = [i for i, at in enumerate(SOURCE.splitlines(), 1) if at == '    }'][-1]
    assert lines == {'Answers': [last, last - 1], 'Ends': [end_line('// last'), end_line('n = 9')]}[name], done.stdout + done.stderr


def test_questions_from_the_end(batch, ends):
    done = batch('java', 'run', 'values Ends.n', 'last-write Ends.n', args=['-cp', ends, 'Ends'], timeout=120)
    assert re.findall(r'@Ends.java:\d+\t(\d+)', done.stdout)[-3:] == ['1', '4', '9'], done.stdout + done.stderr
    assert 'Old value = 4\nNew value = 9' in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize('command', ['reverse-step', 'reverse-next', 'reverse-finish'])
def test_back_out_of_what_a_native_method_called(ebb, ends, command):
    """Method.invoke leads to a native that calls the method."""
    told = stops(ebb, ends, 'Ends', 'break Ends.target if a == 3', 'run', command)
    assert told == [end_line('n += a'), end_line('// reflected')], told


def test_from_the_initialiser_of_the_main_class_into_main(ebb, answers):
    """Both are called by the launcher, one after the other."""
    first = line('static Box box')
    told = stops(ebb, answers, 'Answers', 'break Answers.<clinit>', 'run', 'next', 'next', 'next')
    assert told == [first, line('int local = 1'), line('box.a = 5'), line('box = new Box(3')], told


def test_a_breakpoint_on_a_switch_over_an_enum(batch, tmp_path):
    """The compiler makes a class for it, with code on the same line."""
    folder = compile_java(tmp_path, 'Switch', '''
public class Switch {
    enum Light { RED, GREEN }
    public static void main(String[] args) {
        Light light = Light.GREEN;
        switch (light) { case RED: System.out.println("stop"); break; case GREEN: System.out.println("go"); }
        System.out.println("end");
    }
}
''')
    out = batch('java', 'break Switch.java:6', 'run', 'next', 'info breakpoints', args=['-cp', folder, 'Switch'], timeout=120).stdout
    assert out.count('Breakpoint 1, Switch.main') == 1 and 'clinit' not in out and '\n7\t' in out, out


# ---- what the compiler and the class library make up

WAYS = '''
public class Ways {
    static int n;

    static int way(int k) {
        try {
            if (k == 1)
                return 10;
            if (k == 2)
                throw new IllegalStateException("two");
            n += k;
        } finally {
            int more = 100; // in finally
            n += more;
        }
        return 20;
    }

    interface Op { int run(int a); }

    static int apply(Op op) {
        return op.run(1);
    }

    static int twice(int x) {
        return 2 * x; // twice
    }

    public static void main(String[] args) {
        n += apply(x -> 0);
        for (int k = 0; k < 4; k++)
            try {
                way(k);
            } catch (IllegalStateException e) {
                n += 1000;
            }
        Op op = (Op) java.lang.reflect.Proxy.newProxyInstance(Ways.class.getClassLoader(), new Class<?>[] {Op.class},
            (proxy, method, a) ->
                twice((int) a[0])); // lambda
        n += op.run(3); // proxy
        System.out.println(n); // end
    }
}
'''


@pytest.fixture(scope='module')
def ways(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp('ways'), 'Ways', WAYS)


def way_line(text):
    return next(i for i, at in enumerate(WAYS.splitlines(), 1) if text in at)


def test_a_breakpoint_in_a_finally_stops_on_every_way_out(batch, ways):
    """The compiler makes a copy of it for each; jdb stops in the first one only."""
    done = batch('java', f'break Ways.java:{way_line("// in finally")}', 'run', *['continue'] * 4, *['reverse-continue'] * 4, args=['-cp', ways, 'Ways'], timeout=120)
    hits = re.findall(r'Breakpoint 1\.\d, Ways.way \(k=(\d)\).*\n.*\n(.*)\n', done.stdout)
    assert [k for k, position in hits] == list('01233210'), done.stdout + done.stderr
    assert hits[:4] == hits[:3:-1], hits


def test_steps_pass_what_has_no_lines(ebb, ways):
    """The class of a proxy is the program's, but nobody wrote it."""
    way = [way_line('// proxy'), way_line('// lambda'), way_line('// twice'), way_line('// end')]
    told = stops(ebb, ways, 'Ways', f'break Ways.java:{way[0]}', 'run', 'delete', *['step'] * 3, *['reverse-step'] * 3)
    assert told == way + way[2::-1], told


def test_a_lambda_has_the_name_of_its_class(batch, ways):
    done = batch('java', 'break Ways.apply', 'run', args=['-cp', ways, 'Ways'], timeout=120)
    assert re.search(r'Ways.apply \(op=Ways\$\$Lambda\$\d+/0x\w+@', done.stdout), done.stdout + done.stderr


def test_a_watchpoint_with_a_condition_tells_what_it_goes_back_over(batch, ways):
    """Not the last value that was seen: others were passed by."""
    done = batch('java', f'break Ways.java:{way_line("// end")}', 'run', 'watch Ways.n if Ways.n == 200', 'reverse-continue', 'delete', 'goto end',
                 'watch Ways.n if Ways.n == 77', 'reverse-continue', args=['-cp', ways, 'Ways'], timeout=120)
    assert re.findall(r'(Old|New) value = (.*)', done.stdout) == [('Old', '200'), ('New', '100')], done.stdout + done.stderr
    assert 'No more reverse-execution history' in done.stdout.split('New value')[1], done.stdout


def test_a_stop_without_a_frame_says_so(batch, ways):
    done = batch('java', 'run', 'reverse-stepi', 'backtrace', args=['-cp', ways, 'Ways'], timeout=120)
    assert re.search(r'\(no frame\)\n\d+@.*\nNo stack\.\n', done.stdout), done.stdout + done.stderr
