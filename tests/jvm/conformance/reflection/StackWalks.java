package reflection;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** StackWalker in its forms: batches, hidden frames, classes, through reflection, handles and lambdas. */
public class StackWalks {
    static final StackWalker PLAIN = StackWalker.getInstance();
    static final StackWalker CLASSES = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    static final StackWalker ALL = StackWalker.getInstance(EnumSet.of(StackWalker.Option.SHOW_REFLECT_FRAMES, StackWalker.Option.RETAIN_CLASS_REFERENCE));

    static String frames(StackWalker w) {
        return w.walk(s -> s.map(f -> f.getMethodName() + ":" + (f.getLineNumber() > 0)).collect(Collectors.joining(" ")));
    }

    static List<StackWalker.StackFrame> deep(int n) {
        return n == 0 ? PLAIN.walk(s -> s.collect(Collectors.toList())) : deep(n - 1);
    }

    public static String reflected() {
        return frames(PLAIN) + " | " + CLASSES.getCallerClass().getSimpleName();
    }

    static class Caller {
        static Class<?> ask() {
            return CLASSES.getCallerClass();
        }
    }

    public static void main(String[] args) throws Throwable {
        System.out.println(frames(PLAIN));
        Supplier<String> lambda = () -> frames(PLAIN);
        System.out.println(lambda.get());
        System.out.println(Stream.of(1).map(i -> frames(CLASSES)).findFirst().get().contains("main:true"));
        System.out.println(deep(200).size() + " " + deep(200).get(100).getMethodName() + " " + deep(3).get(0).getByteCodeIndex());
        System.out.println(StackWalks.class.getMethod("reflected").invoke(null));
        MethodHandle mh = MethodHandles.lookup().findStatic(StackWalks.class, "reflected", MethodType.methodType(String.class));
        System.out.println((String) mh.invokeExact());
        System.out.println(Caller.ask().getSimpleName());
        System.out.println((Object) CLASSES.walk(s -> s.map(f -> f.getDeclaringClass().getSimpleName() + f.getMethodType() + f.getDescriptor()).collect(Collectors.toList())));
        System.out.println((Object) ALL.walk(s -> s.limit(1).map(Object::toString).collect(Collectors.toList())));
        System.out.println((Object) PLAIN.walk(s -> s.skip(0).findFirst().get().toStackTraceElement()));
        try {
            PLAIN.getCallerClass();
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
        try {
            PLAIN.walk(s -> s).count();
        } catch (IllegalStateException e) {
            System.out.println("closed");
        }
        PLAIN.forEach(f -> System.out.println(f.isNativeMethod() + " " + f.getFileName() + " " + f.getClassName()));
    }
}
