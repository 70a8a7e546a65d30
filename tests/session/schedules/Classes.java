/** Who initialises a class, and who waits for that: by a static field, a call, `new`, and a class that initialises its superclass. */
public class Classes {
    static final StringBuffer log = new StringBuffer();
    static String setting = "none";

    static String note(String what) {
        log.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
        return what;
    }

    static class Holder {
        static final String value = note(setting + "!");
    }

    static class Base {
        static int made;
        static {
            note("base");
            made = 10;
        }
    }

    static class Derived extends Base {
        static {
            note("derived" + made);
        }

        Derived() {
            made++;
        }

        static int twice() {
            return 2 * made;
        }
    }

    static class Broken {
        static final int value = Integer.parseInt(note("broken"));
    }

    static void use() {
        note(Holder.value);
        note("" + Derived.twice());
        new Derived();
        try {
            note("" + Broken.value);
        } catch (LinkageError e) {
            note(e.getClass().getSimpleName());
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(Classes::use), b = new Thread(Classes::use);
        a.start();
        b.start();
        setting = "set";
        new Derived();
        use();
        a.join();
        b.join();
        System.out.println(log.append(Base.made));
    }
}
