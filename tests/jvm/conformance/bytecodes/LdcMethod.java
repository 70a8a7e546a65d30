package bytecodes;

import support.Gen;

/** ldc of method types and method handles (class files from version 51 on). */
public class LdcMethod {
    static String one(String type, String token) {
        return new Gen(".class public gen/T\n.version 51\n.method public static run ()" + type + "\nldc " + token + "\nareturn\n.end").call("gen.T", "run");
    }

    public static void main(String[] args) {
        String mt = "Ljava/lang/invoke/MethodType;";
        System.out.println(one(mt, "mtype:(ILjava/lang/String;[J)V"));
        System.out.println(one(mt, "mtype:()[[Ljava/util/List;"));
        System.out.println(one(mt, "mtype:(Lno/Such;)V"));
        String mh = "Ljava/lang/invoke/MethodHandle;";
        System.out.println(one(mh, "handle:invokestatic:java/lang/Math.max(II)I"));
        System.out.println(one(mh, "handle:invokevirtual:java/lang/String.length()I"));
        System.out.println(one(mh, "handle:invokeinterface:java/util/List.size()I"));
        System.out.println(one(mh, "handle:newinvokespecial:java/util/ArrayList.<init>(I)V"));
        System.out.println(one(mh, "handle:getstatic:java/lang/System.out:Ljava/io/PrintStream;"));
        System.out.println(one(mh, "handle:invokestatic:java/lang/Math.noSuch(II)I"));
        System.out.println(one(mh, "handle:invokestatic:java/lang/String.length()I"));
        System.out.println(one(mh, "handle:getstatic:java/lang/System.noSuch:I"));
        System.out.println(one(mh, "handle:invokestatic:interface:java/util/List.of()Ljava/util/List;"));
    }
}
