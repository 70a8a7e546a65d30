package system;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Redirected standard streams, PrintStream formats, errors. */
public class Streams {
    public static void main(String[] args) throws Exception {
        PrintStream old = System.out;
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        System.setOut(new PrintStream(b, true, "UTF-8"));
        System.out.println("captured é");
        System.out.printf("%d%n", 5);
        System.out.print(new char[] {'a', 'b'});
        System.out.append('c').append("def", 1, 2);
        System.out.write(65);
        System.out.flush();
        System.setOut(old);
        System.out.println(b.size() + " " + b.toString("UTF-8").replace("\n", "|"));
        System.setIn(new ByteArrayInputStream("in".getBytes()));
        System.out.println((char) System.in.read());
        System.setErr(System.out);
        System.err.println("err to out");
        new Exception("trace").printStackTrace();
        System.out.println((Object) null);
        System.out.println(1.0f);
        System.out.println('c');
        System.out.println(true);
        System.out.close();
        System.out.println("after close");
        if (System.out.checkError()) {
            Runtime.getRuntime().halt(9);
        }
    }
}
