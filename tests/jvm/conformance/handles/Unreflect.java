package handles;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Handles from reflection, cracking, proxies, invokers. */
public class Unreflect {
    private static int twice(int x) {
        return 2 * x;
    }

    public static void main(String[] args) throws Throwable {
        MethodHandles.Lookup l = MethodHandles.lookup();
        MethodHandle m = l.unreflect(Unreflect.class.getDeclaredMethod("twice", int.class));
        System.out.println((int) m.invokeExact(4) + " " + l.revealDirect(m));
        MethodHandleInfo i = l.revealDirect(l.findVirtual(String.class, "length", MethodType.methodType(int.class)));
        System.out.println(MethodHandleInfo.referenceKindToString(i.getReferenceKind()) + " " + i.getName() + " " + i.getDeclaringClass() + " " + i.getMethodType() + " " + i.reflectAs(java.lang.reflect.Method.class, l));
        System.out.println(l.unreflectConstructor(java.util.ArrayList.class.getConstructor()).invoke() + " " + l.unreflectGetter(Integer.class.getField("MAX_VALUE")).invoke());
        java.util.function.IntUnaryOperator op = MethodHandleProxies.asInterfaceInstance(java.util.function.IntUnaryOperator.class, m);
        System.out.println(op.applyAsInt(21));
        MethodHandle inv = MethodHandles.exactInvoker(m.type());
        System.out.println((int) inv.invokeExact(m, 6) + " " + (long) MethodHandles.invoker(MethodType.methodType(long.class, short.class)).invoke(m, (short) 7) + " " + MethodHandles.spreadInvoker(m.type(), 0).invoke(m, new Object[] {8}));
        MethodHandles.Lookup p = MethodHandles.privateLookupIn(Unreflect.class, l);
        System.out.println(p.lookupClass() + " " + p.hasPrivateAccess() + " " + l.in(String.class).hasPrivateAccess() + " " + l.findClass("java.util.List") + " " + l.accessClass(java.util.Map.class));
        System.out.println(l.ensureInitialized(Late.class).getSimpleName());
    }

    static class Late {
        static {
            System.out.println("Late is initialised");
        }
    }
}
