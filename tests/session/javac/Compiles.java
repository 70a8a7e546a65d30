import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.util.Base64;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** javac for a whole run of the tests: each line has its words, parted by tabs; the answer is its status and, in base 64, what it said. */
class Compiles {
    public static void main(String[] args) throws Exception {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = in.readLine()) != null;) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int status = javac.run(null, said, said, line.split("\t"));
            System.out.println(status + " " + Base64.getEncoder().encodeToString(said.toByteArray()));
        }
    }
}
