package verify;

import java.io.*;

/** A frame may call what is on the stack unknown (top); then nothing can be done with it. */
public class TopOnStack {
    static class L extends ClassLoader {
        Class<?> define(byte[] b) { return defineClass("Made", b, 0, b.length); }
    }

    /** static void m(): iconst_0, iconst_0, goto the next instruction, whose frame says top, top; then `code`. */
    static byte[] made(int... code) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE); out.writeInt(61);
        String[] names = {"Made", "java/lang/Object", "m", "()V", "Code", "StackMapTable"};
        out.writeShort(names.length + 3);
        for (String name : names) { out.writeByte(1); out.writeUTF(name); }
        out.writeByte(7); out.writeShort(1); out.writeByte(7); out.writeShort(2);
        out.writeShort(0x21); out.writeShort(7); out.writeShort(8); out.writeShort(0); out.writeShort(0);
        out.writeShort(1); out.writeShort(9); out.writeShort(3); out.writeShort(4); out.writeShort(1);
        int n = 5 + code.length, frames = 2 + 1 + 2 + 2 + 2 + 2;
        out.writeShort(5); out.writeInt(2 + 2 + 4 + n + 2 + 2 + 6 + frames);
        out.writeShort(6); out.writeShort(0); out.writeInt(n);
        for (int b : new int[]{0x03, 0x03, 0xa7, 0x00, 0x03}) out.writeByte(b);
        for (int b : code) out.writeByte(b);
        out.writeShort(0); out.writeShort(1);
        out.writeShort(6); out.writeInt(frames);
        out.writeShort(1); out.writeByte(255); out.writeShort(5); out.writeShort(0); out.writeShort(2); out.writeByte(0); out.writeByte(0);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    static void check(String what, int... code) throws Exception {
        try {
            Class<?> c = new L().define(made(code));
            c.getMethod("m").invoke(null);
            System.out.println(what + " is fine");
        } catch (VerifyError e) {
            System.out.println(what + ": " + e.getMessage().lines().findFirst().get());
        }
    }

    public static void main(String[] args) throws Exception {
        check("nothing", 0xb1);
        check("dup2", 0x5c, 0xb1);
        check("dup", 0x59, 0xb1);
        check("pop", 0x57, 0xb1);
        check("pop2", 0x58, 0xb1);
        check("dup_x1", 0x5a, 0xb1);
        check("swap", 0x5f, 0xb1);
        check("dup2_x1 after iconst", 0x03, 0x5d, 0xb1);
    }
}
