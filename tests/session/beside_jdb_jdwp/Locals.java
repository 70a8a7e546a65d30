import java.util.*;

public class Locals {
    static int total = 5;
    static final String NAME = "locals";
    long big = 1L << 40;
    double half = 0.5;
    char letter = 'x';
    int[] numbers = {3, 1, 2};
    String[] words = {"one", null};
    Locals next;

    int add(int a, long b, boolean twice) {
        int sum = a + (int) b;
        if (twice) {
            int again = sum * 2;
            sum = again;
        }
        total += sum;
        return sum;
    }

    public static void main(String[] args) {
        Locals it = new Locals();
        it.next = new Locals();
        int result = it.add(2, 3L, true);
        String text = "result " + result;
        for (int i = 0; i < 2; i++) {
            text = text + i;
        }
        System.out.println(text);
    }
}
