package strings;

/** Literals, constants over classes, intern and computed strings. */
public class Intern {
    static final String A = "a" + 1 + true;

    static class Other {
        static final String B = "a1true";
    }

    public static void main(String[] args) {
        String x = new String("a1true");
        String y = "a";
        y += "1true";
        System.out.println((A == Other.B) + " " + (x == A) + " " + (x.intern() == A) + " " + (y == A) + " " + (y.intern() == A));
        String odd = "\u0000\ud800" + args.length;
        System.out.println(odd.intern() == (new String(odd)).intern());
        System.out.println("" == new String().intern());
        int same = 0;
        for (int i = 0; i < 10000; i++) {
            String s = ("k" + i % 100).intern();
            if (s == ("k" + i % 100).intern()) {
                same++;
            }
        }
        System.out.println(same);
    }
}
