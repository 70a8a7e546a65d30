package net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Names to addresses and back. */
public class Names {
    static void show(String host) {
        try {
            InetAddress[] all = InetAddress.getAllByName(host);
            System.out.println(host + " " + Arrays.toString(all) + " " + all[0].getClass().getSimpleName());
        } catch (UnknownHostException e) {
            System.out.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (String host : new String[] {"localhost", "127.0.0.1", "::1", "[::1]", "", "no such host", "256.1.1.1", "1.2.3"}) {
            show(host);
        }
        show(null);
        System.out.println(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}).getCanonicalHostName());
        System.out.println(InetAddress.getByAddress("given", new byte[] {127, 0, 0, 1}));
        System.out.println(InetAddress.getByName("fe80::1%1").getHostAddress().startsWith("fe80:"));
        System.out.println(InetAddress.getLoopbackAddress().isReachable(1000));
    }
}
