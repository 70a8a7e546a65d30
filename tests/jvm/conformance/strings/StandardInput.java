package strings;

// stdin: first\nsecond \u00e9\n\nlast
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Lines from standard input until the end. */
public class StandardInput {
    public static void main(String[] args) throws IOException {
        BufferedReader r = new BufferedReader(new InputStreamReader(System.in));
        String line;
        int n = 0;
        while ((line = r.readLine()) != null) {
            System.out.println(++n + " [" + line + "] " + line.length());
        }
        System.out.println(System.in.read() + " " + System.in.available());
        System.err.println("to stderr");
        System.out.print("no newline at end");
    }
}
