import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.tools.*;

/** Compile FOLDER OUT N: javac over N sources of a folder, one after the other, in one JVM. */
public class Compile {
    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        List<File> sources;
        try (Stream<Path> all = Files.walk(Paths.get(args[0]))) {
            sources = all.filter(p -> p.toString().endsWith(".java")).sorted().map(Path::toFile).collect(Collectors.toList());
        }
        int n = Integer.parseInt(args[2]);
        for (int i = 0; i < n; i++) {
            List<String> options = List.of("-proc:none", "-nowarn", "-d", args[1]);
            compiler.getTask(new StringWriter(), files, d -> { }, options, null, files.getJavaFileObjects(sources.get(i % sources.size()))).call();
            Sample.take();
        }
    }
}
