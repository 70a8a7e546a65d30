package serialization;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.io.Serializable;

/** writeObject, readResolve, writeReplace, Externalizable, serialPersistentFields, computed version ids, filters. */
public class Custom {
    static class Hooks implements Serializable {
        transient String t = "t";
        int n = 1;

        private void writeObject(ObjectOutputStream o) throws IOException {
            o.defaultWriteObject();
            o.writeUTF(t + "!");
        }

        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException {
            i.defaultReadObject();
            t = i.readUTF();
        }
    }

    static class Single implements Serializable {
        static final Single ONE = new Single();

        private Object readResolve() {
            return ONE;
        }
    }

    static class Replaced implements Serializable {
        private Object writeReplace() {
            return "replacement";
        }
    }

    public static class Ext implements Externalizable {
        int v = 3;

        public Ext() {
            System.out.println("public constructor");
        }

        @Override
        public void writeExternal(ObjectOutput o) throws IOException {
            o.writeInt(v * 2);
        }

        @Override
        public void readExternal(ObjectInput i) throws IOException {
            v = i.readInt();
        }
    }

    static class Fields implements Serializable {
        private static final ObjectStreamField[] serialPersistentFields = {new ObjectStreamField("virtual", int.class)};
        transient int real = 4;

        private void writeObject(ObjectOutputStream o) throws IOException {
            o.putFields().put("virtual", real * 10);
            o.writeFields();
        }

        private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException {
            real = i.readFields().get("virtual", -1);
        }
    }

    static Object copy(Object o) throws Exception {
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(b)) {
            out.writeObject(o);
        }
        return new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())).readObject();
    }

    public static void main(String[] args) throws Exception {
        Hooks h = (Hooks) copy(new Hooks());
        System.out.println(h.t + h.n + " " + (copy(new Single()) == Single.ONE) + " " + copy(new Replaced()));
        System.out.println(((Ext) copy(new Ext())).v + " " + ((Fields) copy(new Fields())).real);
        for (Class<?> c : new Class<?>[] {Hooks.class, Single.class, Fields.class, String.class, int[].class, java.util.ArrayList.class, Thread.State.class}) {
            System.out.println(ObjectStreamClass.lookup(c));
        }
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        new ObjectOutputStream(b).writeObject(new Hooks());
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()));
        in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("!serialization.*"));
        try {
            in.readObject();
        } catch (java.io.InvalidClassException e) {
            System.out.println(e.getMessage());
        }
    }
}
