package unsafe;

import java.util.List;
import java.util.stream.Collectors;

/** StackWalker: frames, options, caller class, deep stacks over several batches, reflection frames. */
public class StackWalking {
    static List<String> walk(StackWalker w) {
        return w.walk(s -> s.map(f -> f.getMethodName() + ":" + f.getLineNumber()).collect(Collectors.toList()));
    }

    static int depth(int n) {
        return n == 0 ? StackWalker.getInstance().walk(s -> (int) s.count()) : depth(n - 1);
    }

    static Class<?> caller() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    }

    static class Other {
        static Class<?> ask() {
            return caller();
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(walk(StackWalker.getInstance()));
        System.out.println(depth(200));
        System.out.println(Other.ask());
        Runnable r = () -> System.out.println(walk(StackWalker.getInstance()).size());
        r.run();
        Runnable h = () -> System.out.println(walk(StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES)).size() > 3);
        h.run();
        System.out.println(StackWalking.class.getDeclaredMethod("walk", StackWalker.class).invoke(null, StackWalker.getInstance()));
        StackWalker.StackFrame f = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(s -> s.findFirst().get());
        System.out.println(f + " " + f.getDeclaringClass() + " " + f.getMethodType() + " " + f.getDescriptor() + " " + f.getFileName() + " " + f.isNativeMethod() + " " + f.toStackTraceElement());
        try {
            StackWalker.getInstance().getCallerClass();
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
        StackWalker.getInstance().forEach(x -> System.out.println(x.getClassName()));
        boolean index = StackWalker.getInstance().walk(s -> s.findFirst().get().getByteCodeIndex() > 0);
        System.out.println(index);
    }
}
