package verify;

import support.Gen;

/** Private access between classes is allowed exactly when host and member name each other. */
public class Nests {
    static String host(String attr) {
        return ".class public gen/H\n.version 55\n" + attr + "\n.field private static x I\n.method private static m ()I\nbipush 8\nireturn\n.end";
    }

    static String member(String attr) {
        return ".class public gen/T\n.version 55\n" + attr + "\n.method public static run ()I\ngetstatic gen/H.x:I\ninvokestatic gen/H.m()I\niadd\nireturn\n.end";
    }

    static void test(String label, String hostAttr, String memberAttr) {
        Gen g = new Gen(host(hostAttr), member(memberAttr));
        System.out.print(label + ": " + g.call("gen.T", "run"));
        try {
            System.out.println(" host " + Class.forName("gen.T", true, g).getNestHost().getName());
        } catch (Throwable t) {
            System.out.println(" host " + Gen.show(t));
        }
    }

    public static void main(String[] args) {
        test("both", ".attr NestMembers u2:1 class:gen/T", ".attr NestHost class:gen/H");
        test("only member", "", ".attr NestHost class:gen/H");
        test("only host", ".attr NestMembers u2:1 class:gen/T", "");
        test("neither", "", "");
        test("missing host", "", ".attr NestHost class:gen/Z");
        test("other member", ".attr NestMembers u2:1 class:gen/Z", ".attr NestHost class:gen/H");
    }
}
