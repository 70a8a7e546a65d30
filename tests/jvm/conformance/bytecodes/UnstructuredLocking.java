package bytecodes;

import support.Gen;

/** Unlocking what is not locked; the lock of a static synchronized method. */
public class UnstructuredLocking {
    public static void main(String[] args) throws Exception {
        Object o = new Object();
        String arg = "(Ljava/lang/Object;)V";
        System.out.println("exit without enter: " + Gen.run(arg, "aload_0\nmonitorexit\nreturn", o).split(":")[0]);
        System.out.println(Thread.holdsLock(o));
        Gen sync = new Gen(".class public gen/T\n.method public static synchronized run ()Z\nldc class:gen/T\ninvokestatic java/lang/Thread.holdsLock(Ljava/lang/Object;)Z\nireturn\n.end");
        System.out.println(sync.call("gen.T", "run"));
    }
}
