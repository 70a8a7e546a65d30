package net;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Addresses, URIs and URLs: nothing leaves the machine. */
public class Addresses {
    public static void main(String[] args) throws Exception {
        InetAddress a = InetAddress.getByName("127.0.0.1");
        System.out.println(a + " " + a.isLoopbackAddress() + " " + (a instanceof Inet4Address) + " " + InetAddress.getByName("::1") + " " + (InetAddress.getByName("fe80::1") instanceof Inet6Address) + " " + InetAddress.getByAddress("n", new byte[] {1, 2, 3, 4}) + " " + InetSocketAddress.createUnresolved("host", 80));
        System.out.println(InetAddress.getByName("localhost").isLoopbackAddress());
        try {
            InetAddress.getByName("300.1.1.1.1.bad name");
        } catch (java.net.UnknownHostException e) {
            System.out.println("unknown");
        }
        URI u = new URI("http://user@host:8080/a/b/../c?q=1&r=%20#frag");
        System.out.println(u.getHost() + " " + u.getPort() + " " + u.getPath() + " " + u.normalize() + " " + u.resolve("../x") + " " + u.getQuery() + " " + u.getRawQuery() + " " + u.getFragment() + " " + URI.create("mailto:a@b").isOpaque());
        try {
            new URI("ht tp://x");
        } catch (URISyntaxException e) {
            System.out.println(e.getMessage());
        }
        URL l = new URL("https://h/p?q#f");
        System.out.println(l.getProtocol() + " " + l.getDefaultPort() + " " + l.getFile() + " " + l.getRef() + " " + new URL(l, "z"));
        System.out.println(URLEncoder.encode("a b&é", StandardCharsets.UTF_8) + " " + URLDecoder.decode("a+b%26", StandardCharsets.UTF_8));
        try {
            new URL("nope://x");
        } catch (java.net.MalformedURLException e) {
            System.out.println(e.getMessage());
        }
    }
}
