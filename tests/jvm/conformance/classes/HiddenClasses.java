package classes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup.ClassOption;
import support.Assembler;

/** Hidden classes: names, nest membership, class data, not found by name. */
public class HiddenClasses {
    private static int secret = 42;

    public static void main(String[] args) throws Throwable {
        byte[] file = Assembler.assemble(".class public classes/Hid\n.version 61\n.method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end\n"
            + ".method public static run ()I\nbipush 7\nireturn\n.end\n.method public static peek ()I\ngetstatic classes/HiddenClasses.secret:I\nireturn\n.end");
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandles.Lookup h = l.defineHiddenClass(file, true);
        Class<?> c = h.lookupClass();
        System.out.println(c.isHidden() + " " + c.getName().replaceAll("0x[0-9a-f]+", "0xN") + " " + c.getSimpleName().replaceAll("0x[0-9a-f]+", "0xN") + " " + c.getCanonicalName());
        System.out.println(c.descriptorString().replaceAll("0x[0-9a-f]+", "0xN") + " " + c.getPackageName() + " " + c.getNestHost().equals(c));
        System.out.println(c.getMethod("run").invoke(null));
        try {
            System.out.println(c.getMethod("peek").invoke(null));
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause().getClass());
        }
        Class<?> n = l.defineHiddenClass(file, true, ClassOption.NESTMATE).lookupClass();
        System.out.println(n.getMethod("peek").invoke(null) + " " + n.getNestHost() + " " + (n == c) + " " + n.isNestmateOf(HiddenClasses.class));
        try {
            Class.forName(c.getName());
        } catch (ClassNotFoundException e) {
            System.out.println("not found");
        }
        MethodHandles.Lookup d = l.defineHiddenClassWithClassData(file, "data", true);
        System.out.println(MethodHandles.classData(d, "_", String.class));
        System.out.println(c.getDeclaredConstructor().newInstance().getClass() == c);
        Class<?> plain = MethodHandles.lookup().defineClass(Assembler.assemble(".class public classes/Plain\n.version 61"));
        System.out.println(plain + " " + plain.isHidden() + " " + Class.forName("classes.Plain").equals(plain));
    }
}
