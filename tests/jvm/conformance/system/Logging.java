package system;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** java.util.logging: levels, parents, inferred callers. */
public class Logging {
    public static void main(String[] args) {
        Logger l = Logger.getLogger("a.b");
        l.setUseParentHandlers(false);
        l.addHandler(new Handler() {
            @Override
            public void publish(LogRecord r) {
                System.out.println(r.getLevel() + " " + r.getSourceClassName() + " " + r.getSourceMethodName() + " " + new SimpleFormatter().formatMessage(r) + " " + r.getLoggerName());
            }

            @Override
            public void flush() { }

            @Override
            public void close() { }
        });
        l.info("one");
        l.fine("not seen");
        l.setLevel(Level.ALL);
        l.fine("seen");
        l.log(Level.WARNING, "p {0} {1}", new Object[] {1, "x"});
        l.log(Level.SEVERE, "t", new Exception());
        l.entering("C", "m");
        Logger.getLogger("a.b.c").warning(() -> "supplied");
        System.out.println(l.getParent().getName() + "|" + Logger.getLogger("a.b.c").getParent().getName() + " " + Level.parse("800"));
        System.Logger s = System.getLogger("sys");
        System.out.println(s.isLoggable(System.Logger.Level.ERROR) + " " + s.getName());
    }
}
