package net;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** Timeouts and asynchronous close of a blocked read and accept. */
public class ReadTimeout {
    public static void main(String[] args) throws Exception {
        ServerSocket s = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket c = new Socket(s.getInetAddress(), s.getLocalPort());
        Socket p = s.accept();
        c.setSoTimeout(20);
        InputStream in = c.getInputStream();
        try {
            in.read();
        } catch (SocketTimeoutException e) {
            System.out.println(e.getMessage());
        }
        c.setSoTimeout(0);
        Thread reader = new Thread(() -> {
            try {
                in.read();
            } catch (SocketException e) {
                System.out.println("reader: " + e.getMessage());
            } catch (java.io.IOException e) {
                System.out.println(e);
            }
        });
        reader.start();
        Thread.sleep(50);
        c.close();
        reader.join();
        Thread acceptor = new Thread(() -> {
            try {
                s.accept();
            } catch (java.io.IOException e) {
                System.out.println("acceptor: " + e.getMessage());
            }
        });
        acceptor.start();
        Thread.sleep(50);
        s.close();
        acceptor.join();
        System.out.println(p.getInputStream().read());
        p.close();
    }
}
