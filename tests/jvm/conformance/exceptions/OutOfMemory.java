package exceptions;

// options: -Xmx32m
import java.util.ArrayList;
import java.util.List;

/** The heap is bounded by -Xmx; after the error the program goes on. */
public class OutOfMemory {
    static List<byte[]> hold = new ArrayList<>();

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            try {
                while (true) {
                    hold.add(new byte[1 << 20]);
                }
            } catch (OutOfMemoryError e) {
                int n = hold.size();
                hold = new ArrayList<>();
                System.out.println(e.getMessage() + " " + (n > 10 && n < 33));
            }
        }
        try {
            Object[] chain = null;
            while (true) {
                chain = new Object[] {chain, new int[100]};
            }
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
        System.out.println("fine " + new int[1000].length);
    }
}
