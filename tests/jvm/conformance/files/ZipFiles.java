package files;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Deflate, gzip and zip both ways, damaged data. */
public class ZipFiles {
    public static void main(String[] args) throws Exception {
        byte[] data = "abcabcabd".repeat(5000).getBytes();
        Deflater d = new Deflater(9, true);
        d.setInput(data);
        d.finish();
        byte[] out = new byte[data.length];
        int n = d.deflate(out);
        System.out.println(n < 1000 ? "small" : "large");
        Inflater i = new Inflater(true);
        i.setInput(out, 0, n);
        byte[] back = new byte[data.length];
        System.out.println(i.inflate(back) + " " + Arrays.equals(back, data) + " " + i.finished() + " " + d.getBytesRead());
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (GZIPOutputStream g = new GZIPOutputStream(b)) {
            g.write(data);
        }
        System.out.println(Arrays.equals(new GZIPInputStream(new ByteArrayInputStream(b.toByteArray())).readAllBytes(), data));
        File f = new File("x.zip");
        try (ZipOutputStream z = new ZipOutputStream(new FileOutputStream(f))) {
            z.setComment("comment");
            ZipEntry e = new ZipEntry("dir/one.txt");
            e.setTime(1000000000000L);
            z.putNextEntry(e);
            z.write(data);
            z.closeEntry();
            ZipEntry s = new ZipEntry("stored");
            s.setMethod(ZipEntry.STORED);
            s.setSize(3);
            CRC32 c = new CRC32();
            c.update(new byte[] {1, 2, 3});
            s.setCrc(c.getValue());
            z.putNextEntry(s);
            z.write(new byte[] {1, 2, 3});
            z.closeEntry();
            try {
                z.putNextEntry(new ZipEntry("stored"));
            } catch (ZipException x) {
                System.out.println(x.getMessage());
            }
        }
        try (ZipFile z = new ZipFile(f)) {
            z.stream().forEach(e -> System.out.println(e.getName() + " " + e.getSize() + " " + e.getCrc() + " " + e.getMethod() + " " + e.isDirectory()));
            try (InputStream in = z.getInputStream(z.getEntry("dir/one.txt"))) {
                System.out.println(in.readAllBytes().length + " " + z.getComment() + " " + z.getEntry("nope"));
            }
        }
        try (ZipInputStream z = new ZipInputStream(new java.io.FileInputStream(f))) {
            ZipEntry e;
            while ((e = z.getNextEntry()) != null) {
                System.out.println(e.getName() + " " + z.readAllBytes().length);
            }
        }
        try {
            new ZipFile("missing.zip");
        } catch (java.nio.file.NoSuchFileException e) {
            System.out.println(e.getMessage());
        }
        try {
            Inflater bad = new Inflater();
            bad.setInput(new byte[] {1, 2, 3, 4, 5});
            bad.inflate(back);
        } catch (DataFormatException e) {
            System.out.println(e.getMessage());
        }
    }
}
