import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipFile;

/** Asks everything that the class library can ask of the world outside, to be recorded and replayed. */
public class Worlds {
    public static void main(String[] args) {
        part("random", () -> new SecureRandom().nextInt());
        part("keys", () -> KeyPairGenerator.getInstance("EC").generateKeyPair().getPublic());
        part("time", ZonedDateTime::now);
        part("environment", () -> System.getenv() + " " + System.getProperties());
        part("picture", Worlds::picture);
        part("gzip", Worlds::gzip);
        part("zip file system", Worlds::zipFileSystem);
        part("asynchronous file", Worlds::asynchronousFile);
        part("asynchronous socket", Worlds::asynchronousSocket);
        part("http", Worlds::http);
        part("interfaces", () -> Collections.list(NetworkInterface.getNetworkInterfaces()));
        part("hosts", () -> InetAddress.getLocalHost() + " " + InetAddress.getByName("localhost"));
        part("mapped file", Worlds::mappedFile);
        part("process", Worlds::process);
        part("timer", Worlds::timer);
        part("parallel", () -> IntStream.range(0, 100000).parallel().mapToLong(i -> i % 7).sum());
        part("garbage", Worlds::garbage);
        part("direct buffers", Worlds::directBuffers);
        part("management", () -> java.lang.management.ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        part("logging", () -> {
            java.util.logging.Logger.getLogger("worlds").info("to standard error");
            return "";
        });
        part("overflow", Worlds::overflow);
        part("exception", () -> {
            throw new IllegalStateException("meant to be");
        });
        System.exit(7);
    }

    static void part(String name, Callable<?> body) {
        try {
            System.out.println(name + ": " + body.call());
        } catch (Exception e) {
            System.out.println(name + " threw " + e);
        }
    }

    static Object picture() throws Exception {
        BufferedImage image = new BufferedImage(20, 20, BufferedImage.TYPE_INT_RGB);
        var graphics = image.createGraphics();
        graphics.setColor(Color.RED);
        graphics.fillRect(2, 2, 9, 9);
        graphics.drawLine(0, 0, 19, 19);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        javax.imageio.ImageIO.write(image, "png", out);
        return out.size();
    }

    static Object gzip() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream packed = new GZIPOutputStream(out)) {
            packed.write(new byte[100000]);
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            return in.readAllBytes().length;
        }
    }

    static Object zipFileSystem() throws Exception {
        Path zip = Files.createTempDirectory("worlds").resolve("a.zip");
        try (var files = FileSystems.newFileSystem(URI.create("jar:" + zip.toUri()), Map.of("create", "true"))) {
            Files.writeString(files.getPath("/x.txt"), "hello".repeat(1000));
        }
        try (ZipFile file = new ZipFile(zip.toFile())) {
            return file.getEntry("x.txt").getCompressedSize();
        }
    }

    static Object asynchronousFile() throws Exception {
        Path path = Files.createTempFile("worlds", "a");
        try (var channel = AsynchronousFileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            channel.write(ByteBuffer.wrap("async!".getBytes()), 3).get();
            return channel.read(ByteBuffer.allocateDirect(20), 0).get();
        }
    }

    static Object asynchronousSocket() throws Exception {
        try (var server = AsynchronousServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
             var client = AsynchronousSocketChannel.open()) {
            var accepted = server.accept();
            client.connect(server.getLocalAddress()).get();
            try (var other = accepted.get()) {
                other.write(ByteBuffer.wrap("abc".getBytes())).get();
                return client.read(ByteBuffer.allocate(10)).get();
            }
        }
    }

    static Object http() throws Exception {
        var server = com.sun.net.httpserver.HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = ("you asked for " + exchange.getRequestURI()).getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + i);
            answers.add(client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body());
        }
        server.stop(0);
        return answers;
    }

    static Object mappedFile() throws Exception {
        Path path = Files.createTempFile("worlds", "m");
        Files.write(path, new byte[10000]);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var memory = channel.map(FileChannel.MapMode.READ_WRITE, 100, 5000);
            memory.putInt(0, 77);
            memory.force();
            return memory.getInt(0) + Arrays.hashCode(Files.readAllBytes(path));
        }
    }

    static Object process() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        cat.getOutputStream().write("through cat".getBytes());
        cat.getOutputStream().close();
        return new String(cat.getInputStream().readAllBytes()) + cat.waitFor() + " " + cat.pid();
    }

    static Object timer() throws Exception {
        var ticks = new LinkedBlockingQueue<Long>();
        var timer = new java.util.Timer(true);
        timer.schedule(new TimerTask() {
            public void run() {
                ticks.add(System.nanoTime());
            }
        }, 5, 5);
        long sum = ticks.take() + ticks.take();
        timer.cancel();
        return sum;
    }

    static Object garbage() {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[50000 + 10 * i];
            if (i % 100 == 0)
                kept.add(bytes);
        }
        var weak = new java.lang.ref.WeakReference<>(new Object());
        System.gc();
        return kept.size() + " " + weak.get();
    }

    static Object directBuffers() {
        long sum = 0;
        for (int i = 0; i < 200; i++)
            sum += ByteBuffer.allocateDirect(100000 + i).putLong(8, i).getLong(8);
        return sum;
    }

    static int depth;

    static Object overflow() {
        try {
            return deeper(0);
        } catch (StackOverflowError e) {
            return depth;
        }
    }

    static int deeper(int n) {
        depth = n;
        return deeper(n + 1) + 1;
    }
}
