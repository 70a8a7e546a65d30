package system;

// options: -Xmx64m -Xms16m
/** -Xmx is what maxMemory reports. */
public class MaxMemory {
    public static void main(String[] args) {
        long m = Runtime.getRuntime().maxMemory();
        System.out.println(m > 60L << 20 && m <= 66L << 20);
    }
}
