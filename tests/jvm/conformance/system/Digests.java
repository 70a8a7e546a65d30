package system;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Digests, ciphers, checksums, Base64, UUIDs. */
public class Digests {
    public static void main(String[] args) throws Exception {
        byte[] data = "the quick brown fox".repeat(50).getBytes(StandardCharsets.UTF_8);
        HexFormat hex = HexFormat.of();
        for (String a : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256"}) {
            System.out.println(a + " " + hex.formatHex(MessageDigest.getInstance(a).digest(data)));
        }
        SecretKeySpec key = new SecretKeySpec("0123456789abcdef".getBytes(), "AES");
        Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding");
        c.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[16]));
        byte[] enc = c.doFinal(data);
        c.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(new byte[16]));
        System.out.println(enc.length + " " + hex.formatHex(enc, 0, 16) + " " + java.util.Arrays.equals(c.doFinal(enc), data));
        Mac m = Mac.getInstance("HmacSHA256");
        m.init(key);
        System.out.println(hex.formatHex(m.doFinal(data)));
        CRC32 crc = new CRC32();
        crc.update(data);
        CRC32C crcc = new CRC32C();
        crcc.update(data);
        Adler32 ad = new Adler32();
        ad.update(data);
        System.out.println(crc.getValue() + " " + crcc.getValue() + " " + ad.getValue());
        System.out.println(Base64.getEncoder().encodeToString("any carnal pleas".getBytes()) + " " + new String(Base64.getMimeDecoder().decode("aGk=\r\n")) + " " + UUID.nameUUIDFromBytes(data) + " " + new UUID(1, 2) + " " + UUID.randomUUID().version());
        SecureRandom r = new SecureRandom();
        System.out.println(r.nextInt() != r.nextInt() || r.nextInt() != r.nextInt());
        try {
            MessageDigest.getInstance("NOPE");
        } catch (java.security.NoSuchAlgorithmException e) {
            System.out.println(e.getMessage());
        }
    }
}
