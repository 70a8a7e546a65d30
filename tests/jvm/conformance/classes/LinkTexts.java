package classes;

import java.io.*;
import java.util.*;

/** Errors of linking, as people search for them. */
public class LinkTexts {
    public static class P { public String hi() { return "P"; } }
    public static class Base { public Object make(P p) { return p.hi(); } }
    public static class Der extends Base { public Object make(P p) { return "der " + p.hi(); } }
    public interface Maker { Object make(P p); }
    public static class Impl implements Maker { public Object make(P p) { return "impl " + p.hi(); } }
    public static class Caller { static Object call(Base b) { return b.make(new P()); } }
    static class Hidden { static int f = 1; static void m() { } private static int g = 2; }
    public static class User { public static Object a() { return new Hidden(); } public static int b() { return Holder.f; } public static void c() { Holder.m(); } }
    public static class Holder { static int f = 1; static void m() { } }
    public static class Version { }
    public static class Nest { }
    public static class Thing { }
    public static class Loose { public void m() { } }
    public static class Tight { public final void m() { } }
    public static class Over extends Loose { public void m() { } }
    public static abstract class Half { }

    static class L extends ClassLoader {
        final Set<String> own;
        final Map<String, byte[]> patched = new HashMap<>();
        L(String... own) { super("custom", LinkTexts.class.getClassLoader()); this.own = new HashSet<>(Arrays.asList(own)); }
        protected Class<?> loadClass(String n, boolean r) throws ClassNotFoundException {
            if (!own.contains(n)) return super.loadClass(n, r);
            Class<?> c = findLoadedClass(n);
            if (c != null) return c;
            byte[] b = patched.containsKey(n) ? patched.get(n) : bytes(n);
            return defineClass(n, b, 0, b.length);
        }
        Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); }
    }
    static byte[] bytes(String n) {
        try (InputStream in = LinkTexts.class.getResourceAsStream("/" + n.replace('.', '/') + ".class")) { return in.readAllBytes(); } catch (IOException e) { throw new UncheckedIOException(e); }
    }
    interface Act { Object run() throws Throwable; }
    static void tell(String what, Act act) {
        try {
            System.out.println(what + ": " + act.run());
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(what + ": " + clean(e.getCause().toString()));
        } catch (Throwable e) {
            System.out.println(what + ": " + clean(e.toString()));
        }
    }
    static String clean(String s) { return s.replaceAll("@(0x)?[0-9a-f]+", "@N"); }
    static Class<?> version(int major, int minor) throws Exception {
        L l = new L("classes.LinkTexts$Version");
        byte[] b = bytes("classes.LinkTexts$Version");
        b[4] = (byte) (minor >> 8); b[5] = (byte) minor; b[6] = (byte) (major >> 8); b[7] = (byte) major;
        l.patched.put("classes.LinkTexts$Version", b);
        return l.loadClass("classes.LinkTexts$Version");
    }
    /** A class of nothing but its names, and attributes of lists of classes: name, number of classes, ... */
    static byte[] empty(String name, String superName, String... attributes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(61);
        out.writeShort(5 + attributes.length);
        out.writeByte(1); out.writeUTF(name);
        out.writeByte(7); out.writeShort(1);
        out.writeByte(1); out.writeUTF(superName);
        out.writeByte(7); out.writeShort(3);
        for (String attribute : attributes) { out.writeByte(1); out.writeUTF(attribute); }
        out.writeShort(0x21); out.writeShort(2); out.writeShort(4); out.writeShort(0); out.writeShort(0); out.writeShort(0);
        out.writeShort(attributes.length);
        for (int i = 0; i < attributes.length; i++) {
            boolean isList = !attributes[i].equals("NestHost");
            out.writeShort(5 + i); out.writeInt(isList ? 4 : 2);
            if (isList) out.writeShort(1);
            out.writeShort(2);
        }
        return bytes.toByteArray();
    }
    /** A class of ours whose file says one thing where it said another as long. */
    static Class<?> changed(String name, String from, String to) throws Exception {
        name = "classes.LinkTexts$" + name;
        L l = new L(name);
        l.patched.put(name, new String(bytes(name), "ISO-8859-1").replace(from, to).getBytes("ISO-8859-1"));
        return l.loadClass(name);
    }
    static Class<?> twice(String name) {
        L l = new L();
        byte[] b = bytes("classes.LinkTexts$" + name);
        l.define(b);
        return l.define(b);
    }
    static Class<?> define(String name, String superName, String... attributes) throws Exception {
        L l = new L(name);
        l.patched.put(name, empty(name, superName, attributes));
        return l.loadClass(name);
    }
    public static void main(String[] args) throws Throwable {
        new P();
        tell("override", () -> { L l = new L("classes.LinkTexts$P", "classes.LinkTexts$Der"); l.loadClass("classes.LinkTexts$P"); return ((Base) l.loadClass("classes.LinkTexts$Der").getDeclaredConstructor().newInstance()).make(new P()); });
        tell("implement", () -> { L l = new L("classes.LinkTexts$P", "classes.LinkTexts$Impl"); l.loadClass("classes.LinkTexts$P"); return ((Maker) l.loadClass("classes.LinkTexts$Impl").getDeclaredConstructor().newInstance()).make(new P()); });
        tell("call", () -> { L l = new L("classes.LinkTexts$P", "classes.LinkTexts$Caller"); l.loadClass("classes.LinkTexts$P"); var m = l.loadClass("classes.LinkTexts$Caller").getDeclaredMethod("call", Base.class); m.setAccessible(true); return m.invoke(null, new Base()); });
        tell("class", () -> new L("classes.LinkTexts$User").loadClass("classes.LinkTexts$User").getMethod("a").invoke(null));
        tell("field", () -> new L("classes.LinkTexts$User").loadClass("classes.LinkTexts$User").getMethod("b").invoke(null));
        tell("method", () -> new L("classes.LinkTexts$User").loadClass("classes.LinkTexts$User").getMethod("c").invoke(null));
        tell("newer", () -> version(65, 0));
        tell("older", () -> version(44, 0));
        tell("preview", () -> version(61, 65535));
        tell("old preview", () -> version(60, 65535));
        tell("minor", () -> version(61, 3));
        tell("reflection", () -> define("Magic", "jdk/internal/reflect/MethodAccessorImpl"));
        tell("nest", () -> define("Nested", "java/lang/Object", "NestHost", "NestMembers"));
        tell("nest too", () -> define("Nested", "java/lang/Object", "NestMembers", "NestHost"));
        tell("not exported", () -> define("Outside", "jdk/internal/misc/Unsafe"));
        tell("not exported too", () -> define("Outside", "sun/net/www/MessageHeader"));
        tell("twice", () -> twice("P"));
        tell("abstract twice", () -> twice("Half"));
        tell("interface twice", () -> twice("Maker"));
        tell("no interface", () -> changed("Impl", "LinkTexts$Maker", "LinkTexts$Thing"));
        tell("final method", () -> changed("Over", "LinkTexts$Loose", "LinkTexts$Tight").getDeclaredConstructor().newInstance());
        tell("magic", () -> changed("P", "\u00ca\u00fe\u00ba\u00be", "\u00ca\u00fe\u00ba\u00bf"));
        tell("no name", () -> new L().define(new byte[8]));
        tell("newer without name", () -> { byte[] b = bytes("classes.LinkTexts$P"); b[7] = 70; return new L().define(b); });
        tell("extra bytes", () -> new L().define(Arrays.copyOf(bytes("classes.LinkTexts$P"), bytes("classes.LinkTexts$P").length + 3)));
        tell("cast", () -> { Object o = new L("classes.LinkTexts$P").loadClass("classes.LinkTexts$P").getDeclaredConstructor().newInstance(); return (P) o; });
    }
}
