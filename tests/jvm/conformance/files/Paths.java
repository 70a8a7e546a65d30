package files;

import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/** Path arithmetic. */
public class Paths {
    public static void main(String[] args) {
        Path p = Path.of("/a/./b/../c/d.txt");
        System.out.println(p.normalize() + " " + p.getFileName() + " " + p.getParent() + " " + p.getRoot() + " " + p.getNameCount() + " " + p.subpath(1, 3) + " " + p.isAbsolute() + " " + p.startsWith("/a") + " " + p.endsWith("d.txt"));
        System.out.println(Path.of("/a/b").relativize(Path.of("/a/c/d")) + " " + Path.of("x").resolve("/y") + " " + Path.of("x/y").resolveSibling("z") + " " + Path.of("").toAbsolutePath().isAbsolute() + " " + Path.of("a", "b", "c") + " " + Path.of("/x y").toUri());
        System.out.println(Path.of(URI.create("file:///q%20r")) + " " + Path.of("a").compareTo(Path.of("b")) + " " + FileSystems.getDefault().getPathMatcher("glob:*.{java,txt}").matches(Path.of("x.txt")) + " " + FileSystems.getDefault().getSeparator());
        for (Path e : Path.of("/k/l/m")) {
            System.out.print(e + ";");
        }
        System.out.println();
        try {
            Path.of("a\0b");
        } catch (java.nio.file.InvalidPathException e) {
            System.out.println(e.getMessage().replace('\0', '0'));
        }
        System.out.println(new java.io.File("/a/../b").getPath() + " " + new java.io.File("x", "y").getPath() + " " + new java.io.File("q").exists() + " " + new java.io.File("/").isDirectory() + " " + new java.io.File("a.b").getName());
    }
}
