package files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** java.nio.file: create, read, write, copy, move, delete, walk, errors. */
public class BasicFiles {
    public static void main(String[] args) throws IOException {
        Path d = Files.createDirectories(Path.of("a/b/c"));
        Path f = d.resolve("x.txt");
        Files.writeString(f, "one\ntwo é\n");
        Files.write(f, List.of("three"), StandardOpenOption.APPEND);
        System.out.println(Files.readAllLines(f) + " " + Files.size(f) + " " + Files.exists(f) + Files.isDirectory(d) + Files.isRegularFile(d) + " " + Files.readString(f, StandardCharsets.UTF_8).length());
        Files.copy(f, Path.of("a/copy"));
        Files.move(f, Path.of("a/moved"), StandardCopyOption.ATOMIC_MOVE);
        System.out.println(Files.notExists(f) + " " + Files.mismatch(Path.of("a/copy"), Path.of("a/moved")));
        try (Stream<Path> s = Files.walk(Path.of("a"))) {
            System.out.println(s.map(Path::toString).sorted().toList());
        }
        try (Stream<Path> s = Files.list(Path.of("a"))) {
            System.out.println(s.count());
        }
        for (Body b : new Body[] {() -> Files.delete(Path.of("nope")), () -> Files.delete(Path.of("a")), () -> Files.createDirectory(Path.of("a")), () -> Files.readString(Path.of("zz")), () -> Files.copy(Path.of("a/copy"), Path.of("a/moved"))}) {
            try {
                b.run();
            } catch (NoSuchFileException | DirectoryNotEmptyException | FileAlreadyExistsException e) {
                System.out.println(e);
            }
        }
        Files.createSymbolicLink(Path.of("link"), Path.of("a/copy"));
        System.out.println(Files.readSymbolicLink(Path.of("link")) + " " + Files.isSymbolicLink(Path.of("link")) + " " + Files.isSameFile(Path.of("link"), Path.of("a/copy")));
        Path t = Files.createTempFile(Path.of("a"), "p", ".s");
        System.out.println(t.getFileName().toString().endsWith(".s") + " " + Files.getPosixFilePermissions(t).size() + " " + Files.deleteIfExists(t) + Files.deleteIfExists(t));
        Files.setLastModifiedTime(Path.of("a/copy"), java.nio.file.attribute.FileTime.fromMillis(1000000));
        System.out.println(Files.getLastModifiedTime(Path.of("a/copy")) + " " + Files.getAttribute(Path.of("a/copy"), "size") + " " + Files.readAttributes(Path.of("a/copy"), "posix:*").containsKey("owner"));
    }

    interface Body {
        void run() throws IOException;
    }
}
