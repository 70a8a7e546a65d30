package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Signature-polymorphic calls with every primitive, many arguments and void. */
public class Signatures {
    static String all(boolean z, byte b, char c, short s, int i, long l, float f, double d, Object o) {
        return "" + z + b + c + s + i + l + f + d + o;
    }

    static int sum(int a, long b, int c, long d, int e, double f, int g, float h, int i, int j, long k, int m, int n, int o, int p) {
        return (int) (a + b + c + d + e + f + g + h + i + j + k + m + n + o + p);
    }

    static void nothing(long l) {
        System.out.println("nothing " + l);
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle a = l.findStatic(Signatures.class, "all", MethodType.fromMethodDescriptorString("(ZBCSIJFDLjava/lang/Object;)Ljava/lang/String;", null));
        System.out.println((String) a.invokeExact(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, (Object) "o"));
        System.out.println(a.invokeWithArguments(false, (byte) -1, 'd', (short) -2, -3, -4L, -5f, -6d, null));
        MethodHandle s = l.findStatic(Signatures.class, "sum", MethodType.fromMethodDescriptorString("(IJIJIDIFIIJIIII)I", null));
        System.out.println((int) s.invokeExact(1, 2L, 3, 4L, 5, 6.0, 7, 8f, 9, 10, 11L, 12, 13, 14, 15));
        System.out.println((Object) s.invoke(1, 2, (byte) 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, (Integer) 15));
        MethodHandle n = l.findStatic(Signatures.class, "nothing", MethodType.methodType(void.class, long.class));
        n.invokeExact(5L);
        Object r = n.invoke(6);
        System.out.println(r);
        n.invoke((Long) 7L);
        StringBuilder sb = new StringBuilder();
        MethodHandle app = l.findVirtual(StringBuilder.class, "append", MethodType.methodType(StringBuilder.class, char.class)).bindTo(sb);
        for (char c = 'a'; c < 'k'; c++) {
            app.invoke(c);
        }
        System.out.println(sb);
    }
}
