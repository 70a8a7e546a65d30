package files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** File channels: positions, scatter/gather, mapping, locks, transfer. */
public class Channels {
    public static void main(String[] args) throws IOException {
        try (FileChannel c = FileChannel.open(Path.of("f"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            c.write(new ByteBuffer[] {ByteBuffer.wrap("hello ".getBytes()), ByteBuffer.wrap("world".getBytes())});
            System.out.println(c.position() + " " + c.size());
            ByteBuffer b = ByteBuffer.allocateDirect(5);
            c.read(b, 6);
            b.flip();
            byte[] x = new byte[5];
            b.get(x);
            System.out.println(new String(x));
            MappedByteBuffer m = c.map(FileChannel.MapMode.READ_WRITE, 0, 11);
            m.put(0, (byte) 'J');
            m.force();
            System.out.println(c.read(ByteBuffer.allocate(3), 100) + " " + (char) m.get(10) + " " + m.isDirect());
            try (FileLock l = c.tryLock()) {
                System.out.println(l.isValid() + " " + l.isShared());
            }
            try (FileChannel d = FileChannel.open(Path.of("g"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                System.out.println(c.transferTo(0, 5, d) + " " + d.size());
                try {
                    d.read(b);
                } catch (NonReadableChannelException e) {
                    System.out.println("not readable");
                }
            }
            c.truncate(3);
            System.out.println(c.size() + " " + java.nio.file.Files.readString(Path.of("g")));
            c.close();
            c.size();
        } catch (ClosedChannelException e) {
            System.out.println("closed");
        }
    }
}
