import java.util.*;

/** A list is changed by one thread while another goes through it. */
public class ListIterated {
    static final List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
    static int sum;

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> list.add(4));
        other.start();
        for (int i : list)
            sum += i;
        other.join();
    }
}
