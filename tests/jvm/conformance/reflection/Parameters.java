package reflection;

import java.lang.reflect.Executable;
import java.util.Arrays;
import java.util.Comparator;

/** Parameters, enclosing members and record components as reflection sees them. */
public class Parameters {
    static void m(final int a, String... b) { }

    record R(int x, String... y) { }

    enum E {
        A(1);

        E(int n) { }
    }

    class In {
        In(String s) { }
    }

    static Object local(int cap) {
        class L {
            int get() {
                return cap;
            }
        }
        return new L();
    }

    static void show(Executable e) {
        System.out.println(e + " " + Arrays.toString(e.getParameters()) + " " + e.getParameterCount() + " " + Arrays.toString(e.getGenericParameterTypes()) + " " + e.isSynthetic());
    }

    public static void main(String[] args) throws Exception {
        for (var x : Arrays.stream(Parameters.class.getDeclaredMethods()).filter(x -> !x.isSynthetic()).sorted(Comparator.comparing(Object::toString)).toList()) {
            show(x);
        }
        show(R.class.getDeclaredConstructors()[0]);
        show(E.class.getDeclaredConstructors()[0]);
        show(In.class.getDeclaredConstructors()[0]);
        show(local(1).getClass().getDeclaredConstructors()[0]);
        System.out.println(local(1).getClass().getEnclosingMethod() + " " + local(1).getClass().getEnclosingClass());
        System.out.println(R.class.getDeclaredConstructors()[0].getParameters()[0].isNamePresent());
    }
}
