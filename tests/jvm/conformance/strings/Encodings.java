package strings;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Charsets: both ways, malformed input, and those outside java.base's core set. */
public class Encodings {
    public static void main(String[] args) throws Exception {
        String s = "aé\u20ac\ud83d\ude00\ud800z";
        for (String name : new String[] {"UTF-8", "UTF-16", "UTF-16LE", "UTF-32", "ISO-8859-1", "US-ASCII", "windows-1252", "ISO-8859-2", "Shift_JIS", "GBK", "IBM850"}) {
            Charset cs = Charset.forName(name);
            byte[] b = s.getBytes(cs);
            System.out.println(name + " " + Arrays.toString(b) + " " + new String(b, cs).codePoints().boxed().toList());
        }
        byte[] bad = {'a', (byte) 0xc3, 'b', (byte) 0xe2, (byte) 0x82, (byte) 0xff, (byte) 0xed, (byte) 0xa0, (byte) 0x80, (byte) 0xf5, (byte) 0xc0, (byte) 0x80};
        System.out.println(new String(bad, StandardCharsets.UTF_8).codePoints().boxed().toList());
        try {
            StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bad));
        } catch (CharacterCodingException e) {
            System.out.println(e);
        }
        System.out.println(StandardCharsets.US_ASCII.newEncoder().canEncode('é') + " " + StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap("xé")).remaining());
        System.out.println(Charset.isSupported("nope") + " " + Charset.forName("latin1").aliases().contains("l1"));
    }
}
