package verify;

import support.Assembler;
import support.Gen;

/** A class file cut at every byte, or with bytes added: ClassFormatError each time. */
public class Truncated {
    public static void main(String[] args) {
        byte[] good = Assembler.assemble(".class public gen/T\n.field static final x I = int:7\n.method public static run ()I\n.line 3\ngetstatic gen/T.x:I\nireturn\n.end\n.attr SourceFile utf8:T.java");
        System.out.println(new Gen().add("gen.T", good).call("gen.T", "run"));
        StringBuilder other = new StringBuilder();
        int errors = 0;
        for (int n = 0; n < good.length; n++) {
            String r = new Gen().add("gen.T", java.util.Arrays.copyOf(good, n)).link("gen.T");
            if (r.equals("java.lang.ClassFormatError")) {
                errors++;
            } else {
                other.append(n == good.length ? "" : " " + r);
            }
        }
        System.out.println((good.length - errors) + other.toString());
        System.out.println(new Gen().add("gen.T", java.util.Arrays.copyOf(good, good.length + 1)).link("gen.T"));
        byte[] magic = good.clone();
        magic[0] = 0;
        System.out.println(new Gen().add("gen.T", magic).link("gen.T"));
        System.out.println(new Gen().add("gen.Other", good).link("gen.Other"));
        System.out.println(new Gen().add("gen.T", new byte[0]).link("gen.T"));
    }
}
