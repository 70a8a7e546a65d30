package bytecodes;

import support.Gen;

/** monitorenter and monitorexit: null, unbalanced, recursive, left by an exception. */
public class Monitors {
    public static void main(String[] args) {
        String o = "Ljava/lang/Object;";
        Gen.test("enter null", "()V", "aconst_null\nmonitorenter\nreturn");
        Gen.test("exit null", "()V", "aconst_null\nmonitorexit\nreturn");
        Gen.test("balanced", "(" + o + ")I", "aload_0\nmonitorenter\naload_0\nmonitorexit\niconst_1\nireturn", new Object());
        Gen.test("recursive", "(" + o + ")Z", "aload_0\nmonitorenter\naload_0\nmonitorenter\naload_0\nmonitorexit\naload_0\ninvokestatic java/lang/Thread.holdsLock(Ljava/lang/Object;)Z\naload_0\nmonitorexit\nireturn", new Object());
        Gen.test("exit not held", "(" + o + ")I", "aload_0\nmonitorexit\niconst_1\nireturn", new Object());
        Object lock = new Object();
        try {
            synchronized (lock) {
                System.out.println("held " + Thread.holdsLock(lock));
                throw new IllegalStateException("out");
            }
        } catch (IllegalStateException e) {
            System.out.println("released " + !Thread.holdsLock(lock));
        }
        try {
            sync(true);
        } catch (IllegalStateException e) {
            System.out.println("method released " + !Thread.holdsLock(Monitors.class));
        }
        try {
            lock.notify();
        } catch (IllegalMonitorStateException e) {
            System.out.println(e.getMessage());
        }
        try {
            lock.wait();
        } catch (IllegalMonitorStateException | InterruptedException e) {
            System.out.println(e.getMessage());
        }
    }

    static synchronized void sync(boolean fail) {
        System.out.println("method held " + Thread.holdsLock(Monitors.class));
        if (fail) {
            throw new IllegalStateException();
        }
    }
}
