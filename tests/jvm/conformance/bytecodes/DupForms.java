package bytecodes;

/** Compiled forms that need every dup: compound assignment on fields, arrays and longs as expressions. */
public class DupForms {
    int i = 1;
    long l = 2;
    static double sd = 3;
    Integer boxed = 5;
    static String text = "a";

    int next(int[] order, int v) {
        order[0] = order[0] * 10 + v;
        return v;
    }

    public static void main(String[] args) {
        DupForms o = new DupForms();
        long[] la = {1, 2};
        double[] da = {1.5};
        Integer[] ba = {7};
        String[] sa = {"s"};
        int k = 0;
        System.out.println((o.i += 3) + " " + o.i++ + " " + ++o.i + " " + (o.l *= 5) + " " + o.l-- + " " + --o.l + " " + (sd /= 2) + " " + sd++ + " " + (la[k++] <<= 40) + " " + la[k]++ + " " + ++la[k] + " " + (da[0] %= 1) + " " + da[0]--);
        System.out.println(o.boxed++ + " " + ++o.boxed + " " + (ba[0] += 5) + " " + ba[0]-- + " " + (sa[0] += k) + " " + (text += text) + " " + (o.i = k = 9) + k);
        int[] order = {0};
        int[] a = new int[10];
        a[o.next(order, 1)] = o.next(order, 2) + a[o.next(order, 3)]++ * (a[o.next(order, 4)] = o.next(order, 5));
        System.out.println(order[0] + " " + java.util.Arrays.toString(a));
        int x = 5;
        x = x++ * 2 + x;
        System.out.println(x + " " + (x > 3 ? x++ : x--) + " " + x);
        byte b = 10;
        b *= 30;
        b -= 0.5;
        char c = 'a';
        c *= 1.5;
        short s = 1;
        s <<= 15;
        System.out.println(b + " " + (int) c + " " + s);
    }
}
