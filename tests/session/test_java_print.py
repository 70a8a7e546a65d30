"""Values of a real Java program as ebb shows them, beside what the program itself prints: its collections are read by their insides,
its toString runs their code."""
import subprocess

import re

import pytest

from java_source import javac

# Locals whose text is the same as that of their toString.
LIKE_TO_STRING = """
    List<Integer> arrayList = new ArrayList<>(List.of(1, 2, 3))
    Deque<Integer> arrayDeque = wrapped()
    Deque<Integer> emptyDeque = new ArrayDeque<>()
    List<Integer> linkedList = new LinkedList<>(Arrays.asList(1, null, 3))
    Vector<Integer> vector = new Vector<>(List.of(4, 5))
    Stack<Integer> stack = pushed()
    Map<Integer, Integer> hashMap = filled(new HashMap<>())
    Map<Integer, Integer> linkedHashMap = filled(new LinkedHashMap<>())
    Map<Integer, Integer> treeMap = filled(new TreeMap<>(Comparator.reverseOrder()))
    Map<Integer, Integer> concurrentHashMap = filled(new ConcurrentHashMap<>())
    Map<Integer, Integer> weakHashMap = filled(new WeakHashMap<>())
    Map<Integer, Integer> hashtable = filled(new Hashtable<>())
    Map<Integer, Integer> skipListMap = filled(new ConcurrentSkipListMap<>())
    Map<Clash, Integer> hashTree = clashing(new HashMap<>())
    Map<Clash, Integer> concurrentTree = clashing(new ConcurrentHashMap<>())
    Map<Color, Integer> enumMap = new EnumMap<>(Map.of(Color.BLUE, 1, Color.RED, 2))
    Map<Integer, Integer> identityHashMap = new IdentityHashMap<>(Map.of(3, 4))
    Set<Integer> hashSet = new HashSet<>(List.of(10, 20, 30, 1000))
    Set<Integer> linkedHashSet = new LinkedHashSet<>(List.of(3, 1, 2))
    Set<Integer> treeSet = new TreeSet<>(List.of(3, 1, 2))
    Set<Integer> skipListSet = new ConcurrentSkipListSet<>(List.of(3, 1, 2))
    Set<Color> enumSet = EnumSet.of(Color.GREEN, Color.BLUE)
    Set<Integer> newSetFromMap = added(Collections.newSetFromMap(new IdentityHashMap<>()))
    Set<Integer> newKeySet = added(ConcurrentHashMap.newKeySet())
    Queue<Integer> priorityQueue = new PriorityQueue<>(List.of(5, 1, 3))
    List<Integer> listOf0 = List.of()
    List<Integer> listOf1 = List.of(1)
    List<Integer> listOf2 = List.of(1, 2)
    List<Integer> listOf3 = List.of(1, 2, 3)
    Set<Integer> setOf0 = Set.of()
    Set<Integer> setOf1 = Set.of(1)
    Set<Integer> setOf2 = Set.of(1, 2)
    Set<Integer> setOf5 = Set.of(1, 2, 3, 4, 5)
    Map<Integer, Integer> mapOf0 = Map.of()
    Map<Integer, Integer> mapOf1 = Map.of(1, 2)
    Map<Integer, Integer> mapOf5 = Map.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    List<Integer> asList = Arrays.asList(1, 2, 3)
    List<Integer> unmodifiableList = Collections.unmodifiableList(arrayList)
    List<Integer> synchronizedList = Collections.synchronizedList(linkedList)
    Set<Integer> unmodifiableSet = Collections.unmodifiableSet(treeSet)
    Map<Integer, Integer> unmodifiableMap = Collections.unmodifiableMap(linkedHashMap)
    Map<Integer, Integer> synchronizedMap = Collections.synchronizedMap(treeMap)
    List<Integer> emptyList = Collections.emptyList()
    Set<Integer> emptySet = Collections.emptySet()
    Map<Integer, Integer> emptyMap = Collections.emptyMap()
    List<Integer> singletonList = Collections.singletonList(9)
    Set<Integer> singleton = Collections.singleton(9)
    Map<Integer, Integer> singletonMap = Collections.singletonMap(1, 2)
    List<Integer> nCopies = Collections.nCopies(3, 8)
    Set<Integer> keySet = linkedHashMap.keySet()
    Set<Integer> hashKeySet = hashMap.keySet()
    Collection<Integer> values = hashMap.values()
    Set<Map.Entry<Integer, Integer>> entrySet = treeMap.entrySet()
    Map.Entry<Integer, Integer> entry = Map.entry(1, 2)
    List<Integer> copyOnWrite = new CopyOnWriteArrayList<>(arrayList)
    Set<Integer> copyOnWriteSet = new CopyOnWriteArraySet<>(arrayList)
    Queue<Integer> linkedBlockingQueue = new LinkedBlockingQueue<>(arrayList)
    Queue<Integer> concurrentLinkedQueue = new ConcurrentLinkedQueue<>(arrayList)
    Queue<Integer> arrayBlockingQueue = new ArrayBlockingQueue<>(5, false, arrayList)
    Optional<Integer> optional = Optional.of(5)
    Optional<Integer> optionalEmpty = Optional.empty()
    OptionalInt optionalInt = OptionalInt.of(5)
    OptionalDouble optionalDouble = OptionalDouble.empty()
    AtomicInteger atomicInteger = new AtomicInteger(5)
    AtomicLong atomicLong = new AtomicLong(-5)
    AtomicBoolean atomicBoolean = new AtomicBoolean(true)
    AtomicReference<Integer> atomicReference = new AtomicReference<>(6)
    List<Integer> subList = arrayList.subList(1, 3)
    BigInteger bigInteger = new BigInteger("-123456789012345678901234567890000000000000000000000000001")
    BigInteger bigZero = BigInteger.ZERO
    BigDecimal bigDecimal = new BigDecimal("-1234.5600")
    BigDecimal tinyDecimal = new BigDecimal("0.0000012")
    BigDecimal tinierDecimal = new BigDecimal("1.25E-12")
    BigDecimal largeDecimal = new BigDecimal("1.25E+40")
    BigDecimal wideDecimal = new BigDecimal("12345678901234567890123.45")
    UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")
    List<List<Integer>> nested = List.of(List.of(1), arrayList, List.of())
    MyList myList = new MyList()
    Color red = Color.RED
    Color green = Color.GREEN
    Class<?> aClass = String.class
    Class<?> anInterface = List.class
    Class<?> aPrimitive = int.class
    double pi = Math.PI
    double large = 1e23
    double small = 5e-324
    float third = 1f / 3
    float power = 9.671407E24f
    long smallest = Long.MIN_VALUE
    Integer boxed = 42
    Boolean yes = true
    byte aByte = -1
    Object nothing = null
"""

