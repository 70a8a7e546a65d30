package verify;

import java.nio.ByteBuffer;
import support.Assembler;
import support.Gen;

/** What is allowed depends on the version of the class file; of two faults, the first in loading order is the one that shows. */
public class Versions {
    private static final String BODY = "\n.locals 1\nreturn\n.end";

    static void test(String label, String... lines) {
        StringBuilder said = new StringBuilder(label + ":");
        for (int version : new int[] {46, 48, 49, 50, 51, 52, 55, 60, 61}) {
            String all = String.join("\n", lines);
            String text = (all.startsWith(".class") ? all : ".class public super gen/T\n" + all) + "\n.version " + version;
            said.append(' ').append(new Gen(text).link("gen.T").replaceAll("java.lang.|Error", ""));
        }
        System.out.println(said);
    }

    static void flags() {
        test("interface not abstract", ".class public interface gen/T");
        test("interface super", ".class public interface abstract super gen/T");
        test("interface enum", ".class public interface abstract enum gen/T");
        test("annotation class", ".class public super annotation gen/T");
        test("final abstract", ".class public super final abstract gen/T");
        test("module", ".class 0x8000 gen/T");
        test("module and final abstract", ".class 0x8000 final abstract gen/T");
        test("unknown bits", ".class public super 0x0140 gen/T");
        test("bridge <init>", ".method bridge <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>:()V" + BODY);
        test("strict abstract", ".class public super abstract gen/T", ".method public abstract strict m ()V\n.end");
        test("synchronized abstract", ".class public super abstract gen/T", ".method public abstract synchronized m ()V\n.end");
        for (String f : new String[] {"public abstract", "public abstract strict", "public abstract synchronized", "public abstract native",
                "public abstract private", "private abstract", "public abstract varargs", "abstract", "public abstract protected"}) {
            test("interface method " + f, ".class public interface abstract gen/T", ".method " + f + " m ()V\n.end");
        }
        for (String f : new String[] {"public", "private", "public static", "private static", "public strict", "public synchronized"}) {
            test("interface method with code " + f, ".class public interface abstract gen/T", ".method " + f + " m ()V" + BODY);
        }
        for (String f : new String[] {"static", "static public private", "static native", "static abstract", "public"}) {
            test("<clinit> " + f, ".method " + f + " <clinit> ()V" + BODY);
        }
    }

    static void names() {
        test("field a-b", ".field a-b I");
        test("field 1a", ".field 1a I");
        test("field $a1", ".field $a1 I");
        test("method a-b", ".method static a-b ()V" + BODY);
        test("class a-b", ".field x I", ".attr EnclosingMethod class:a-b u2:0");
        test("class a/1", ".field x I", ".attr EnclosingMethod class:a/1 u2:0");
        test("interface is an array", ".implements [Ljava/lang/Runnable;");
    }

    static void inner() {
        test("inner of an array", ".attr InnerClasses u2:1 class:gen/T class:[I u2:0 u2:0");
        test("inner of itself", ".attr InnerClasses u2:1 class:gen/T class:gen/T u2:0 u2:0");
        test("inner final abstract", ".attr InnerClasses u2:1 class:gen/T u2:0 u2:0 u2:0x410");
        test("inner module", ".attr InnerClasses u2:1 class:gen/T u2:0 u2:0 u2:0x8000");
        test("inner private static", ".attr InnerClasses u2:1 class:gen/T u2:0 u2:0 u2:0xa");
    }

    static void order() {
        test("missing interface, bad field", ".implements no/Such", ".field x Q");
        test("bad field, missing super", ".super no/Such", ".field x Q");
        test("class as interface, bad field", ".implements java/lang/String", ".field x Q");
        test("interface as super, bad field", ".super java/lang/Runnable", ".field x Q");
        test("final super, missing interface", ".super java/lang/String", ".implements no/Such");
        test("interface with super, bad field", ".class interface abstract gen/T", ".super java/util/ArrayList", ".field x I");
        test("interface with missing super", ".class interface abstract gen/T", ".super no/Such");
    }

    /** A handler whose range or target is in the middle of an instruction. */
    static void cutHandlers() {
        for (int version : new int[] {49, 51, 61}) {
            byte[] file = Assembler.assemble(".class public super gen/T\n.version " + version
                + "\n.method static m ()V\n.stack 1\n.catch any a b c\na:\nsipush 7\npop\nb:\nreturn\nc:\n.frame | java/lang/Throwable\npop\nreturn\n.end");
            int at = find(file, new byte[] {0, 1, 0, 0, 0, 4, 0, 5, 0, 0}) + 2;
            for (int k = 0; k < 3; k++) {
                byte[] bad = file.clone();
                ByteBuffer.wrap(bad).putShort(at + 2 * k, (short) 2);
                System.out.println(version + " handler " + k + ": " + new Gen().add("gen.T", bad).link("gen.T"));
            }
            System.out.println(version + " whole: " + new Gen().add("gen.T", file).link("gen.T"));
        }
    }

    /** Instructions that are never reached: before version 50 they need no frames, but what they name must be there. */
    static void unreached() {
        for (String insn : new String[] {"nop", "iload 9", "lstore 1", "iinc 9 1", "new java/lang/Object", "goto a", "getstatic gen/T.x:I"}) {
            String text = ".class public super gen/T\n.version 49\n.field static x I\n.method static m ()V\n.stack 2\n.locals 2\na:\nreturn\n"
                + insn + "\nreturn\n.end";
            System.out.println("unreached " + insn + ": " + new Gen(text).link("gen.T"));
        }
        byte[] file = Assembler.assemble(".class public super gen/T\n.version 49\n.method static m ()V\n.stack 2\n.locals 2\na:\nreturn\ngoto a\n.end");
        file[find(file, new byte[] {(byte) 0xa7, -1, -1}) + 2] = 1;
        System.out.println("unreached jump: " + new Gen().add("gen.T", file).link("gen.T"));
    }

    static int find(byte[] in, byte[] what) {
        for (int i = 0; i + what.length <= in.length; i++) {
            if (java.util.Arrays.equals(in, i, i + what.length, what, 0, what.length)) {
                return i;
            }
        }
        throw new IllegalStateException("not there");
    }

    public static void main(String[] args) {
        flags();
        names();
        inner();
        order();
        cutHandlers();
        unreached();
    }
}
