package reflection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.List;

/** Dynamic proxies: arguments, results, exceptions, default methods, several interfaces. */
public class Proxies {
    interface Calc {
        int add(int a, long b);

        double half(float f);

        void nothing();

        default String hello(String n) {
            return "hello " + n;
        }

        Object checked() throws java.io.IOException;
    }

    static Object outcome(java.util.concurrent.Callable<Object> c) {
        try {
            return c.call();
        } catch (Throwable t) {
            return t.getClass().getName() + " " + (t instanceof UndeclaredThrowableException ? t.getCause() : "");
        }
    }

    public static void main(String[] args) throws Exception {
        InvocationHandler h = (p, m, a) -> {
            System.out.println(m.getName() + " " + Arrays.toString(a) + " " + m.getDeclaringClass().getSimpleName());
            return switch (m.getName()) {
                case "add" -> (Integer) a[0] + ((Long) a[1]).intValue();
                case "half" -> 0.5;
                case "hello" -> InvocationHandler.invokeDefault(p, m, a);
                case "checked" -> throw new Exception("not declared");
                case "toString" -> "proxy";
                case "hashCode" -> 5;
                case "equals" -> p == a[0];
                default -> null;
            };
        };
        Calc c = (Calc) Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {Calc.class, Comparable.class}, h);
        System.out.println(c.add(1, 2L) + " " + c.half(3f) + " " + c.hello("x") + " " + c + " " + c.hashCode() + " " + c.equals(c) + " " + (c instanceof Comparable));
        c.nothing();
        System.out.println(outcome(c::checked));
        Calc bad = (Calc) Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {Calc.class}, (p, m, a) -> m.getName().equals("add") ? null : "string");
        System.out.println(outcome(() -> bad.add(1, 2)) + " " + outcome(() -> bad.half(1)) + " " + outcome(bad::checked));
        System.out.println(Proxy.isProxyClass(c.getClass()) + " " + (Proxy.getInvocationHandler(c) == h) + " " + List.of(c.getClass().getInterfaces()));
        System.out.println(outcome(() -> Proxy.newProxyInstance(Proxies.class.getClassLoader(), new Class<?>[] {String.class}, h)));
    }
}
