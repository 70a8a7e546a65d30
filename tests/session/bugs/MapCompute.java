import java.util.concurrent.*;

/** get and put of a concurrent map where compute belongs. */
public class MapCompute {
    static final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    static void count() {
        Integer was = counts.get("word");
        counts.put("word", was == null ? 1 : was + 1);
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(MapCompute::count), b = new Thread(MapCompute::count);
        a.start();
        b.start();
        a.join();
        b.join();
        if (counts.get("word") != 2)
            throw new AssertionError(counts);
    }
}
