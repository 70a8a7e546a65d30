package strings;

/** Concatenation by invokedynamic: every type, many operands, constants inside, null, compound assignment. */
public class Concat {
    static int calls;

    static int next() {
        return ++calls;
    }

    public static void main(String[] args) {
        boolean z = true;
        byte b = -1;
        char c = 'c';
        short s = 3;
        int i = 4;
        long l = 5L;
        float f = 6.5f;
        double d = -0.0;
        String n = null;
        Object o = new int[0].length;
        char[] ca = {'x'};
        System.out.println("" + z + b + c + s + i + l + f + d + n + o);
        System.out.println(z + " " + b + "\u0001" + c + "\u0002" + s);
        System.out.println(n + null);
        System.out.println(1 + 2 + "3" + 4 + 5);
        System.out.println('a' + 'b' + "c");
        String t = "a";
        t += 1 + 2;
        t += 'x';
        t += null;
        System.out.println(t);
        System.out.println("é" + i + "\u20ac" + l + "\ud83d\ude00");
        System.out.println(next() + "," + next() + "," + next());
        String[] arr = {"p"};
        int k = 0;
        arr[k++] += "q" + k;
        System.out.println(arr[0] + k);
        String big = i + "" + i + i + i + i + i + i + i + i + i + l + l + l + l + l + l + l + l + l + l + i + i + i + i + i + i + i + i + i + i + l + l + l + l + l + l + l + l + l + l
            + i + i + i + i + i + i + i + i + i + i + l + l + l + l + l + l + l + l + l + l + i + i + i + i + i + i + i + i + i + i + l + l + l + l + l + l + l + l + l + l + f + d + c;
        System.out.println(big);
        System.out.println("" + Integer.MIN_VALUE + Long.MIN_VALUE + Float.MIN_VALUE + Double.MAX_VALUE + Float.NaN);
        System.out.println(String.valueOf(ca) + new StringBuilder("sb") + Thread.State.NEW);
    }
}
