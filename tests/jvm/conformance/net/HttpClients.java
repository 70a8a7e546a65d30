package net;

// timeout: 60
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Both HTTP clients of the library against its server: bodies, redirects, errors, many at once. */
public class HttpClients {
    static void answer(HttpExchange x) throws IOException {
        String path = x.getRequestURI().getPath();
        byte[] body = (x.getRequestMethod() + " " + path + " " + new String(x.getRequestBody().readAllBytes())).getBytes();
        if (path.equals("/moved")) {
            x.getResponseHeaders().add("Location", "/there");
        }
        try {
            Thread.sleep(path.equals("/slow") ? 1500 : 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        x.sendResponseHeaders(path.equals("/moved") ? 302 : path.equals("/none") ? 404 : 200, body.length);
        x.getResponseBody().write(body);
        x.close();
    }

    static HttpRequest.Builder request(URI base, String path) {
        return HttpRequest.newBuilder(base.resolve(path));
    }

    static String send(HttpClient client, HttpRequest request) throws Exception {
        HttpResponse<String> r = client.send(request, HttpResponse.BodyHandlers.ofString());
        return r.statusCode() + " " + r.body() + " " + r.uri().getPath();
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", HttpClients::answer);
        server.start();
        URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
        System.out.println(send(client, request(base, "/plain").build()));
        System.out.println(send(client, request(base, "/moved").build()));
        System.out.println(send(client, request(base, "/none").PUT(HttpRequest.BodyPublishers.ofString("what")).build()));
        try {
            System.out.println(send(client, request(base, "/slow").timeout(Duration.ofMillis(200)).build()));
        } catch (HttpTimeoutException e) {
            System.out.println(e.getMessage());
        }
        List<CompletableFuture<String>> many = IntStream.range(0, 30).mapToObj(i ->
                client.sendAsync(request(base, "/n" + i).POST(HttpRequest.BodyPublishers.ofString("x".repeat(i))).build(),
                        HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body)).collect(Collectors.toList());
        System.out.println(many.stream().map(CompletableFuture::join).collect(Collectors.joining(",")));
        HttpURLConnection old = (HttpURLConnection) base.resolve("/old").toURL().openConnection();
        old.setDoOutput(true);
        old.getOutputStream().write("body".getBytes());
        System.out.println(old.getResponseCode() + " " + new String(old.getInputStream().readAllBytes()));
        System.out.flush();
        server.stop(0);
        System.exit(0);
    }
}
