// Streams in parallel, calls that change their targets, garbage, a stack that overflows: compiled and recompiled on the way.
import java.util.*;
import java.util.stream.*;

public class ManyWays {
    interface Step { long of(long x); }

    static int deep(int n) { return deep(n + 1) + 1; }

    public static void main(String[] words) throws Exception {
        System.out.println(IntStream.range(0, 200000).parallel().mapToObj(i -> "k" + i % 1000)
            .collect(Collectors.groupingByConcurrent(x -> x, Collectors.counting())).size());
        Step[] steps = {x -> x * 31, x -> x ^ 17, x -> x + 3};
        long s = 0;
        for (int i = 0; i < 3_000_000; i++) s = steps[i % 3].of(s);
        System.out.println(s);
        List<byte[]> garbage = new ArrayList<>();
        for (int i = 0; i < 20000; i++) {
            garbage.add(new byte[1000]);
            if (garbage.size() > 500) garbage.clear();
        }
        System.gc();
        try { deep(0); } catch (StackOverflowError e) { System.out.println("deep"); }
        Thread sleeper = new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) { System.out.println("interrupted"); } });
        sleeper.start();
        sleeper.interrupt();
        sleeper.join();
    }
}
