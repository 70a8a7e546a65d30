package net;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** Blocking sockets on the loopback: an accept blocks one thread only. */
public class Loopback {
    public static void main(String[] args) throws Exception {
        try (ServerSocket s = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread t = new Thread(() -> {
                try {
                    for (int i = 0; i < 3; i++) {
                        try (Socket c = s.accept(); BufferedReader r = new BufferedReader(new InputStreamReader(c.getInputStream())); PrintWriter w = new PrintWriter(c.getOutputStream(), true)) {
                            String line;
                            while ((line = r.readLine()) != null) {
                                w.println("echo " + line);
                            }
                        }
                    }
                } catch (java.io.IOException e) {
                    throw new RuntimeException(e);
                }
            });
            t.start();
            for (int i = 0; i < 3; i++) {
                try (Socket c = new Socket(s.getInetAddress(), s.getLocalPort())) {
                    PrintWriter w = new PrintWriter(c.getOutputStream(), true);
                    BufferedReader r = new BufferedReader(new InputStreamReader(c.getInputStream()));
                    w.println("hello " + i);
                    System.out.println(r.readLine());
                    w.println("again");
                    System.out.println(r.readLine());
                    c.shutdownOutput();
                    System.out.println(r.readLine() + " " + c.isConnected() + " " + c.getTcpNoDelay());
                }
            }
            t.join();
            s.setSoTimeout(30);
            try {
                s.accept();
            } catch (SocketTimeoutException e) {
                System.out.println(e.getMessage());
            }
            int port = s.getLocalPort();
            s.close();
            try {
                new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (ConnectException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
