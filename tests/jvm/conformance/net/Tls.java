package net;

// timeout: 60
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.security.Security;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** A TLS connection over loopback, without certificates; and one that finds no common cipher. */
public class Tls {
    static final String[] ANONYMOUS = {"TLS_ECDH_anon_WITH_AES_128_CBC_SHA"};
    static final String[] OTHER = {"TLS_DH_anon_WITH_AES_128_CBC_SHA"};

    static volatile String serverSaid; // told when both have ended: either may be first

    static void serve(SSLServerSocket server) {
        try (SSLSocket s = (SSLSocket) server.accept()) {
            s.setEnabledCipherSuites(ANONYMOUS);
            String line = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
            s.getOutputStream().write(("echo " + line + "\n").getBytes());
        } catch (IOException e) {
            serverSaid = "server: " + e.getClass().getSimpleName();
        }
    }

    static void talk(SSLContext context, String[] ciphers) throws Exception {
        try (SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setEnabledProtocols(new String[] {"TLSv1.2"});
            Thread t = new Thread(() -> serve(server));
            t.start();
            try (SSLSocket s = (SSLSocket) context.getSocketFactory().createSocket(server.getInetAddress(), server.getLocalPort())) {
                s.setEnabledProtocols(new String[] {"TLSv1.2"});
                s.setEnabledCipherSuites(ciphers);
                s.getOutputStream().write("hello\n".getBytes());
                System.out.println(new BufferedReader(new InputStreamReader(s.getInputStream())).readLine());
                System.out.println(s.getSession().getProtocol() + " " + s.getSession().getCipherSuite());
            } catch (SSLException e) {
                System.out.println("client: " + e.getClass().getSimpleName());
            }
            t.join();
            System.out.println(serverSaid);
        }
    }

    public static void main(String[] args) throws Exception {
        Security.setProperty("jdk.tls.disabledAlgorithms", "");
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
        talk(context, ANONYMOUS);
        talk(context, OTHER);
    }
}
