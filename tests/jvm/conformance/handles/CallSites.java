package handles;

import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.invoke.SwitchPoint;
import java.lang.invoke.VolatileCallSite;

/** Call sites and switch points. */
public class CallSites {
    public static void main(String[] args) throws Throwable {
        MethodHandle one = MethodHandles.constant(int.class, 1);
        MethodHandle two = MethodHandles.constant(int.class, 2);
        MutableCallSite m = new MutableCallSite(MethodType.methodType(int.class));
        try {
            m.dynamicInvoker().invoke();
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        MethodHandle inv = m.dynamicInvoker();
        m.setTarget(one);
        System.out.print((int) inv.invokeExact() + " ");
        m.setTarget(two);
        MutableCallSite.syncAll(new MutableCallSite[] {m});
        System.out.println((int) inv.invokeExact());
        VolatileCallSite v = new VolatileCallSite(one);
        MethodHandle vi = v.dynamicInvoker();
        v.setTarget(two);
        System.out.println((int) vi.invokeExact() + " " + (int) new ConstantCallSite(one).dynamicInvoker().invokeExact());
        SwitchPoint sp = new SwitchPoint();
        MethodHandle g = sp.guardWithTest(one, two);
        System.out.print((int) g.invokeExact() + " ");
        SwitchPoint.invalidateAll(new SwitchPoint[] {sp});
        System.out.println((int) g.invokeExact() + " " + sp.hasBeenInvalidated());
        try {
            m.setTarget(MethodHandles.constant(long.class, 1L));
        } catch (java.lang.invoke.WrongMethodTypeException e) {
            System.out.println(e.getMessage());
        }
    }
}
