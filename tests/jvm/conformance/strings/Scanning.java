package strings;

// stdin: 12 abc 3.5\nsecond line\ntrue 99999999999\n
import java.util.Scanner;
import java.util.StringTokenizer;

/** Scanner over standard input, and tokenizers. */
public class Scanning {
    public static void main(String[] args) {
        Scanner s = new Scanner(System.in);
        System.out.println(s.nextInt() + s.next() + s.nextDouble() + "[" + s.nextLine() + "][" + s.nextLine() + "]" + s.nextBoolean() + s.hasNextInt() + s.nextLong());
        System.out.println(s.hasNext());
        try {
            new Scanner("x").nextInt();
        } catch (java.util.InputMismatchException e) {
            System.out.println(e);
        }
        StringTokenizer t = new StringTokenizer("a b;c", " ;", true);
        while (t.hasMoreTokens()) {
            System.out.print("<" + t.nextToken() + ">");
        }
        System.out.println();
    }
}
