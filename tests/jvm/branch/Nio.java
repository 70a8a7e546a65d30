import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;

/** Changes files in the folder it is given, in the way it is told. */
public class Nio {
    static void here(int n) { }

    public static void main(String[] args) throws Exception {
        Path d = Path.of(args[0]);
        here(1);
        switch (args[1]) {
        case "write" -> Files.write(d.resolve("old"), "new contents".getBytes());
        case "append" -> Files.writeString(d.resolve("old"), "more", StandardOpenOption.APPEND);
        case "create" -> Files.writeString(d.resolve("made"), "made");
        case "delete" -> Files.delete(d.resolve("old"));
        case "deleteIfExists" -> Files.deleteIfExists(d.resolve("link"));
        case "move" -> Files.move(d.resolve("old"), d.resolve("moved"));
        case "replace" -> Files.move(d.resolve("old"), d.resolve("other"), StandardCopyOption.REPLACE_EXISTING);
        case "copy" -> Files.copy(d.resolve("old"), d.resolve("copied"));
        case "mkdir" -> Files.createDirectories(d.resolve("a/b"));
        case "rmdir" -> Files.delete(d.resolve("empty"));
        case "symlink" -> Files.createSymbolicLink(d.resolve("soft"), Path.of("old"));
        case "hardlink" -> Files.createLink(d.resolve("hard"), d.resolve("old"));
        case "times" -> Files.setLastModifiedTime(d.resolve("old"), FileTime.fromMillis(12345000));
        case "mode" -> Files.setPosixFilePermissions(d.resolve("old"), PosixFilePermissions.fromString("rwxrwxrwx"));
        case "ioTimes" -> d.resolve("old").toFile().setLastModified(12345000);
        case "ioMode" -> d.resolve("old").toFile().setReadOnly();
        case "random" -> {
            try (RandomAccessFile f = new RandomAccessFile(d.resolve("old").toFile(), "rw")) {
                f.seek(2);
                f.writeBytes("XY");
                f.setLength(5);
            }
        }
        case "truncate" -> {
            try (FileChannel c = FileChannel.open(d.resolve("old"), StandardOpenOption.WRITE)) {
                c.truncate(3);
            }
        }
        case "positioned" -> {
            try (FileChannel c = FileChannel.open(d.resolve("old"), StandardOpenOption.WRITE)) {
                c.write(ByteBuffer.wrap("!!".getBytes()), 4);
                c.write(new ByteBuffer[] {ByteBuffer.wrap("ab".getBytes()), ByteBuffer.wrap("cd".getBytes())});
            }
        }
        case "map" -> {
            try (FileChannel c = FileChannel.open(d.resolve("old"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                MappedByteBuffer b = c.map(FileChannel.MapMode.READ_WRITE, 0, 8);
                b.put(1, (byte) '#');
                b.force();
            }
        }
        case "transfer" -> {
            try (FileChannel from = FileChannel.open(d.resolve("other")); FileChannel to = FileChannel.open(d.resolve("old"), StandardOpenOption.WRITE)) {
                from.transferTo(0, 3, to);
            }
        }
        case "temp" -> Files.createTempFile(d, "t", ".tmp");
        case "stream" -> {
            try (OutputStream o = new BufferedOutputStream(new FileOutputStream(d.resolve("old").toFile()))) {
                o.write("stream".getBytes());
            }
        }
        case "ioDelete" -> d.resolve("old").toFile().delete();
        case "ioRename" -> d.resolve("old").toFile().renameTo(d.resolve("renamed").toFile());
        case "ioMkdir" -> d.resolve("iodir").toFile().mkdir();
        case "tree" -> {
            try (DirectoryStream<Path> tree = Files.newDirectoryStream(d.resolve("tree"))) {
                var secure = (SecureDirectoryStream<Path>) tree;
                try (var inner = secure.newDirectoryStream(Path.of("inner"))) {
                    inner.deleteFile(Path.of("leaf"));
                    try (var c = inner.newByteChannel(Path.of("fresh"), Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                        c.write(ByteBuffer.wrap("fresh".getBytes()));
                    }
                    inner.move(Path.of("fresh"), secure, Path.of("moved"));
                }
            }
        }
        case "owner" -> Files.setAttribute(d.resolve("old"), "unix:uid", Files.getAttribute(d.resolve("old"), "unix:uid"));
        case "zip" -> {
            try (var z = new java.util.zip.ZipOutputStream(new FileOutputStream(d.resolve("z.zip").toFile()))) {
                z.putNextEntry(new java.util.zip.ZipEntry("e"));
                z.write(1);
            }
        }
        default -> throw new IllegalArgumentException(args[1]);
        }
        here(2);
    }
}
