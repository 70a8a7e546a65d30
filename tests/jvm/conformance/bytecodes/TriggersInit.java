package bytecodes;

/** Each instruction that initialises a class does so exactly once, also inside a loop that is quickened. */
public class TriggersInit {
    static int order;

    static class A {
        static int x = ++order;
    }

    static class B {
        static int y;

        static {
            order += 10;
        }
    }

    static class C {
        static {
            order += 100;
        }

        static int m() {
            return order;
        }
    }

    static class D {
        static {
            order += 1000;
        }
    }

    static class F {
        static int fails;
        static final int V;

        static {
            V = 0;
            if (order > 0) {
                throw new IllegalStateException("once");
            }
        }

        static int get() {
            return V;
        }
    }

    public static void main(String[] args) {
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            if (i > 0) {
                sb.append(A.x).append(' ');
            }
            if (i > 1) {
                B.y++;
            }
            if (i > 2) {
                sb.append(C.m()).append(new D() != null);
            }
            sb.append(order).append(';');
        }
        System.out.println(sb);
        for (int i = 0; i < 3; i++) {
            try {
                F.get();
            } catch (LinkageError e) {
                System.out.println(e.getClass().getSimpleName());
            }
        }
    }
}
