package kernels;

/** Start-up and nothing else. */
final class Hello {
    public static void main(String[] args) {
        System.out.println("hello");
    }
}
