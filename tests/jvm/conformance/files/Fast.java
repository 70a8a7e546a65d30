package files;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** Mapped files, asynchronous ones, locks, transfers, and file systems inside of files. */
public class Fast {
    public static void main(String[] args) throws Exception {
        Path file = Path.of("data");
        Files.write(file, new byte[10_000]);
        try (FileChannel c = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer map = c.map(FileChannel.MapMode.READ_WRITE, 4090, 100);
            map.putLong(3, 0x0102030405060708L);
            map.force();
            System.out.println(map.isDirect() + " " + Files.readAllBytes(file)[4093] + " " + Files.readAllBytes(file)[4100]);
            try (FileLock lock = c.lock(0, 100, false)) {
                System.out.println(lock.isValid() + " " + lock.isShared());
                c.tryLock(50, 10, false);
            } catch (OverlappingFileLockException e) {
                System.out.println(e);
            }
            try (FileChannel to = FileChannel.open(Path.of("copy"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                System.out.println(c.transferTo(4000, 5000, to) + " " + to.size());
            }
            ByteBuffer[] parts = {ByteBuffer.allocate(3), ByteBuffer.allocate(5)};
            System.out.println(c.position(4093).read(parts) + " " + parts[0].get(0) + parts[1].get(1));
        }
        try (AsynchronousFileChannel c = AsynchronousFileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            System.out.println(c.write(ByteBuffer.wrap("hello".getBytes()), 9_998).get() + " " + c.size() + " "
                    + c.read(ByteBuffer.allocate(10), 9_995).get());
        }
        try (RandomAccessFile r = new RandomAccessFile("data", "rw")) {
            r.seek(9_998);
            System.out.println((char) r.read() + " " + r.getFilePointer() + " " + r.length());
            r.setLength(10);
            System.out.println(r.length() + " " + r.read());
        }
        try (FileSystem zip = FileSystems.newFileSystem(Path.of("z.zip"), Map.of("create", "true"))) {
            Files.createDirectory(zip.getPath("/d"));
            Files.writeString(zip.getPath("/d/f"), "in a zip");
        }
        try (FileSystem zip = FileSystems.newFileSystem(Path.of("z.zip"))) {
            System.out.println(Files.readString(zip.getPath("d", "f")) + " " + Files.isDirectory(zip.getPath("/d")));
        }
        FileSystem jrt = FileSystems.getFileSystem(java.net.URI.create("jrt:/"));
        System.out.println(Files.exists(jrt.getPath("/modules/java.base/java/lang/Object.class")) + " " + Files.exists(jrt.getPath("/modules/none")));
    }
}
