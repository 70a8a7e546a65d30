package net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/** A selector serving several clients, wakeup, and non-blocking reads. */
public class Selectors {
    static void serve(Selector sel, int wanted) throws Exception {
        int closed = 0;
        while (closed < wanted) {
            sel.select();
            Iterator<SelectionKey> it = sel.selectedKeys().iterator();
            while (it.hasNext()) {
                SelectionKey k = it.next();
                it.remove();
                if (k.isAcceptable()) {
                    SocketChannel c = ((ServerSocketChannel) k.channel()).accept();
                    c.configureBlocking(false);
                    c.register(sel, SelectionKey.OP_READ, ByteBuffer.allocate(64));
                } else if (k.isReadable()) {
                    ByteBuffer b = (ByteBuffer) k.attachment();
                    SocketChannel c = (SocketChannel) k.channel();
                    if (c.read(b) < 0) {
                        c.close();
                        closed++;
                        continue;
                    }
                    b.flip();
                    while (b.hasRemaining()) {
                        c.write(b);
                    }
                    b.clear();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Selector sel = Selector.open();
        ServerSocketChannel s = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        s.configureBlocking(false);
        System.out.println(s.accept());
        s.register(sel, SelectionKey.OP_ACCEPT);
        System.out.println(sel.selectNow() + " " + sel.select(10));
        Thread t = new Thread(() -> {
            try {
                serve(sel, 5);
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        t.start();
        SocketChannel[] cs = new SocketChannel[5];
        for (int i = 0; i < 5; i++) {
            cs[i] = SocketChannel.open(s.getLocalAddress());
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 5; i++) {
                cs[i].write(ByteBuffer.wrap(("m" + i + round).getBytes()));
            }
            for (int i = 4; i >= 0; i--) {
                ByteBuffer b = ByteBuffer.allocate(3);
                while (b.hasRemaining()) {
                    cs[i].read(b);
                }
                System.out.print(new String(b.array()) + " ");
            }
        }
        System.out.println();
        for (SocketChannel c : cs) {
            c.close();
        }
        t.join();
        Thread waker = new Thread(sel::wakeup);
        sel.selectNow();
        waker.start();
        System.out.println(sel.select());
        waker.join();
        System.out.println(sel.keys().size());
        sel.close();
        System.out.println(sel.isOpen());
    }
}
