package generics;

import java.io.Serializable;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

/** Generic signatures as reflection reads them. */
public class Signatures<A, B extends Number & Comparable<B>> implements Comparable<Signatures<A, ?>> {
    List<? super A>[] field;
    Map<String, List<? extends B[]>> map;
    Signatures<A, B>.In<String> inner;

    class In<C> { }

    <X extends Exception, Y extends List<X> & Serializable> Y method(X x, A[] a, int i, Map.Entry<A, B>... e) throws X {
        return null;
    }

    @Override
    public int compareTo(Signatures<A, ?> o) {
        return 0;
    }

    static class Sub extends Signatures<String, Integer> { }

    public static void main(String[] args) throws Exception {
        for (String f : new String[] {"field", "map", "inner"}) {
            System.out.println(Signatures.class.getDeclaredField(f).getGenericType() + " " + Signatures.class.getDeclaredField(f).toGenericString());
        }
        for (var m : Signatures.class.getDeclaredMethods()) {
            if (m.getName().equals("method")) {
                System.out.println(m.toGenericString());
                for (Type t : m.getGenericParameterTypes()) {
                    System.out.println(t + " " + t.getClass().getSimpleName());
                }
                System.out.println(List.of(m.getTypeParameters()[1].getBounds()) + " " + List.of(m.getGenericExceptionTypes()));
            }
        }
        System.out.println(Signatures.class.toGenericString() + " " + Signatures.class.getGenericInterfaces()[0]);
        ParameterizedType p = (ParameterizedType) Sub.class.getGenericSuperclass();
        System.out.println(p + " " + List.of(p.getActualTypeArguments()) + " " + p.getRawType() + " " + p.getOwnerType());
        System.out.println(List.of(Signatures.class.getTypeParameters()) + " " + List.of(Signatures.class.getTypeParameters()[1].getBounds()));
    }
}
