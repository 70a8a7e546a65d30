package classes;

/** Private members between nested classes, also by reflection and through lambdas. */
public class Nestmates {
    private int secret = 1;

    private static int count(int n) {
        return n + 1;
    }

    static class Sibling {
        private int mine = 5;

        private Sibling() { }

        private int sum(Nestmates n) {
            return n.secret + mine + count(1);
        }
    }

    static class Child extends Sibling {
        int get() {
            return super.mine + ((Sibling) this).mine;
        }
    }

    public static void main(String[] args) throws Exception {
        Nestmates n = new Nestmates();
        n.secret += 10;
        System.out.println(new Sibling().sum(n) + " " + new Child().get());
        System.out.println(Sibling.class.getNestHost() + " " + Sibling.class.isNestmateOf(Child.class) + " " + Nestmates.class.isNestmateOf(String.class));
        System.out.println(java.util.Arrays.stream(Nestmates.class.getNestMembers()).map(Class::getName).sorted().toList());
        var m = Sibling.class.getDeclaredMethod("sum", Nestmates.class);
        System.out.println(m.invoke(new Sibling(), n));
        System.out.println(int.class.getNestHost() + " " + int[].class.getNestHost());
    }
}
