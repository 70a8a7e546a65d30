import java.io.*;
import java.net.*;
import java.util.*;

/** A server and its clients; the port and the clients' order differ from run to run, the answers don't. */
public class Sockets {
    static int port;
    static final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    static long total;

    static void serve(ServerSocket server, int n) throws IOException {
        for (int i = 0; i < n; i++) {
            Socket client = server.accept();
            new Thread(() -> {
                try (client; DataInputStream in = new DataInputStream(client.getInputStream());
                     DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
                    int number = in.readInt();
                    seen.add(number);
                    byte[] body = in.readNBytes(number * 1000);
                    long sum = 0;
                    for (byte b : body)
                        sum += b;
                    out.writeLong(sum);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).start();
        }
    }

    static long ask(int number) throws IOException {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            out.writeInt(number);
            byte[] body = new byte[number * 1000];
            Arrays.fill(body, (byte) number);
            out.write(body);
            return new DataInputStream(s.getInputStream()).readLong();
        }
    }

    static void done() { }

    public static void main(String[] args) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
            Thread serving = new Thread(() -> {
                try {
                    serve(server, 8);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            serving.start();
            Thread[] clients = new Thread[8];
            long[] sums = new long[8];
            for (int i = 0; i < 8; i++) {
                int n = i;
                clients[i] = new Thread(() -> {
                    try {
                        sums[n] = ask(n + 1);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                clients[i].start();
            }
            for (Thread c : clients)
                c.join();
            serving.join();
            for (long s : sums)
                total += s;
        }
        done();
        System.out.println("total " + total);
    }
}
