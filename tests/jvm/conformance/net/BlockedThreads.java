// stdin: abc
package net;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A thread blocked in accept, read or connect: others run on, and can close or interrupt it. */
public class BlockedThreads {
    interface Action {
        void run() throws Exception;
    }

    static Thread later(Action action) {
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(30);
                action.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        t.start();
        return t;
    }

    static void say(String what, Object outcome) {
        System.out.println(what + ": " + outcome);
    }

    static void sockets() throws Exception {
        ServerSocket closed = new ServerSocket(0);
        later(closed::close);
        try {
            closed.accept();
        } catch (SocketException e) {
            say("accept", e.getMessage());
        }
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            Socket peer = server.accept();
            later(peer::close);
            try {
                peer.getInputStream().read();
            } catch (SocketException e) {
                say("read", e.getMessage());
            }
            say("end", client.getInputStream().read());
            server.setSoTimeout(40);
            try {
                server.accept();
            } catch (SocketTimeoutException e) {
                say("timeout", e.getMessage());
            }
        }
        int port;
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        try {
            new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (ConnectException e) {
            say("connect", e.getMessage());
        }
        try {
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (ConnectException e) {
            say("connect", e.getMessage());
        }
    }

    static void channels() throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread me = Thread.currentThread();
        later(me::interrupt);
        try {
            server.accept();
        } catch (ClosedByInterruptException e) {
            say("interrupted", Thread.interrupted() + " " + server.isOpen());
        }
        Pipe pipe = Pipe.open();
        later(() -> pipe.source().close());
        try {
            pipe.source().read(ByteBuffer.allocate(1));
        } catch (AsynchronousCloseException e) {
            say("closed", pipe.source().isOpen());
        }
    }

    static void standardInput() throws Exception {
        InputStream in = System.in;
        byte[] line = new byte[3];
        int[] ticks = {0};
        Thread other = new Thread(() -> ticks[0]++);
        other.start();
        say("stdin", in.read(line) + " " + new String(line));
        other.join();
        say("ticks", ticks[0]);
    }

    public static void main(String[] args) throws Exception {
        sockets();
        channels();
        standardInput();
    }
}
