package programs;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** LZW both ways over text and noise. */
public class Compress {
    static List<Integer> pack(byte[] in) {
        Map<String, Integer> dict = new HashMap<>();
        for (int i = 0; i < 256; i++) {
            dict.put("" + (char) i, i);
        }
        List<Integer> out = new ArrayList<>();
        String w = "";
        for (byte b : in) {
            String wc = w + (char) (b & 0xff);
            if (dict.containsKey(wc)) {
                w = wc;
            } else {
                out.add(dict.get(w));
                dict.put(wc, dict.size());
                w = "" + (char) (b & 0xff);
            }
        }
        if (!w.isEmpty()) {
            out.add(dict.get(w));
        }
        return out;
    }

    static byte[] unpack(List<Integer> in) {
        List<String> dict = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            dict.add("" + (char) i);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String w = null;
        for (int code : in) {
            String e = code < dict.size() ? dict.get(code) : w + w.charAt(0);
            for (char c : e.toCharArray()) {
                out.write(c);
            }
            if (w != null) {
                dict.add(w + e.charAt(0));
            }
            w = e;
        }
        return out.toByteArray();
    }

    public static void main(String[] args) {
        byte[] text = "to be or not to be that is the question ".repeat(40).getBytes();
        byte[] noise = new byte[3000];
        new java.util.Random(2).nextBytes(noise);
        for (byte[] d : new byte[][] {text, noise, {}, {5}, new byte[500]}) {
            List<Integer> p = pack(d);
            System.out.println(d.length + " " + p.size() + " " + p.hashCode() + " " + java.util.Arrays.equals(unpack(p), d));
        }
    }
}
