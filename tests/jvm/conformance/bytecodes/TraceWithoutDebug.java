package bytecodes;

import support.Gen;

/** Traces of classes without line numbers or source file; with lines but no source; native frames. */
public class TraceWithoutDebug {
    static void show(String attrs, String line) throws Exception {
        Gen g = new Gen(".class public gen/T\n" + attrs + "\n.method public static run ()V\n" + line + "\niconst_1\niconst_0\nidiv\npop\nreturn\n.end");
        try {
            Class.forName("gen.T", true, g).getMethod("run").invoke(null);
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause().getStackTrace()[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        show("", "nop");
        show(".attr SourceFile utf8:Own.kt", "nop");
        show("", ".line 77");
        show(".attr SourceFile utf8:Own.kt", ".line 65535");
        try {
            Class.forName("x\0y");
        } catch (ClassNotFoundException e) {
            StackTraceElement s = e.getStackTrace()[e.getStackTrace().length - 1];
            System.out.println(s + " " + s.isNativeMethod());
        }
        try {
            System.arraycopy("x", 0, null, 0, 1);
        } catch (NullPointerException e) {
            System.out.println(e.getStackTrace()[0]);
        }
    }
}
