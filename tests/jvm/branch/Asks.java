import java.io.*;

/** Asks at the console. */
public class Asks {
    static String name;

    static void asks() { }
    static void answered() { }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        asks();
        System.out.println("name?");
        name = in.readLine();
        answered();
        System.out.println("hello " + name);
    }
}