# Locals that are shown in a way of their own: declaration, text.
OTHERWISE = [
    ('StringBuilder builder = new StringBuilder("b\\u20acild")', '"b€ild"'),
    ('StringBuffer buffer = new StringBuffer("latin")', '"latin"'),
    ('Properties properties = property()', '{"k"="v"}'),
    ('Exception exception = new IllegalStateException("boom", new RuntimeException("inner"))',
     'java.lang.IllegalStateException: "boom", caused by java.lang.RuntimeException: "inner"'),
    ('Exception silent = new Exception()', "java.lang.Exception"),
    ('String text = "quote\\" tab\\t \\u20ac \\u0007"', '"quote\\" tab\\t € \\u0007"'),
    ("char aChar = 'x'", "'x'"),
    ("Character boxedChar = '\\n'", "'\\n'"),
    ("int[] ints = {1, 2, 3}", "{1, 2, 3}"),
    ("int[][] matrix = new int[2][3]", "{{0, 0, 0}, {0, 0, 0}}"),
    ("int[] zeros = new int[50]", "{0 <repeats 50 times>}"),
    ('String[] strings = {"a", null}', '{"a", null}'),
    ("char[] chars = {'a', '\\''}", "{'a', '\\''}"),
    ("double[] doubles = {1, 2.5}", "{1.0, 2.5}"),
    ('List<String> words = new ArrayList<>(List.of("one", "two"))', '["one", "two"]'),
    ('Map<String, List<Integer>> groups = new TreeMap<>(Map.of("x", List.of(1), "y", arrayList))', '{"x"=[1], "y"=[1, 2, 3]}'),
    ('Pair pair = new Pair("l", 7)', 'Pair[left="l", right=7]'),
    ('java.io.File file = new java.io.File("/tmp/x")', 'File["/tmp/x"]'),
    ('java.net.URI uri = java.net.URI.create("http://a/b")', 'URI["http://a/b"]'),
    ("Object anonymous = new Object() { int inside = 3; }", None),
    ("Thread thread = Thread.currentThread()", 'Thread["main"]'),
    ('Runnable lambda = () -> System.out.println(pair)', 'Runnable lambda of Print {arg$1 = Pair[left="l", right=7]}'),
    ("List<Integer> many = new ArrayList<>(Collections.nCopies(1000, 1))", "[" + ", ".join(["1"] * 200) + "...]"),
]

