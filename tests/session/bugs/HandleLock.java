import java.lang.invoke.*;

/** A lock of one's own, by a VarHandle: whether it is free is asked first, and then it is taken, whoever was faster. */
public class HandleLock {
    static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(HandleLock.class, "held", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    int held, inside, most;

    void work() {
        while ((int) HELD.getAcquire(this) != 0)
            Thread.onSpinWait();
        HELD.setVolatile(this, 1);
        most = Math.max(most, ++inside);
        inside--;
        HELD.setRelease(this, 0);
    }

    public static void main(String[] args) throws Exception {
        HandleLock lock = new HandleLock();
        Thread a = new Thread(lock::work), b = new Thread(lock::work);
        a.start();
        b.start();
        a.join();
        b.join();
        if (lock.most != 1)
            throw new AssertionError(lock.most + " inside");
    }
}
