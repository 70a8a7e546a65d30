package classes;

import support.Assembler;
import support.Gen;

/** Two loaders that disagree about a class named in a signature: LinkageError. */
public class LoaderConstraints {
    public static void main(String[] args) {
        String d = ".class public p/D\n.method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end";
        String base = ".class public p/Base\n.method public <init> ()V\naload_0\ninvokespecial java/lang/Object.<init>()V\nreturn\n.end\n.method public take (Lp/D;)V\nreturn\n.end\n.method public static make ()Lp/D;\nnew p/D\ndup\ninvokespecial p/D.<init>()V\nareturn\n.end";
        Gen parent = new Gen(d, base);
        String use = ".class public p/Use\n.method public static run ()V\ninvokestatic p/Base.make()Lp/D;\npop\nreturn\n.end";
        ClassLoader child = new ClassLoader(parent) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.equals("p.D") || name.equals("p.Use")) {
                    Class<?> c = findLoadedClass(name);
                    byte[] b = Assembler.assemble(name.equals("p.D") ? d : use);
                    return c != null ? c : defineClass(name, b, 0, b.length);
                }
                return super.loadClass(name, resolve);
            }
        };
        try {
            child.loadClass("p.D").getDeclaredConstructor().newInstance();
            child.loadClass("p.Use").getMethod("run").invoke(null);
            System.out.println("no error");
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause().getClass());
        } catch (ReflectiveOperationException | LinkageError e) {
            System.out.println(e.getClass());
        }
    }
}
