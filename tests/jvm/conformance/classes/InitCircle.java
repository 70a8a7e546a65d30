package classes;

/** Two classes that need each other while they are initialised: the half-made state is seen. */
public class InitCircle {
    static class A {
        static final int X = B.Y + 1;
        static int seen = B.peek();

        static int peek() {
            return X;
        }
    }

    static class B {
        static final int Y = A.peek() + 10;

        static int peek() {
            return Y;
        }
    }

    enum Color {
        RED, GREEN;

        static final java.util.Map<String, Color> BY = new java.util.HashMap<>();

        static {
            for (Color c : values()) {
                BY.put(c.name().toLowerCase(), c);
            }
        }
    }

    static class Self {
        static final Self ONE = new Self();
        static int count = 5;
        int seen = count;

        Self() {
            count++;
        }
    }

    public static void main(String[] args) {
        System.out.println(A.X + " " + B.Y + " " + A.seen);
        System.out.println(Color.BY.get("green"));
        System.out.println(Self.ONE.seen + " " + Self.count);
    }
}
