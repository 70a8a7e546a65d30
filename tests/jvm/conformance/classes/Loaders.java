package classes;

import support.Assembler;

/** Class loaders: delegation, the same name twice, constraints, defineClass refused. */
public class Loaders {
    static class Own extends ClassLoader {
        final String tag;

        Own(String tag, ClassLoader parent) {
            super(parent);
            this.tag = tag;
        }

        Class<?> define(String name, byte[] b) {
            return defineClass(name, b, 0, b.length);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            System.out.println(tag + " asked for " + name);
            throw new ClassNotFoundException(name);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] file = Assembler.assemble(".class public x/Y\n.field public static n I\n.method public static run ()V\nnew x/Missing\npop\nreturn\n.end");
        Own a = new Own("a", null);
        Own b = new Own("b", a);
        Class<?> ca = a.define("x.Y", file);
        Class<?> cb = b.define("x.Y", file);
        System.out.println((ca == cb) + " " + ca.getName().equals(cb.getName()) + " " + (ca.getClassLoader() == a) + " " + (b.loadClass("x.Y") == cb));
        ca.getField("n").setInt(null, 5);
        System.out.println(cb.getField("n").getInt(null));
        for (int i = 0; i < 2; i++) {
            try {
                cb.getMethod("run").invoke(null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                System.out.println(e.getCause() + " / " + e.getCause().getCause());
            }
        }
        try {
            a.define("x.Y", file);
        } catch (LinkageError e) {
            System.out.println("twice " + e.getClass().getSimpleName());
        }
        try {
            a.define("java.lang.Evil", Assembler.assemble(".class public java/lang/Evil"));
        } catch (SecurityException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(String.class.getClassLoader() + " " + ClassLoader.getPlatformClassLoader().getName() + " " + ClassLoader.getSystemClassLoader().getName() + " " + java.sql.Connection.class.getClassLoader().getName());
        System.out.println(a.loadClass("java.lang.String") == String.class);
        try {
            a.loadClass("classes.Loaders");
        } catch (ClassNotFoundException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(a.getUnnamedModule().isNamed() + " " + String.class.getModule() + " " + Loaders.class.getModule().isNamed());
    }
}
