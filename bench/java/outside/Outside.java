package outside;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Programs that ask much of the outside: what recording costs most for. */
public class Outside {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
        case "words": words(Path.of(args[1])); break;
        case "talk": talk(); break;
        case "clock": clock(); break;
        default: throw new IllegalArgumentException(args[0]);
        }
    }

    /** Counts the words of a file, several times. */
    static void words(Path file) throws Exception {
        Map<String, Integer> counts = new HashMap<>();
        for (int round = 0; round < 5; round++)
            try (BufferedReader in = Files.newBufferedReader(file)) {
                for (String line; (line = in.readLine()) != null;)
                    for (String word : line.split(" "))
                        counts.merge(word, 1, Integer::sum);
            }
        System.out.println(counts.size());
    }

    /** A client asks a server 2000 times over a socket. */
    static void talk() throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread answering = new Thread(() -> {
            try (Socket s = server.accept()) {
                byte[] bytes = new byte[512];
                for (int n; (n = s.getInputStream().readNBytes(bytes, 0, 64)) == 64;)
                    s.getOutputStream().write(bytes, 0, 512);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        answering.start();
        long sum = 0;
        try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort())) {
            OutputStream out = s.getOutputStream();
            InputStream in = s.getInputStream();
            for (int i = 0; i < 2000; i++) {
                byte[] question = new byte[64];
                question[0] = (byte) i;
                out.write(question);
                sum += in.readNBytes(512)[0];
            }
        }
        answering.join();
        System.out.println(sum);
    }

    /** Looks at the clock around each small piece of work, as a program that measures itself does. */
    static void clock() {
        long longest = 0;
        int kept = 0;
        for (int i = 0; i < 200000; i++) {
            long start = System.nanoTime();
            for (int k = 0; k < 50; k++)
                kept += k * i;
            longest = Math.max(longest, System.nanoTime() - start);
        }
        System.out.println(kept);
    }
}
