package classes;

/** Sealed hierarchies seen by reflection, and pattern matching for instanceof. */
public class SealedTypes {
    sealed interface Shape permits Circle, Square, Rest { }

    record Circle(double r) implements Shape { }

    record Square(double side) implements Shape { }

    static non-sealed class Rest implements Shape { }

    static class More extends Rest { }

    static String describe(Object o) {
        if (o instanceof Circle c && c.r() > 1) {
            return "big circle " + c.r();
        }
        if (!(o instanceof Shape s)) {
            return "no shape";
        }
        return s instanceof Square q ? "square " + q.side() : "shape";
    }

    public static void main(String[] args) {
        System.out.println(describe(new Circle(2)) + ", " + describe(new Circle(1)) + ", " + describe(new Square(3)) + ", " + describe("x") + ", " + describe(null) + ", " + describe(new More()));
        System.out.println(Shape.class.isSealed() + " " + Rest.class.isSealed());
        for (Class<?> c : Shape.class.getPermittedSubclasses()) {
            System.out.println(c);
        }
    }
}
