package system;

// options: -Dmy.key=value -Dempty= -Dflag -Dspace="a b"
// args: one "two three" ""
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Properties;

/** System properties from the command line and the platform; Properties files; arguments of main. */
public class SystemProperties {
    public static void main(String[] args) throws Exception {
        System.out.println(args.length + " " + String.join("|", args));
        for (String k : new String[] {"my.key", "empty", "flag", "space", "none", "file.separator", "path.separator", "line.separator", "java.version", "java.vendor", "java.specification.version", "java.class.version", "os.name", "os.arch", "file.encoding", "sun.jnu.encoding", "native.encoding", "user.language", "java.vm.specification.version", "java.home", "java.io.tmpdir", "java.vm.specification.name", "sun.java.launcher", "java.runtime.version", "jdk.debug", "sun.arch.data.model", "sun.cpu.endian", "java.library.path"}) {
            String v = System.getProperty(k);
            System.out.println(k + "=" + (v == null ? null : v.replace("\n", "\\n")));
        }
        System.out.println(System.getProperty("sun.java.command").startsWith("system.SystemProperties") + " " + Integer.getInteger("none", 5) + " " + Boolean.getBoolean("flag") + " " + System.getProperty("none", "dflt"));
        System.setProperty("set", "x");
        System.out.println(System.getProperty("set") + " " + System.clearProperty("set") + " " + System.getProperty("set") + " " + System.lineSeparator().length());
        Properties p = new Properties();
        p.load(new StringReader("# c\na=1\nb : two\\\n  lines\nc\\ d=\\u00e9\n! x\nempty\n"));
        System.out.println(new java.util.TreeMap<>(p));
        StringWriter w = new StringWriter();
        Properties q = new Properties(p);
        q.setProperty("k", "v\u20ac \t");
        q.store(w, null);
        System.out.println(w.toString().replaceAll("(?m)^#.*\n", "") + q.getProperty("a"));
        try {
            System.setProperty("", "x");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
