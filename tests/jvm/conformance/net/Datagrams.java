package net;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;

/** UDP on the loopback, and pipes. */
public class Datagrams {
    public static void main(String[] args) throws Exception {
        InetAddress lo = InetAddress.getLoopbackAddress();
        try (DatagramSocket a = new DatagramSocket(0, lo); DatagramSocket b = new DatagramSocket(0, lo)) {
            byte[] m = "datagram".getBytes();
            a.send(new DatagramPacket(m, m.length, lo, b.getLocalPort()));
            DatagramPacket p = new DatagramPacket(new byte[100], 100);
            b.receive(p);
            System.out.println(new String(p.getData(), 0, p.getLength()) + " " + (p.getPort() == a.getLocalPort()));
            b.setSoTimeout(20);
            try {
                b.receive(p);
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
        }
        try (DatagramChannel c = DatagramChannel.open().bind(new InetSocketAddress(lo, 0))) {
            c.configureBlocking(false);
            System.out.println(c.receive(ByteBuffer.allocate(10)));
        }
        Pipe pipe = Pipe.open();
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(20);
                pipe.sink().write(ByteBuffer.wrap(new byte[] {7, 8}));
                pipe.sink().close();
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        t.start();
        ByteBuffer b = ByteBuffer.allocate(10);
        int n = 0;
        while (n >= 0) {
            n = pipe.source().read(b);
        }
        System.out.println(b.position() + " " + b.get(1));
        t.join();
    }
}
