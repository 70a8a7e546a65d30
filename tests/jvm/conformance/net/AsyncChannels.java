package net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Asynchronous channels by future and by handler, a timeout; sockets that are files. */
public class AsyncChannels {
    static <T> CompletionHandler<T, Object> handler(CompletableFuture<T> f) {
        return new CompletionHandler<>() {
            @Override
            public void completed(T result, Object attachment) {
                f.complete(result);
            }

            @Override
            public void failed(Throwable e, Object attachment) {
                f.completeExceptionally(e);
            }
        };
    }

    static void loopback() throws Exception {
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
             AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepted = server.accept();
            client.connect(server.getLocalAddress()).get(10, TimeUnit.SECONDS);
            AsynchronousSocketChannel peer = accepted.get(10, TimeUnit.SECONDS);
            System.out.println("written " + peer.write(ByteBuffer.wrap("hello".getBytes())).get());
            ByteBuffer in = ByteBuffer.allocate(10);
            CompletableFuture<Integer> read = new CompletableFuture<>();
            client.read(in, null, handler(read));
            System.out.println("read " + read.get(10, TimeUnit.SECONDS));
            CompletableFuture<Integer> late = new CompletableFuture<>();
            client.read(in, 50, TimeUnit.MILLISECONDS, null, handler(late));
            System.out.println(late.handle((n, e) -> e instanceof InterruptedByTimeoutException).get(10, TimeUnit.SECONDS));
            peer.close();
        }
    }

    static void files() throws Exception {
        Path path = Path.of("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread t = new Thread(() -> {
                try (SocketChannel peer = server.accept()) {
                    ByteBuffer b = ByteBuffer.allocate(100);
                    peer.read(b);
                    peer.write(b.flip());
                } catch (Exception e) {
                    System.out.println(e);
                }
            });
            t.start();
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
                client.write(ByteBuffer.wrap("unix".getBytes()));
                ByteBuffer b = ByteBuffer.allocate(100);
                System.out.println(client.read(b) + " " + client.getRemoteAddress() + " " + client.read(b));
            }
            t.join();
        }
        Files.delete(path);
        try (SocketChannel none = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            System.out.println(none);
        } catch (java.io.IOException e) {
            System.out.println(e.getClass().getName() + " " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        loopback();
        files();
    }
}
