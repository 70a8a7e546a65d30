package ebb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the program itself can ask about its past, on ebb's Java machine while object flow is on: who wrote a field last, which values it has had, where a
 * reference comes from, where an object was made.
 *
 * On another JVM, or while flow is off, every question throws {@link NoHistory}, which says what would help; {@link #hasHistory} asks first.
 * Asking changes nothing: no field is written, no object is kept alive by its history.
 */
public final class Mirror {
    /** What a link of a history is; the words are those of the command origin. */
    public enum Kind {
        UNKNOWN, ALLOCATION, PARAMETER, RETURN, FIELD_READ, ARRAY_READ, FIELD_WRITE, ARRAY_WRITE, INIT, CONSTANT, OPERATION, THROW, NATIVE, COPY, INVOCATION, DROPPED
    }

    /** One moment of a history. */
    public static final class Link {
        public final Kind kind;
        /** Of the code that did it. */
        public final String className, method, file;
        /** 0 if the class file doesn't tell. */
        public final int line;
        /** Of the execution, as the command goto takes it. */
        public final long timestamp;
        /** A number or null as Java writes it; of a reference, the class of the object; "?" if it is not known any more. */
        public final String value;

        Link(String[] words) {
            kind = Kind.values()[Integer.parseInt(words[0])];
            timestamp = Long.parseLong(words[1]);
            className = words[2];
            method = words[3];
            file = words[4];
            line = Integer.parseInt(words[5]);
            value = words[6];
        }

        /** Whether it happened in that method: "Person.rename", "com.example.Person.rename" or "rename". */
        public boolean isIn(String where) {
            String full = className + "." + method;
            return full.equals(where) || full.endsWith("." + where) || full.endsWith("$" + where);
        }

        @Override
        public String toString() {
            String word = kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
            return timestamp + "\t" + word + "\t" + value + "\t" + className + "." + method + (line > 0 ? "(" + file + ":" + line + ")" : "");
        }
    }

    /** Nothing is known, and why. */
    public static final class NoHistory extends IllegalStateException {
        private static final long serialVersionUID = 1;

        NoHistory(String message) {
            super(message);
        }
    }

    /** How much is kept just now. */
    public static final class Extent {
        /** Aliases: those ever made since flow was switched on, and those that are there. */
        public final long made, alive;
        public final long nbytes;
        /** How often aliases were collected. */
        public final long collections;
        /** Nothing had to be forgotten for lack of room. */
        public final boolean isWhole;

        Extent(long[] told) {
            made = told[MADE_SO_FAR];
            alive = told[ALIVE];
            nbytes = told[NBYTES];
            collections = told[COLLECTIONS];
            isWhole = told[DROPPED] == 0;
        }
    }

    private static final int OFF = 0;
    private static final int MODE = 0, MADE_SO_FAR = 1, ALIVE = 2, NBYTES = 3, COLLECTIONS = 4, DROPPED = 5, N_NUMBERS = 6;
    private static final int LAST_WRITE = 0, ORIGIN = 1, VALUES = 2, MADE = 3, ARGUMENT = 4;

    private Mirror() {
    }

    /* The machine's own: fills in the numbers above. */
    private static native void measure(long[] numbers);

    /* A line for each link: kind, timestamp, class, method, file, line, value. Null: it is not known. */
    private static native byte[] ask(int what, Object holder, String field, int index, Object value);

    private static long[] measured() {
        long[] numbers = new long[N_NUMBERS];
        measure(numbers);
        return numbers;
    }

    /** How much history there is. */
    public static Extent extent() {
        String reason = whyNot();
        if (reason != null)
            throw new NoHistory(reason);
        return new Extent(measured());
    }

    /** Whether questions are answered here and now. */
    public static boolean hasHistory() {
        return whyNot() == null;
    }

    /** Why questions are not answered, and what would help; null if they are. */
    public static String whyNot() {
        try {
            return measured()[MODE] == OFF ? "no history: object flow is off; switch it on (ebb run --flow on, or set flow on) before what is asked about happens" : null;
        } catch (UnsatisfiedLinkError e) {
            return "no history: this JVM keeps none; run the program on ebb's (ebb run --flow on java ...)";
        }
    }

    private static List<Link> links(int what, Object holder, String field, int index, Object value) {
        String reason = whyNot();
        if (reason != null)
            throw new NoHistory(reason);
        byte[] told = ask(what, holder, field, index, value);
        if (told == null)
            throw new NoHistory("no history of " + (field != null ? "the field " + field : index >= 0 ? "element " + index : "this")
                                + ": it is older than the switching on of object flow, or a switch left it out");
        List<Link> links = new ArrayList<>();
        for (String line : new String(told, java.nio.charset.StandardCharsets.UTF_8).split("\n"))
            if (!line.isEmpty())
                links.add(new Link(line.split("\t", -1)));
        return Collections.unmodifiableList(links);
    }

    /** Who wrote the field of the object last; INIT if nobody did since it was made. */
    public static Link lastWrite(Object object, String field) {
        return links(LAST_WRITE, object, field, -1, null).get(0);
    }

    /** The same of a static. */
    public static Link lastWrite(Class<?> cls, String field) {
        return links(LAST_WRITE, cls, field, -1, null).get(0);
    }

    /** The same of an element. */
    public static Link lastWrite(Object array, int index) {
        return links(LAST_WRITE, array, null, index, null).get(0);
    }

    /** How the value of the field came there, newest first, to where it was made, computed or said. */
    public static List<Link> origin(Object object, String field) {
        return links(ORIGIN, object, field, -1, null);
    }

    public static List<Link> origin(Class<?> cls, String field) {
        return links(ORIGIN, cls, field, -1, null);
    }

    public static List<Link> origin(Object array, int index) {
        return links(ORIGIN, array, null, index, null);
    }

    /** How this reference, or null, came to the one who asks. */
    public static List<Link> origin(Object reference) {
        return links(ARGUMENT, null, null, -1, reference);
    }

    /** The writes of the field, newest first, as far back as they are known. */
    public static List<Link> values(Object object, String field) {
        return links(VALUES, object, field, -1, null);
    }

    public static List<Link> values(Class<?> cls, String field) {
        return links(VALUES, cls, field, -1, null);
    }

    public static List<Link> values(Object array, int index) {
        return links(VALUES, array, null, index, null);
    }

    /** Where the object was made. */
    public static Link made(Object object) {
        return links(MADE, object, null, -1, null).get(0);
    }

    /* ---- for tests ---- */

    /** Fails unless the last write of the field was in that method. */
    public static void assertWrittenBy(Object object, String field, String method) {
        Link last = object instanceof Class ? lastWrite((Class<?>) object, field) : lastWrite(object, field);
        if (!last.isIn(method))
            throw new AssertionError("the field " + field + " was not written by " + method + " but: " + last);
    }

    /** Fails unless the value of the field passed through that method, or was made there. */
    public static void assertComesFrom(Object object, String field, String method) {
        List<Link> links = object instanceof Class ? origin((Class<?>) object, field) : origin(object, field);
        StringBuilder all = new StringBuilder();
        for (Link link : links) {
            if (link.isIn(method))
                return;
            all.append("\n\t").append(link);
        }
        throw new AssertionError("what is in " + field + " did not come through " + method + ":" + all);
    }
}
