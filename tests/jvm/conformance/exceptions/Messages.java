package exceptions;

import java.util.List;
import java.util.Map;

/** The texts of the exceptions the VM and the core library make. */
public class Messages {
    interface Body {
        Object run() throws Throwable;
    }

    static void test(Body b) {
        try {
            System.out.println(b.run());
        } catch (Throwable t) {
            System.out.println(t);
        }
    }

    enum E { A }

    public static void main(String[] args) {
        Object o = "s";
        Object i = 5;
        Object ia = new int[0];
        test(() -> (Integer) o);
        test(() -> (String) i);
        test(() -> (Messages) i);
        test(() -> (String[]) ia);
        test(() -> (E) o);
        test(() -> 1 / (args.length - 0));
        test(() -> 5L % args.length);
        test(() -> new int[-3]);
        test(() -> new int[2][-3]);
        test(() -> new int[2][1][3][-7]);
        test(() -> new int[5][args.length - 1]);
        test(() -> args[-1]);
        test(() -> "abc".charAt(3));
        test(() -> "abc".substring(2, 1));
        test(() -> "abc".substring(-1));
        test(() -> new StringBuilder("x").deleteCharAt(4));
        test(() -> List.of(1, 2).get(2));
        test(() -> new java.util.ArrayList<>(List.of(1)).get(9));
        test(() -> List.of(1).add(2));
        test(() -> Map.of(1, 1, 1, 2));
        test(() -> List.of((Object) null));
        test(() -> E.valueOf("B"));
        test(() -> Class.forName("no.Such"));
        test(() -> Class.forName("[Lno.Such;"));
        test(() -> Messages.class.getMethod("nope", int.class));
        test(() -> Messages.class.getDeclaredField("nope"));
        test(() -> Integer.parseInt("x1"));
        test(() -> List.of(1).iterator().getClass().getMethod("remove").getName());
        test(() -> {
            Object[] a = new String[1];
            a[0] = 1;
            return a;
        });
        test(() -> {
            Object[] a = new Integer[1][];
            a[0] = new String[1];
            return a;
        });
        test(() -> {
            System.arraycopy(new int[3], 2, new int[3], 0, 2);
            return 0;
        });
        test(() -> {
            System.arraycopy(new int[3], -1, new int[3], 0, 2);
            return 0;
        });
        test(() -> {
            System.arraycopy(new int[3], 0, new int[3], 2, 2);
            return 0;
        });
        test(() -> {
            System.arraycopy(new int[3], 0, new long[3], 0, 1);
            return 0;
        });
        test(() -> {
            System.arraycopy("x", 0, new long[3], 0, 1);
            return 0;
        });
        test(() -> {
            System.arraycopy(new int[1], 0, "x", 0, 1);
            return 0;
        });
        test(() -> {
            System.arraycopy(new Object[] {"a", 1, "b"}, 0, new String[3], 0, 3);
            return 0;
        });
        test(() -> {
            System.arraycopy(new Object[1], 0, new int[3], 0, 1);
            return 0;
        });
        test(() -> {
            System.arraycopy(new int[3], 0, new int[3], 0, -1);
            return 0;
        });
    }
}
