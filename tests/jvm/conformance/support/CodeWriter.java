package support;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Assembles the body of one method: two passes over its lines, the first to place the labels. */
final class CodeWriter {
    private final Pool pool;
    private final List<List<String>> lines;
    private final Map<String, Integer> labels = new HashMap<>();
    private int maxStack = 16;
    private int maxLocals = 16;
    private Bytes code;
    private Bytes handlers;
    private Bytes lineNumbers;
    private Bytes frames;
    private int nhandlers;
    private int nlines;
    private int nframes;
    private int lastFrame;
    private boolean placing;

    CodeWriter(Pool pool, List<List<String>> lines) {
        this.pool = pool;
        this.lines = lines;
    }

    byte[] assemble() {
        placing = true;
        pass();
        placing = false;
        pass();
        Bytes attrs = new Bytes();
        int nattrs = 0;
        if (nlines > 0) {
            attrs.u2(pool.utf8("LineNumberTable")).u4(2 + lineNumbers.size()).u2(nlines).all(lineNumbers.toArray());
            nattrs++;
        }
        if (nframes > 0) {
            attrs.u2(pool.utf8("StackMapTable")).u4(2 + frames.size()).u2(nframes).all(frames.toArray());
            nattrs++;
        }
        Bytes out = new Bytes().u2(maxStack).u2(maxLocals).u4(code.size()).all(code.toArray());
        return out.u2(nhandlers).all(handlers.toArray()).u2(nattrs).all(attrs.toArray()).toArray();
    }

    private void pass() {
        code = new Bytes();
        handlers = new Bytes();
        lineNumbers = new Bytes();
        frames = new Bytes();
        nhandlers = nlines = nframes = 0;
        lastFrame = -1;
        for (List<String> words : lines) {
            String first = words.get(0);
            if (first.startsWith(".")) {
                directive(words);
            } else if (first.endsWith(":")) {
                labels.put(first.substring(0, first.length() - 1), code.size());
            } else {
                instruction(words);
            }
        }
    }

    private int label(String name) {
        Integer at = labels.get(name);
        if (at == null && !placing) {
            throw new IllegalArgumentException("no such label: " + name);
        }
        return at == null ? 0 : at;
    }

    private void directive(List<String> w) {
        switch (w.get(0)) {
            case ".stack" -> maxStack = Integer.parseInt(w.get(1));
            case ".locals" -> maxLocals = Integer.parseInt(w.get(1));
            case ".line" -> {
                lineNumbers.u2(code.size()).u2(Integer.parseInt(w.get(1)));
                nlines++;
            }
            case ".catch" -> {      /* .catch Type|any from to handler */
                int type = w.get(1).equals("any") ? 0 : pool.type(w.get(1));
                handlers.u2(label(w.get(2))).u2(label(w.get(3))).u2(label(w.get(4))).u2(type);
                nhandlers++;
            }
            case ".frame" -> frame(w);
            default -> throw new IllegalArgumentException("no such directive: " + w);
        }
    }

    /** .frame LOCAL... | STACK... : a full_frame at this place. */
    private void frame(List<String> w) {
        int bar = w.indexOf("|");
        frames.u1(255).u2(lastFrame < 0 ? code.size() : code.size() - lastFrame - 1);
        types(w.subList(1, bar));
        types(w.subList(bar + 1, w.size()));
        lastFrame = code.size();
        nframes++;
    }

    private void types(List<String> names) {
        List<String> simple = List.of("top", "int", "float", "double", "long", "null", "uninitializedThis");
        frames.u2(names.size());
        for (String name : names) {
            if (simple.contains(name)) {
                frames.u1(simple.indexOf(name));
            } else if (name.startsWith("new@")) {
                frames.u1(8).u2(label(name.substring(4)));
            } else {
                frames.u1(7).u2(pool.type(name));
            }
        }
    }

