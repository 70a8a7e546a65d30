package system;

/** Object.clone of objects and arrays. */
public class Cloning implements Cloneable {
    int x = 1;
    int[] shared = {1};

    @Override
    public Cloning clone() throws CloneNotSupportedException {
        return (Cloning) super.clone();
    }

    static class Sub extends Cloning {
        String s = "sub";

        Sub() {
            System.out.println("constructor");
        }
    }

    static class Not {
        Object copy() throws CloneNotSupportedException {
            return clone();
        }
    }

    public static void main(String[] args) throws Exception {
        Sub a = new Sub();
        a.x = 5;
        Sub b = (Sub) a.clone();
        b.x = 6;
        b.shared[0] = 9;
        System.out.println(a.x + " " + b.x + " " + a.shared[0] + " " + b.s + " " + (a.getClass() == b.getClass()));
        try {
            new Not().copy();
        } catch (CloneNotSupportedException e) {
            System.out.println(e.getMessage());
        }
        int[] i = {1, 2};
        int[] j = i.clone();
        j[0] = 7;
        System.out.println(i[0] + " " + j[0] + " " + new Object[0].clone().length);
    }
}