SOURCE = """
import java.math.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Print {
    enum Color { RED, GREEN { int number() { return 1; } }, BLUE; int number() { return 0; } }
    record Pair(String left, int right) {}
    record Clash(int id) implements Comparable<Clash> {
        public int hashCode() { return 1; }
        public int compareTo(Clash other) { return id - other.id; }
        public String toString() { return "Clash[id=" + id + "]"; }
    }
    static class MyList extends ArrayList<Integer> { int extra = 3; { add(1); } }
    static class Node { int value; Node next; Node(int value, Node next) { this.value = value; this.next = next; } }

    static Map<Integer, Integer> filled(Map<Integer, Integer> map) {
        for (int i = 40; i > 0; i--)
            map.put(i * 37, i);
        return map;
    }
    static Map<Clash, Integer> clashing(Map<Clash, Integer> map) {
        for (int i = 0; i < 100; i++)
            map.put(new Clash(i), i);
        return map;
    }
    static Deque<Integer> wrapped() {
        Deque<Integer> deque = new ArrayDeque<>();
        for (int i = 0; i < 20; i++) {
            deque.addLast(i);
            if (i > 5)
                deque.removeFirst();
        }
        return deque;
    }
    static Set<Integer> added(Set<Integer> set) { set.add(3); return set; }
    static Stack<Integer> pushed() { Stack<Integer> stack = new Stack<>(); stack.push(7); stack.push(8); return stack; }
    static Properties property() { Properties p = new Properties(); p.setProperty("k", "v"); return p; }

    public static void main(String[] args) {
        DECLARATIONS
        Node node = new Node(1, new Node(2, null));
        node.next.next = node;
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        PRINTING
        System.out.println("--------"); // here
    }
}
"""


def name_of(declaration):
    return declaration.split(" = ")[0].split()[-1]


