package system;

/** Environment, runtime figures, security of the environment map. */
public class Environment {
    public static void main(String[] args) {
        System.out.println(System.getenv("EBB_CASE") + " " + System.getenv("NO_SUCH_VARIABLE") + " " + System.getenv().containsKey("PATH") + " " + System.getenv("TZ"));
        try {
            System.getenv().put("a", "b");
        } catch (UnsupportedOperationException e) {
            System.out.println("read only");
        }
        Runtime r = Runtime.getRuntime();
        System.out.println((r.availableProcessors() > 0) + " " + (r.maxMemory() >= r.totalMemory()) + " " + (r.freeMemory() > 0) + " " + (r.totalMemory() >= r.freeMemory()));
        System.out.println(Runtime.version().feature() + " " + (Runtime.version().compareTo(Runtime.Version.parse("17")) >= 0));
        System.out.println((ProcessHandle.current().pid() > 0) + " " + ProcessHandle.current().isAlive() + " " + (System.console() == null));
        System.out.println(java.net.URI.create("file:///").getScheme() + " " + (System.currentTimeMillis() > 0) + " " + (System.nanoTime() != 0));
    }
}
