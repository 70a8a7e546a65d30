package files;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.io.RandomAccessFile;
import java.io.SequenceInputStream;

/** java.io streams over real files. */
public class OldIo {
    public static void main(String[] args) throws IOException {
        File f = new File("data.bin");
        try (DataOutputStream o = new DataOutputStream(new FileOutputStream(f))) {
            o.writeInt(-1);
            o.writeLong(1L << 40);
            o.writeDouble(2.5);
            o.writeUTF("utf é\0");
            o.writeBoolean(true);
            o.writeChars("ch");
        }
        try (DataInputStream i = new DataInputStream(new FileInputStream(f))) {
            System.out.println(i.readInt() + " " + i.readLong() + " " + i.readDouble() + " " + i.readUTF().length() + " " + i.readBoolean() + " " + i.readChar() + i.readChar());
            i.readByte();
        } catch (EOFException e) {
            System.out.println("end");
        }
        try (RandomAccessFile r = new RandomAccessFile(f, "rw")) {
            r.seek(4);
            r.writeLong(77);
            r.seek(4);
            System.out.println(r.readLong() + " " + r.getFilePointer() + " " + r.length());
            r.setLength(5);
            System.out.println(r.length() + " " + f.length() + " " + r.getFilePointer());
        }
        try (BufferedWriter w = new BufferedWriter(new FileWriter("text", true))) {
            w.write("line1");
            w.newLine();
            w.write("line2 \u20ac");
        }
        try (BufferedReader r = new BufferedReader(new FileReader("text"))) {
            System.out.println(r.lines().toList());
        }
        try {
            new FileInputStream("missing");
        } catch (FileNotFoundException e) {
            System.out.println(e.getMessage());
        }
        try {
            new FileOutputStream("/proc/nope/x");
        } catch (FileNotFoundException e) {
            System.out.println(e.getMessage());
        }
        FileInputStream closed = new FileInputStream("text");
        closed.close();
        try {
            closed.read();
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new File("d1/d2").mkdirs() + " " + new File("d1").delete() + " " + new File("text").renameTo(new File("t2")) + " " + java.util.Arrays.stream(new File(".").list()).sorted().toList() + " " + f.delete() + " " + f.canRead());
        PushbackInputStream p = new PushbackInputStream(new SequenceInputStream(new java.io.ByteArrayInputStream(new byte[] {1}), new java.io.ByteArrayInputStream(new byte[] {2, 3})));
        p.read();
        p.unread(9);
        System.out.println(java.util.Arrays.toString(p.readAllBytes()));
    }
}
