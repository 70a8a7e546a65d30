package files;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/** File visitors and the watch service. */
public class WatchAndWalk {
    public static void main(String[] args) throws Exception {
        Files.createDirectories(Path.of("t/u"));
        Files.writeString(Path.of("t/f"), "x");
        Files.writeString(Path.of("t/u/g"), "y");
        Files.walkFileTree(Path.of("t"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path p, BasicFileAttributes a) throws IOException {
                Files.delete(p);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path p, IOException e) throws IOException {
                Files.delete(p);
                return FileVisitResult.CONTINUE;
            }
        });
        System.out.println(Files.exists(Path.of("t")));
        Path w = Files.createDirectory(Path.of("w"));
        try (WatchService s = w.getFileSystem().newWatchService()) {
            w.register(s, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createFile(w.resolve("new"));
            WatchKey k = s.poll(20, TimeUnit.SECONDS);
            k.pollEvents().forEach(e -> System.out.println(e.kind() + " " + e.context()));
            System.out.println(k.reset());
        }
    }
}
