package support;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns text into a class file, with nothing checked: the point is to write what javac never writes.
 *
 * <pre>
 * .class public gen/T              flags and name; flags may be numbers such as 0x20
 * .version 49                      class-file version (default 49: no stack maps asked for)
 * .super java/lang/Object          (default)
 * .implements gen/I
 * .attr NestHost class:gen/H       an attribute of the class, from parts u1:N u2:N u4:N class:X utf8:X
 * .field public static x I
 * .method public static run ()I    lines of code follow (see CodeWriter), up to .end
 *   iconst_1                       ; a comment
 *   ireturn
 * .end
 * </pre>
 */
public final class Assembler {
    private static final List<String> FLAGS = List.of("public=1", "private=2", "protected=4", "static=8", "final=16",
        "super=32", "synchronized=32", "volatile=64", "bridge=64", "transient=128", "varargs=128", "native=256",
        "interface=512", "abstract=1024", "strict=2048", "synthetic=4096", "annotation=8192", "enum=16384");
    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");

    private final Pool pool = new Pool();
    private final Bytes fields = new Bytes();
    private final Bytes methods = new Bytes();
    private final Bytes attributes = new Bytes();
    private final List<Integer> interfaces = new ArrayList<>();
    private int version = 49;
    private int flags = 0x21;
    private String name = "gen/T";
    private String superName = "java/lang/Object";
    private int nfields;
    private int nmethods;
    private int nattributes;

    private Assembler() { }

    /** The class file for `text`. */
    public static byte[] assemble(String text) {
        return new Assembler().read(text.lines().toList()).write();
    }

    /** The name, with dots, of the class that `text` describes. */
    public static String nameOf(String text) {
        Matcher m = Pattern.compile("\\.class .*?(\\S+)\\s*$", Pattern.MULTILINE).matcher(text);
        return m.find() ? m.group(1).replace('/', '.') : "gen.T";
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher m = WORD.matcher(line);
        while (m.find() && !m.group().equals(";")) {
            words.add(m.group());
        }
        return words;
    }

    private Assembler read(List<String> text) {
        for (int i = 0; i < text.size(); i++) {
            List<String> w = words(text.get(i));
            if (w.isEmpty()) {
                continue;
            }
            switch (w.get(0)) {
                case ".class" -> {
                    flags = flags(w.subList(1, w.size() - 1));
                    name = w.get(w.size() - 1);
                }
                case ".version" -> version = Integer.parseInt(w.get(1));
                case ".super" -> superName = w.get(1);
                case ".implements" -> interfaces.add(pool.type(w.get(1)));
                case ".attr" -> attribute(w);
                case ".field" -> field(w);
                case ".method" -> {
                    List<List<String>> body = new ArrayList<>();
                    while (!words(text.get(++i)).equals(List.of(".end"))) {
                        if (!words(text.get(i)).isEmpty()) {
                            body.add(words(text.get(i)));
                        }
                    }
                    method(w, body);
                }
                default -> throw new IllegalArgumentException("what is " + w);
            }
        }
        return this;
    }

    private static int flags(List<String> words) {
        int flags = 0;
        for (String word : words) {
            if (Character.isDigit(word.charAt(0))) {
                flags |= Integer.decode(word);
                continue;
            }
            String known = FLAGS.stream().filter(f -> f.startsWith(word + "=")).findFirst().orElseThrow();
            flags |= Integer.parseInt(known.substring(known.indexOf('=') + 1));
        }
        return flags;
    }

    private void attribute(List<String> w) {
        Bytes body = new Bytes();
        for (String part : w.subList(2, w.size())) {
            String value = part.substring(part.indexOf(':') + 1);
            switch (part.substring(0, part.indexOf(':'))) {
                case "u1" -> body.u1(Integer.decode(value));
                case "u2" -> body.u2(Integer.decode(value));
                case "u4" -> body.u4(Integer.decode(value));
                case "class" -> body.u2(pool.type(value));
                case "utf8" -> body.u2(pool.utf8(value));
                default -> throw new IllegalArgumentException("what is " + part);
            }
        }
        attributes.u2(pool.utf8(w.get(1))).u4(body.size()).all(body.toArray());
        nattributes++;
    }

    /** .field FLAGS NAME DESC, or .field FLAGS NAME DESC = CONSTANT */
    private void field(List<String> w) {
        int eq = w.indexOf("=");
        int end = eq < 0 ? w.size() : eq;
        fields.u2(flags(w.subList(1, end - 2))).u2(pool.utf8(w.get(end - 2))).u2(pool.utf8(w.get(end - 1)));
        if (eq < 0) {
            fields.u2(0);
        } else {
            fields.u2(1).u2(pool.utf8("ConstantValue")).u4(2).u2(pool.constant(w.get(eq + 1)));
        }
        nfields++;
    }

    private void method(List<String> w, List<List<String>> body) {
        int n = w.size();
        methods.u2(flags(w.subList(1, n - 2))).u2(pool.utf8(w.get(n - 2))).u2(pool.utf8(w.get(n - 1)));
        if (body.isEmpty()) {
            methods.u2(0);
        } else {
            byte[] code = new CodeWriter(pool, body).assemble();
            methods.u2(1).u2(pool.utf8("Code")).u4(code.length).all(code);
        }
        nmethods++;
    }

    private byte[] write() {
        int thisAt = pool.type(name);
        int superAt = superName.equals("none") ? 0 : pool.type(superName);
        if (pool.hasBootstraps()) {
            byte[] table = pool.bootstrapTable();
            attributes.u2(pool.utf8("BootstrapMethods")).u4(table.length).all(table);
            nattributes++;
        }
        Bytes out = new Bytes().u4(0xcafebabe).u2(0).u2(version).all(pool.toArray()).u2(flags).u2(thisAt).u2(superAt);
        out.u2(interfaces.size());
        interfaces.forEach(out::u2);
        out.u2(nfields).all(fields.toArray()).u2(nmethods).all(methods.toArray());
        return out.u2(nattributes).all(attributes.toArray()).toArray();
    }
}
