/* Methods of threads that the engine does, and that the program overrides in a class of its own: then its method is called, and may call the JDK's by `super`. */
package ebb.replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;

final class Overridden {
    private static final int INTERRUPT = 1, IS_INTERRUPTED = 2, GET_STATE = 4;

    private static final ClassValue<Integer> sets = new ClassValue<Integer>() {
        @Override protected Integer computeValue(Class<?> c) {
            return bit(c, "interrupt", INTERRUPT) | bit(c, "isInterrupted", IS_INTERRUPTED) | bit(c, "getState", GET_STATE);
        }
    };

    private Overridden() {
    }

    private static int bit(Class<?> c, String method, int bit) {
        try {
            return c.getMethod(method).getDeclaringClass().getName().startsWith("java.") ? 0 : bit;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("ebb: " + e);
        }
    }

    private static boolean has(Thread t, int bit) {
        return t.getClass() != Thread.class && (sets.get(t.getClass()) & bit) != 0;
    }

    static boolean interrupt(Thread t) {
        return has(t, INTERRUPT);
    }

    // ---- the JDK's own method of a thread that overrides it ----

    private static MethodHandle find(Class<?> c, String name, Class<?> type) {
        while (!c.getSuperclass().getName().startsWith("java."))
            c = c.getSuperclass();
        try {
            return inside(c).findSpecial(Thread.class, name, MethodType.methodType(type), c);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("ebb: " + e);
        }
    }

    private static final ClassValue<MethodHandle> interrupts = new ClassValue<MethodHandle>() {
        @Override protected MethodHandle computeValue(Class<?> c) {
            return find(c, "interrupt", void.class);
        }
    };

    private static final ClassValue<MethodHandle> states = new ClassValue<MethodHandle>() {
        @Override protected MethodHandle computeValue(Class<?> c) {
            return find(c, "getState", Thread.State.class);
        }
    };

    /** What code of that class could look up. */
    private static MethodHandles.Lookup inside(Class<?> c) throws ReflectiveOperationException {
        try {
            return (MethodHandles.Lookup) MethodHandles.class.getMethod("privateLookupIn", Class.class, MethodHandles.Lookup.class).invoke(null, c, MethodHandles.lookup());
        } catch (NoSuchMethodException e) { // Java 8
            Constructor<MethodHandles.Lookup> maker = MethodHandles.Lookup.class.getDeclaredConstructor(Class.class);
            maker.setAccessible(true);
            return maker.newInstance(c);
        }
    }

    /** Sets its flag, and wakes it, without executing anything of the program. */
    static void interruptReally(Thread t) {
        if (interrupt(t))
            call(interrupts, t);
        else
            t.interrupt();
    }

    /** The same for its state. */
    static Thread.State stateOf(Thread t) {
        return getState(t) ? (Thread.State) call(states, t) : t.getState();
    }

    private static Object call(ClassValue<MethodHandle> handles, Thread t) {
        try {
            return handles.get(t.getClass()).invoke(t);
        } catch (Throwable e) {
            throw new IllegalStateException("ebb: " + e);
        }
    }

    static boolean isInterrupted(Thread t) {
        return has(t, IS_INTERRUPTED);
    }

    static boolean getState(Thread t) {
        return has(t, GET_STATE);
    }
}
