package net;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** The JDK's HTTP server with both of its clients. */
public class HttpServerClient {
    public static void main(String[] args) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        s.createContext("/", x -> {
            byte[] in = x.getRequestBody().readAllBytes();
            byte[] out = (x.getRequestMethod() + " " + x.getRequestURI() + " " + new String(in)).getBytes();
            x.getResponseHeaders().add("X-Test", "yes");
            x.sendResponseHeaders(x.getRequestURI().getPath().equals("/missing") ? 404 : 200, out.length);
            x.getResponseBody().write(out);
            x.close();
        });
        s.start();
        String base = "http://127.0.0.1:" + s.getAddress().getPort();
        System.out.println(new String(new URL(base + "/old?a=1").openStream().readAllBytes()));
        HttpClient c = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpResponse<String> r = c.send(HttpRequest.newBuilder(URI.create(base + "/new")).POST(HttpRequest.BodyPublishers.ofString("body")).build(), HttpResponse.BodyHandlers.ofString());
        System.out.println(r.statusCode() + " " + r.body() + " " + r.headers().firstValue("x-test").get());
        System.out.println(c.sendAsync(HttpRequest.newBuilder(URI.create(base + "/missing")).build(), HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::statusCode).get());
        s.stop(0);
        System.exit(0);
    }
}
