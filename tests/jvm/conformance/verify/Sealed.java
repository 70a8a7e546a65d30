package verify;

import support.Gen;

/** Permitted subclasses are checked by the VM. */
public class Sealed {
    public static void main(String[] args) {
        String base = ".class public abstract gen/B\n.version 61\n.attr PermittedSubclasses u2:1 class:gen/T";
        System.out.println("listed " + new Gen(base, ".class public final gen/T\n.version 61\n.super gen/B").link("gen.T"));
        System.out.println("not listed " + new Gen(base, ".class public final gen/U\n.version 61\n.super gen/B").link("gen.U"));
        System.out.println("old version " + new Gen(base, ".class public final gen/U\n.version 52\n.super gen/B").link("gen.U"));
        String old = ".class public abstract gen/B\n.version 60\n.attr PermittedSubclasses u2:1 class:gen/T";
        System.out.println("attribute ignored before 61 " + new Gen(old, ".class public final gen/U\n.version 61\n.super gen/B").link("gen.U"));
        String iface = ".class public interface abstract gen/B\n.version 61\n.attr PermittedSubclasses u2:1 class:gen/T";
        System.out.println("interface " + new Gen(iface, ".class public gen/U\n.version 61\n.implements gen/B").link("gen.U"));
        System.out.println("final sealed " + new Gen(".class public final gen/B\n.version 61\n.attr PermittedSubclasses u2:1 class:gen/T").link("gen.B"));
    }
}
