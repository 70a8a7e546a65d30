package kernels;

/** Allocation: short-lived binary trees beside one that stays. */
final class Trees extends Kernel {
    private static final class Node {
        final Node left;
        final Node right;

        Node(int depth) {
            left = depth == 0 ? null : new Node(depth - 1);
            right = depth == 0 ? null : new Node(depth - 1);
        }

        int count() {
            return left == null ? 1 : 1 + left.count() + right.count();
        }
    }

    @Override
    long work() {
        Node keep = new Node(14);
        long sum = 0;
        for (int i = 0; i < 150; i++) {
            sum += new Node(11).count();
        }
        return sum + keep.count();
    }
}
