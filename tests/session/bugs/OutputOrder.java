/** What is printed depends on who comes first. */
public class OutputOrder {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> System.out.println("other"));
        other.start();
        System.out.println("main");
        other.join();
    }
}
