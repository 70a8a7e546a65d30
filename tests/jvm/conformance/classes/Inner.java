package classes;

/** Inner, local and anonymous classes: captured variables, outer fields, shadowing. */
public class Inner {
    private int x = 1;

    class In {
        int x = 2;

        class Deep {
            int x = 3;

            String all(int x) {
                return x + " " + this.x + " " + In.this.x + " " + Inner.this.x++;
            }
        }
    }

    static class Nested {
        private static int hidden = 9;
    }

    interface Shape {
        double area();
    }

    static Shape circle(final double r) {
        class Circle implements Shape {
            @Override
            public double area() {
                return r * r * 3;
            }
        }
        return new Circle();
    }

    public static void main(String[] args) {
        Inner o = new Inner();
        Inner.In.Deep d = o.new In().new Deep();
        System.out.println(d.all(4) + " " + o.x);
        System.out.println(Nested.hidden + " " + circle(2).area());
        int captured = 5;
        Shape s = new Shape() {
            final int own = captured * 2;

            @Override
            public double area() {
                return own + captured + o.x;
            }
        };
        System.out.println(s.area() + " " + s.getClass().getName() + " " + s.getClass().isAnonymousClass() + " " + s.getClass().getEnclosingMethod());
        System.out.println(circle(1).getClass().getName() + " " + circle(1).getClass().isLocalClass() + " [" + s.getClass().getSimpleName() + "]");
        System.out.println(java.util.Arrays.stream(Inner.class.getDeclaredClasses()).map(Class::getSimpleName).sorted().toList());
        System.out.println(In.Deep.class.getDeclaringClass() + " " + Inner.In.Deep.class.getNestHost());
    }
}
