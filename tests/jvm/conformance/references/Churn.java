package references;

// options: -Xmx40m
/** Far more garbage than heap, with long-lived data between it: nothing alive is lost. */
public class Churn {
    static class Node {
        Node left;
        Node right;
        int v;
        byte[] pad;

        Node(int depth, int v) {
            this.v = v;
            pad = new byte[depth * 3];
            if (depth > 0) {
                left = new Node(depth - 1, 2 * v);
                right = new Node(depth - 1, 2 * v + 1);
            }
        }

        long sum() {
            return v + pad.length + (left == null ? 0 : left.sum() + right.sum());
        }
    }

    public static void main(String[] args) {
        Node keep = new Node(13, 1);
        long want = keep.sum();
        long other = 0;
        for (int i = 0; i < 30; i++) {
            other += new Node(11, i).sum();
            byte[] big = new byte[3 << 20];
            big[i] = 1;
            other += big.length;
        }
        System.out.println((keep.sum() == want) + " " + other);
        Object[] chain = new Object[1];
        for (int i = 0; i < 100000; i++) {
            chain = new Object[] {chain};
        }
        int n = 0;
        while (chain[0] != null) {
            chain = (Object[]) chain[0];
            n++;
        }
        System.out.println(n);
    }
}
