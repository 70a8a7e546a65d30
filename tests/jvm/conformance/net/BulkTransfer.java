package net;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** More bytes than any buffer between them holds, both ends in one process: a full pipe must not stop the machine. */
public class BulkTransfer {
    static final byte[] BIG = new byte[3 << 20];

    static Thread in(IoAction action) {
        Thread t = new Thread(() -> {
            try {
                action.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        t.start();
        return t;
    }

    interface IoAction {
        void run() throws Exception;
    }

    static void sockets() throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread echo = in(() -> {
            try (Socket s = server.accept()) {
                s.getInputStream().transferTo(s.getOutputStream());
                s.shutdownOutput();
            }
        });
        try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
            Thread writer = in(() -> {
                s.getOutputStream().write(BIG);
                s.shutdownOutput();
            });
            System.out.println("socket " + Arrays.equals(BIG, s.getInputStream().readAllBytes()));
            writer.join();
            echo.join();
        }
    }

    static long drain(SocketChannel c) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(50000);
        long n = 0;
        for (int k; (k = c.read(b)) >= 0; b.clear()) {
            n += k;
        }
        return n;
    }

    static void channels(ServerSocketChannel server, java.net.SocketAddress address) throws Exception {
        Thread writer = in(() -> {
            try (SocketChannel s = server.accept()) {
                System.out.println("written at once " + s.write(ByteBuffer.wrap(BIG)));
                long n = s.write(new ByteBuffer[] {ByteBuffer.wrap(BIG), ByteBuffer.wrap(new byte[10])});
                for (; n < BIG.length + 10;) {
                    n += s.write(ByteBuffer.wrap(BIG, 0, (int) Math.min(BIG.length, BIG.length + 10 - n)));
                }
            }
        });
        try (SocketChannel c = SocketChannel.open(address)) {
            System.out.println("channel " + (drain(c) == 2L * BIG.length + 10));
        }
        writer.join();
        server.close();
    }

    static void fileToSocket() throws Exception {
        Path file = Files.createTempFile("bulk", "bin");
        Files.write(file, BIG);
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread sender = in(() -> {
            try (SocketChannel s = server.accept(); FileChannel f = FileChannel.open(file)) {
                for (long at = 0; at < BIG.length;) {
                    at += f.transferTo(at, BIG.length - at, s);
                }
            }
        });
        try (SocketChannel c = SocketChannel.open(server.getLocalAddress())) {
            System.out.println("transferTo " + (drain(c) == BIG.length));
        }
        sender.join();
        Files.delete(file);
    }

    static void process() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        Thread writer = in(() -> {
            try (OutputStream o = cat.getOutputStream()) {
                o.write(BIG);
            }
        });
        System.out.println("process " + Arrays.equals(BIG, cat.getInputStream().readAllBytes()) + " " + cat.waitFor());
        writer.join();
    }

    static void asynchronous() throws Exception {
        AsynchronousServerSocketChannel server =
                AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Future<AsynchronousSocketChannel> accepted = server.accept();
        AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
        client.connect(server.getLocalAddress()).get(10, TimeUnit.SECONDS);
        AsynchronousSocketChannel peer = accepted.get(10, TimeUnit.SECONDS);
        ByteBuffer big = ByteBuffer.wrap(BIG);
        Thread writer = in(() -> {
            while (big.hasRemaining()) {
                peer.write(big).get(10, TimeUnit.SECONDS);
            }
            peer.close();
        });
        long n = 0;
        ByteBuffer b = ByteBuffer.allocate(70000);
        for (int k; (k = client.read(b).get(10, TimeUnit.SECONDS)) >= 0; b.clear()) {
            n += k;
        }
        writer.join();
        System.out.println("asynchronous " + (n == BIG.length));
    }

    public static void main(String[] args) throws Exception {
        new Random(5).nextBytes(BIG);
        sockets();
        ServerSocketChannel inet = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channels(inet, inet.getLocalAddress());
        Path name = Path.of("socket");
        ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(name));
        channels(unix, unix.getLocalAddress());
        Files.delete(name);
        fileToSocket();
        process();
        asynchronous();
        System.exit(0);
    }
}
