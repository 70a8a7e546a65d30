package bytecodes;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import support.Gen;

/** invokedynamic with bootstraps of our own: constant, mutable, wrong type, failing, null. */
public class Indy {
    static MutableCallSite site;
    static int linked;

    public static CallSite constant(MethodHandles.Lookup l, String name, MethodType type) throws Exception {
        linked++;
        return new ConstantCallSite(l.findStatic(Indy.class, name, type));
    }

    public static CallSite mutable(MethodHandles.Lookup l, String name, MethodType type) throws Exception {
        site = new MutableCallSite(l.findStatic(Indy.class, name, type));
        return site;
    }

    public static CallSite wrong(MethodHandles.Lookup l, String name, MethodType type) throws Exception {
        return new ConstantCallSite(l.findStatic(Indy.class, "mul", MethodType.methodType(long.class, long.class, long.class)));
    }

    public static CallSite nothing(MethodHandles.Lookup l, String name, MethodType type) {
        return null;
    }

    public static CallSite fails(MethodHandles.Lookup l, String name, MethodType type) {
        throw new IllegalArgumentException("bootstrap");
    }

    public static int add(int a, int b) {
        return a + b;
    }

    public static int sub(int a, int b) {
        return a - b;
    }

    public static long mul(long a, long b) {
        return a * b;
    }

    static Gen gen(String bootstrap, String name) {
        return new Gen(".class public gen/T\n.version 51\n.method static run (II)I\niload_0\niload_1\ninvokedynamic " + name + " (II)I bytecodes/Indy." + bootstrap
            + "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;\nireturn\n.end");
    }

    public static void main(String[] args) throws Exception {
        Gen g = gen("constant", "add");
        System.out.println(g.call("gen.T", "run", 3, 4) + " " + g.call("gen.T", "run", 5, 6) + " linked " + linked);
        Gen m = gen("mutable", "add");
        System.out.println(m.call("gen.T", "run", 3, 4));
        site.setTarget(MethodHandles.lookup().findStatic(Indy.class, "sub", site.type()));
        System.out.println(m.call("gen.T", "run", 3, 4));
        for (String bad : "wrong nothing fails noSuch".split(" ")) {
            Gen b = gen(bad, "add");
            System.out.println(bad + " " + b.call("gen.T", "run", 1, 2) + " " + b.call("gen.T", "run", 1, 2));
        }
        System.out.println("missing target " + gen("constant", "nope").call("gen.T", "run", 1, 2));
    }
}
