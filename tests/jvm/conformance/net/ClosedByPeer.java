package net;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Writing to what nobody reads any more is an exception, not the end of the process. */
public class ClosedByPeer {
    static void socket() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            server.accept().close();
            OutputStream out = client.getOutputStream();
            try {
                for (int i = 0; i < 1000; i++) {
                    out.write(new byte[1000]);
                    Thread.sleep(1);
                }
                System.out.println("no exception");
            } catch (IOException e) {
                System.out.println("socket: " + e.getClass().getSimpleName());
            }
        }
    }

    static void pipe() throws Exception {
        Pipe pipe = Pipe.open();
        pipe.source().close();
        try {
            pipe.sink().write(ByteBuffer.allocate(10));
            System.out.println("no exception");
        } catch (IOException e) {
            System.out.println("pipe: " + e.getMessage());
        }
    }

    static void process() throws Exception {
        Process p = new ProcessBuilder("true").start();
        p.waitFor();
        try (OutputStream out = p.getOutputStream()) {
            for (int i = 0; i < 100; i++) {
                out.write(new byte[1000]);
                out.flush();
            }
            System.out.println("no exception");
        } catch (IOException e) {
            System.out.println("process: " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        socket();
        pipe();
        process();
        System.out.println(new ProcessBuilder("sh", "-c", "kill -PIPE $$; echo survived").start().waitFor());
    }
}
