package support;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Classes assembled while a case runs.  Each Gen is a class loader of its own.
 *
 * With -Debb.dump=DIR every class file that it makes is also kept in DIR, which is how the count of covered
 * opcodes and the corpus of the fuzzer are made.
 */
public final class Gen extends ClassLoader {
    private static int dumped;
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    /** A loader of the classes that `texts` describe. */
    public Gen(String... texts) {
        super("gen", Gen.class.getClassLoader());
        for (String text : texts) {
            add(Assembler.nameOf(text), Assembler.assemble(text));
        }
    }

    /** Lets this loader define `name`, with dots, from `file`. */
    public Gen add(String name, byte[] file) {
        files.put(name, file);
        dump(name, file);
        return this;
    }

    private static void dump(String name, byte[] file) {
        String dir = System.getProperty("ebb.dump");
        if (dir == null) {
            return;
        }
        try {
            String main = System.getProperty("sun.java.command").split(" ")[0];
            Files.write(Path.of(dir, main + "-" + dumped++ + "-" + name + ".class"), file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] file = files.get(name);
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, file, 0, file.length);
    }

    /** What calling the static method `method` of class `type` gives: its value, or what it throws, as text. */
    public String call(String type, String method, Object... args) {
        try {
            for (Method m : Class.forName(type, true, this).getDeclaredMethods()) {
                if (m.getName().equals(method)) {
                    m.setAccessible(true);
                    return show(m.invoke(null, args));
                }
            }
            return "no method " + method;
        } catch (InvocationTargetException e) {
            return show(e.getCause());
        } catch (Throwable e) {
            return show(e);
        }
    }

    /** The same for a static method run() in class gen.T made of `code`. */
    public static String run(String desc, String code, Object... args) {
        return new Gen(".class public gen/T\n.method public static run " + desc + "\n" + code + "\n.end").call("gen.T", "run", args);
    }

    /** Prints `label: result of run`. */
    public static void test(String label, String desc, String code, Object... args) {
        System.out.println(label + ": " + run(desc, code, args));
    }

    /** Defines and initialises class `type` and says "ok" or the name of the error: its text is the VM's own affair. */
    public String link(String type) {
        try {
            Class.forName(type, true, this);
            return "ok";
        } catch (Throwable e) {
            return e.getClass().getName();
        }
    }

    /** Text of a value that is the same in every run: floating point with its bits, errors without hash codes. */
    public static String show(Object o) {
        if (o instanceof Float f) {
            return f + " 0x" + Integer.toHexString(Float.floatToRawIntBits(f));
        }
        if (o instanceof Double d) {
            return d + " 0x" + Long.toHexString(Double.doubleToRawLongBits(d));
        }
        if (o instanceof Character c) {
            return "char " + (int) c;
        }
        if (o instanceof LinkageError) {
            return o.getClass().getName();
        }
        return String.valueOf(o).replaceAll("@[0-9a-f]+", "@");
    }
}
