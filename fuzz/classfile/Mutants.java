import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Loads every class file of a directory, from number FROM on: defines, links and initialises it, and calls its static methods named
 * run.  Before each it prints its number, after it what came of it, so that the line that is missing names the culprit.
 *
 * Each file is tried in a thread of its own; one that does not end in time is left behind, and after a few of those the
 * process stops with status 77 to be started again after them.
 */
public class Mutants extends ClassLoader {
    private static final int LEFT_BEHIND_MAX = 3;
    private static final long MILLIS = 1500;

    private Class<?> define(byte[] file) {
        return defineClass(null, file, 0, file.length);
    }

    private static String use(byte[] file) {
        try {
            Class<?> c = new Mutants().define(file);
            Class.forName(c.getName(), true, c.getClassLoader());
            c.getDeclaredFields();
            c.getDeclaredConstructors();
            StringBuilder said = new StringBuilder("ok");
            for (Method m : c.getDeclaredMethods()) {
                if (m.getName().equals("run") && c.getName().startsWith("gen.")) {
                    said.append(' ').append(call(m));
                }
            }
            return said.toString();
        } catch (Throwable t) {
            return t.getClass().getName();
        }
    }

    private static String call(Method m) {
        try {
            Object[] args = new Object[m.getParameterCount()];
            for (int i = 0; i < args.length; i++) {
                args[i] = zero(m.getParameterTypes()[i]);
            }
            m.setAccessible(true);
            m.invoke(null, args);
            return "called";
        } catch (java.lang.reflect.InvocationTargetException e) {
            return e.getCause().getClass().getName();
        } catch (Throwable t) {
            return t.getClass().getName();
        }
    }

    private static Object zero(Class<?> type) {
        return type.isPrimitive() ? java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0) : null;
    }

    public static void main(String[] args) throws Exception {
        List<Path> files;
        try (Stream<Path> s = Files.list(Path.of(args[0]))) {
            files = s.sorted().collect(Collectors.toList());
        }
        PrintStream report = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        int leftBehind = 0;
        for (int i = Integer.parseInt(args[1]); i < files.size(); i++) {
            byte[] file = Files.readAllBytes(files.get(i));
            String[] said = {"does not end"};
            report.print(i + " ");
            report.flush();
            Thread t = new Thread(() -> said[0] = use(file));
            t.setDaemon(true);
            t.start();
            t.join(MILLIS);
            report.println(said[0]);
            if (t.isAlive() && ++leftBehind == LEFT_BEHIND_MAX) {
                Runtime.getRuntime().halt(77);
            }
        }
        report.flush();
        Runtime.getRuntime().halt(0);
    }
}
