package bytecodes;

import java.lang.invoke.MethodHandles;
import support.Gen;

/** Dynamic constants of every type, computed once, with static arguments, nested and failing. */
public class Condy {
    static int calls;

    public static int count(MethodHandles.Lookup l, String name, Class<?> type) {
        return ++calls;
    }

    public static Object any(MethodHandles.Lookup l, String name, Class<?> type, Object... args) {
        return name + ":" + type.getSimpleName() + java.util.Arrays.toString(args);
    }

    public static long big(MethodHandles.Lookup l, String name, Class<?> type) {
        return 1L << 40;
    }

    public static double real(MethodHandles.Lookup l, String name, Class<?> type) {
        return 0.5;
    }

    public static float single(MethodHandles.Lookup l, String name, Class<?> type) {
        return 0.25f;
    }

    public static Object fails(MethodHandles.Lookup l, String name, Class<?> type) {
        throw new IllegalStateException("call " + ++calls);
    }

    static final String L = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;";

    static Gen gen(String ret, String op, String code) {
        return new Gen(".class public gen/T\n.version 55\n.method static run ()" + ret + "\n" + code + "\n" + op + "\n.end");
    }

    public static void main(String[] args) {
        Gen g = gen("I", "ireturn", "ldc condy c I bytecodes/Condy.count" + L + ")I");
        System.out.println(g.call("gen.T", "run") + " " + g.call("gen.T", "run") + " calls " + calls);
        System.out.println(gen("J", "lreturn", "ldc2_w condy c J bytecodes/Condy.big" + L + ")J").call("gen.T", "run"));
        System.out.println(gen("D", "dreturn", "ldc2_w condy c D bytecodes/Condy.real" + L + ")D").call("gen.T", "run"));
        System.out.println(gen("F", "freturn", "ldc_w condy c F bytecodes/Condy.single" + L + ")F").call("gen.T", "run"));
        String any = "bytecodes/Condy.any" + L + "[Ljava/lang/Object;)Ljava/lang/Object;";
        System.out.println(gen("Ljava/lang/Object;", "areturn", "ldc condy x Ljava/lang/Object; " + any + " int:1 string:\"s\" long:2 class:[I mtype:()V").call("gen.T", "run"));
        System.out.println(gen("Ljava/lang/Object;", "areturn", "ldc condy x Ljava/lang/Object; " + any + " condy:inner:Ljava/lang/Object;:" + any).call("gen.T", "run"));
        Gen f = gen("Ljava/lang/Object;", "areturn", "ldc condy x Ljava/lang/Object; bytecodes/Condy.fails" + L + ")Ljava/lang/Object;");
        calls = 0;
        System.out.println(f.call("gen.T", "run") + " " + f.call("gen.T", "run") + " calls " + calls);
        System.out.println(gen("Ljava/lang/String;", "areturn", "ldc condy x Ljava/lang/String; bytecodes/Condy.count" + L + ")I").call("gen.T", "run"));
        System.out.println(gen("Ljava/lang/Object;", "areturn", "ldc condy nil Ljava/lang/Object; java/lang/invoke/ConstantBootstraps.nullConstant" + L + ")Ljava/lang/Object;").call("gen.T", "run"));
        System.out.println(gen("Ljava/lang/Class;", "areturn", "ldc condy I Ljava/lang/Class; java/lang/invoke/ConstantBootstraps.primitiveClass" + L + ")Ljava/lang/Class;").call("gen.T", "run"));
    }
}
