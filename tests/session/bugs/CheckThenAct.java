import java.util.*;

/** Each call of the map is safe, the two of them are not: the value is made twice. */
public class CheckThenAct {
    static final Map<String, Object> cache = Collections.synchronizedMap(new HashMap<>());
    static int made;

    static synchronized Object make() {
        made++;
        return new Object();
    }

    static void get() {
        if (!cache.containsKey("key"))
            cache.put("key", make());
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(CheckThenAct::get);
        other.start();
        get();
        other.join();
        if (made != 1)
            throw new AssertionError(made);
    }
}