@pytest.fixture(scope="module")
def shown(workshop, request):
    """What ebb shows of each local, and what the program said."""
    from conftest import EBB
    folder = workshop / "java-print"
    folder.mkdir(exist_ok=True)
    like = [line.strip() for line in LIKE_TO_STRING.strip().splitlines()]
    declarations = like + [declaration for declaration, _ in OTHERWISE]
    source = SOURCE.replace("DECLARATIONS", "".join(f"{line};\n        " for line in declarations))
    source = source.replace("PRINTING", "".join(f'System.out.println("{name_of(line)} = " + {name_of(line)});\n        ' for line in like))
    (folder / "Print.java").write_text(source)
    javac("-g", "Print.java", cwd=folder)
    line = 1 + next(i for i, text in enumerate(source.splitlines()) if "// here" in text)
    commands = [f"break Print.java:{line}", "run", "echo ========\\n", "info locals"]
    done = subprocess.run([EBB, "run", "--batch", *(word for command in commands for word in ("-e", command)), "java", "-cp", folder, "Print"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
    said, ours = done.stdout.split("========\n")
    as_pairs = lambda text: dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    return as_pairs(ours), as_pairs(said)


@pytest.mark.parametrize("name", [name_of(line) for line in LIKE_TO_STRING.strip().splitlines()])
def test_as_the_program_itself(shown, name):
    ours, said = shown
    assert ours[name] == said[name]


@pytest.mark.parametrize("declaration, text", [row for row in OTHERWISE if row[1]], ids=[name_of(row[0]) for row in OTHERWISE if row[1]])
def test_in_a_way_of_its_own(shown, declaration, text):
    assert shown[0][name_of(declaration)] == text


def test_an_object_by_its_fields(shown):
    text = shown[0]["anonymous"]
    assert text.startswith("Print$1@") and text.endswith(" {inside = 3}")


def test_an_object_inside_of_itself(shown):
    node, itself = shown[0]["node"], shown[0]["itself"]
    assert re.fullmatch(r"Print\.Node@\w+ \{value = 1, next = Print\.Node@\w+\}", node)
    assert itself.startswith("[<cycle: ArrayList@") and itself.endswith(">]")


TIMES = '''
import java.time.*;
import java.util.*;

public class Times {
    public static void main(String[] args) {
        ZoneId paris = ZoneId.of("Europe/Paris");
        Object[] all = {
            LocalDate.of(2024, 2, 29), LocalDate.of(-5, 1, 2), LocalDate.of(12345, 12, 31), LocalDate.of(0, 3, 1), LocalTime.of(3, 4), LocalTime.of(3, 4, 5),
            LocalTime.of(3, 4, 5, 120_000_000), LocalTime.of(0, 0, 0, 7), LocalTime.of(1, 2, 0, 45_000), LocalDateTime.of(2024, 2, 29, 13, 14, 15),
            Instant.ofEpochSecond(1700000000L), Instant.ofEpochSecond(1700000000L, 5_000_000), Instant.ofEpochSecond(-1), Instant.ofEpochSecond(-1, 1),
            Instant.ofEpochMilli(0), Instant.ofEpochSecond(951782400L), Instant.ofEpochSecond(-62198755200L), Instant.ofEpochSecond(253402300800L),
            Duration.ofSeconds(3661), Duration.ofMillis(-1500), Duration.ZERO, Duration.ofDays(3).plusNanos(1), Duration.ofMillis(500),
            Duration.ofSeconds(-60), Duration.ofSeconds(-1, 1), Duration.ofSeconds(-3600, 5), Duration.ofSeconds(59, 999_999_999), ZoneOffset.UTC,
            ZoneOffset.ofHours(-3), ZoneOffset.ofHoursMinutes(5, 30), paris, ZonedDateTime.of(2024, 7, 2, 3, 4, 5, 0, paris),
            ZonedDateTime.of(2024, 1, 2, 3, 4, 5, 0, ZoneOffset.UTC), OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(2)), Year.of(2024),
            Year.of(-3), YearMonth.of(2024, 3), YearMonth.of(12345, 3), MonthDay.of(12, 25), Period.of(1, 2, 3), Period.ZERO, Period.ofMonths(-2),
            BitSet.valueOf(new long[]{0b1011, 1, 0, -1L << 62}), new BitSet(), new BitSet(500), Locale.US, Locale.JAPANESE,
            Locale.forLanguageTag("zh-Hant-TW"), new Locale("de", "CH", "POSIX"), new Locale("de", "", "POSIX"), Currency.getInstance("EUR"),
        };
        String[] texts = new String[all.length];
        for (int i = 0; i < all.length; i++)
            texts[i] = all[i].toString();
        System.out.println(texts.length);
        Object path = java.nio.file.Path.of("/some where", "\\u00e4");
        System.out.println(path); // here
    }
}
'''


def test_dates_times_and_bits_are_shown_as_java_writes_them(batch, tmp_path):
    from java_source import compile_java
    folder = compile_java(tmp_path, 'Times', TIMES)
    line = next(i for i, at in enumerate(TIMES.splitlines(), 1) if '// here' in at)
    n = 51
    asks = [word for i in range(n) for word in (f'print all[{i}]', f'print texts[{i}]')]
    out = batch('java', f'break Times.java:{line}', 'run', *asks, 'print path', args=['-Dsun.jnu.encoding=UTF-8', '-cp', folder, 'Times'], timeout=120).stdout
    told = re.findall(r'^\$\d+ = (.*)', out, re.M)
    assert f'\n{n}\n' in out and len(told) == 2 * n + 1, out
    for shown, text in zip(told[:-1:2], told[1::2]):
        assert f'"{shown}"' == text
    assert told[-1].startswith('Path["/some where/'), told[-1]