    private void instruction(List<String> w) {
        Opcodes.Op op = Opcodes.named(w.get(0));
        int at = code.size();
        switch (op.shape()) {
            case NONE -> code.u1(op.code());
            case BYTE -> code.u1(op.code()).u1(Integer.decode(w.get(1)));
            case SHORT -> code.u1(op.code()).u2(Integer.decode(w.get(1)));
            case LDC -> code.u1(op.code()).u1(loadable(w));
            case LDC_W -> code.u1(op.code()).u2(loadable(w));
            case LOCAL, IINC -> local(op, w, false);
            case WIDE -> local(Opcodes.named(w.get(1)), w.subList(1, w.size()), true);
            case BRANCH -> code.u1(op.code()).u2(label(w.get(1)) - at);
            case BRANCH_W -> code.u1(op.code()).u4(label(w.get(1)) - at);
            case FIELD -> code.u1(op.code()).u2(pool.field(w.get(1)));
            case METHOD -> {
                boolean isInterface = w.get(1).equals("interface");
                code.u1(op.code()).u2(pool.method(w.get(isInterface ? 2 : 1), isInterface));
            }
            case INTERFACE -> {
                boolean isClass = w.get(1).equals("class");
                String member = w.get(isClass ? 2 : 1);
                code.u1(op.code()).u2(pool.method(member, !isClass)).u1(1 + argumentWords(member)).u1(0);
            }
            case DYNAMIC -> {       /* invokedynamic NAME DESC BOOTSTRAP CONSTANT... */
                int b = bootstrap(w, 3);
                code.u1(op.code()).u2(pool.dynamic(true, w.get(1), w.get(2), b)).u2(0);
            }
            case TYPE -> code.u1(op.code()).u2(pool.type(w.get(1)));
            case ARRAY -> code.u1(op.code()).u1(arrayCode(w.get(1)));
            case MULTI -> code.u1(op.code()).u2(pool.type(w.get(1))).u1(Integer.parseInt(w.get(2)));
            case TABLE -> tableSwitch(op, w, at);
            case LOOKUP -> lookupSwitch(op, w, at);
        }
    }

    /** The two passes must not add a bootstrap method twice: its index is kept per line. */
    private final Map<List<String>, Integer> bootstrapOf = new HashMap<>();

    private int bootstrap(List<String> w, int from) {
        return bootstrapOf.computeIfAbsent(w, k -> pool.bootstrap(w.get(from), new ArrayList<>(w.subList(from + 1, w.size()))));
    }

    /** ldc TOKEN, or ldc condy NAME DESC BOOTSTRAP CONSTANT... */
    private int loadable(List<String> w) {
        return w.get(1).equals("condy") ? pool.dynamic(false, w.get(2), w.get(3), bootstrap(w, 4)) : pool.constant(w.get(1));
    }

    private void local(Opcodes.Op op, List<String> w, boolean wide) {
        int n = Integer.parseInt(w.get(1));
        boolean iinc = op.shape() == Opcodes.Shape.IINC;
        int by = iinc ? Integer.parseInt(w.get(2)) : 0;
        if (wide || n > 255 || by != (byte) by) {
            code.u1(196).u1(op.code()).u2(n);
            if (iinc) {
                code.u2(by);
            }
        } else {
            code.u1(op.code()).u1(n);
            if (iinc) {
                code.u1(by);
            }
        }
    }

    private static int arrayCode(String name) {
        int at = List.of("boolean", "char", "float", "double", "byte", "short", "int", "long").indexOf(name);
        return at < 0 ? Integer.decode(name) : 4 + at;
    }

    private static int argumentWords(String member) {
        int words = 0;
        for (int i = member.indexOf('(') + 1; member.charAt(i) != ')'; i++) {
            boolean array = member.charAt(i) == '[';
            while (member.charAt(i) == '[') {
                i++;
            }
            char c = member.charAt(i);
            words += !array && (c == 'J' || c == 'D') ? 2 : 1;
            if (c == 'L') {
                i = member.indexOf(';', i);
            }
        }
        return words;
    }

    private void pad() {
        while (code.size() % 4 != 0) {
            code.u1(0);
        }
    }

    /** tableswitch LOW LABEL... default LABEL */
    private void tableSwitch(Opcodes.Op op, List<String> w, int at) {
        int low = Integer.decode(w.get(1));
        int n = w.size() - 4;
        code.u1(op.code());
        pad();
        code.u4(label(w.get(w.size() - 1)) - at).u4(low).u4(low + n - 1);
        for (int i = 0; i < n; i++) {
            code.u4(label(w.get(2 + i)) - at);
        }
    }

    /** lookupswitch KEY=LABEL... default LABEL */
    private void lookupSwitch(Opcodes.Op op, List<String> w, int at) {
        int n = w.size() - 3;
        code.u1(op.code());
        pad();
        code.u4(label(w.get(w.size() - 1)) - at).u4(n);
        for (int i = 0; i < n; i++) {
            String[] pair = w.get(1 + i).split("=");
            code.u4(Integer.decode(pair[0])).u4(label(pair[1]) - at);
        }
    }
}
