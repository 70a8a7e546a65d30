public class Fields {
    static int count = 1;
    int value = 10;
    String name = "none";
    long wide;
    double real;

    void change(int by) {
        value += by;
        count++;
        name = "by " + by;
        wide = value * 1000000000L;
        real = by / 4.0;
    }

    int look() { return value + count; }

    public static void main(String[] args) {
        Fields one = new Fields(), two = new Fields();
        one.change(5);
        two.change(7);
        System.out.println(one.look() + two.look());
        System.out.println(one.name + two.name);
    }
}
