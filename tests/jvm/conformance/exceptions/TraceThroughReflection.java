package exceptions;

import java.lang.reflect.InvocationTargetException;
import java.util.List;

/** Frames of reflection, lambdas and streams in a trace; hidden frames stay hidden. */
public class TraceThroughReflection {
    public static void target() {
        throw new IllegalStateException("here");
    }

    public static void main(String[] args) throws Exception {
        try {
            TraceThroughReflection.class.getMethod("target").invoke(null);
        } catch (InvocationTargetException e) {
            StackTraceElement[] t = e.getCause().getStackTrace();
            System.out.println(t[0] + " ... " + t[t.length - 1]);
        }
        try {
            List.of(1, 2).forEach(x -> {
                if (x == 2) {
                    throw new RuntimeException("two");
                }
            });
        } catch (RuntimeException e) {
            for (StackTraceElement s : e.getStackTrace()) {
                System.out.println(s);
            }
        }
        try {
            Runnable r = TraceThroughReflection::target;
            r.run();
        } catch (IllegalStateException e) {
            for (StackTraceElement s : e.getStackTrace()) {
                System.out.println(s);
            }
        }
    }
}
