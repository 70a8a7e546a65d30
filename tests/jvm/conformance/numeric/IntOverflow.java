package numeric;

/** Wrap-around of int and long in every operator. */
public class IntOverflow {
    public static void main(String[] args) {
        int i = Integer.MAX_VALUE;
        long l = Long.MAX_VALUE;
        System.out.println(i + 1);
        System.out.println(-i - 2);
        System.out.println(i * i);
        System.out.println(l + 1);
        System.out.println(l * l);
        System.out.println(Integer.MIN_VALUE / -1);
        System.out.println(Integer.MIN_VALUE % -1);
        System.out.println(Long.MIN_VALUE / -1);
        System.out.println(Long.MIN_VALUE % -1);
        System.out.println(Math.abs(Integer.MIN_VALUE));
        i += 1.5;
        System.out.println(i);
        byte b = 127;
        b++;
        short s = -32768;
        s--;
        char c = 0;
        c--;
        System.out.println(b + " " + s + " " + (int) c);
        b += 300;
        System.out.println(b);
        b >>>= 1;
        System.out.println(b);
        b = -1;
        b >>>= 1;
        System.out.println(b);
        c = 'a';
        c += 1;
        System.out.println(c);
        i = 7;
        i = i++ + ++i;
        System.out.println(i);
    }
}
