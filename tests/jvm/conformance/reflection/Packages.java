package reflection;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Objects;

/** Packages that the loaders know, also when classes were made at run time. */
@SuppressWarnings("deprecation")
public class Packages {
    public static void main(String[] args) throws Exception {
        Object p = Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, (proxy, m, a) -> null);
        Object q = Proxy.newProxyInstance(Packages.class.getClassLoader(), new Class<?>[] {Comparable.class}, (proxy, m, a) -> 0);
        System.out.println(p.getClass().getPackageName().isEmpty() + " " + q.getClass().getPackage());
        Package[] all = Package.getPackages();
        System.out.println(Arrays.stream(all).allMatch(Objects::nonNull));
        for (String name : new String[] {"java.lang", "java.util", "reflection", "no.such", "com.sun.proxy"}) {
            System.out.println(name + " " + Package.getPackage(name));
        }
        Package own = Packages.class.getPackage();
        System.out.println(own + " " + own.isSealed() + " " + own.getSpecificationTitle() + " " + own.getAnnotations().length);
        System.out.println(Object.class.getPackage() + " " + Object.class.getPackage().isSealed());
        System.out.println(int[].class.getPackage() + " " + int.class.getPackage() + " " + Packages[].class.getPackageName());
        System.out.println(Packages.class.getClassLoader().getDefinedPackage("reflection"));
    }
}
