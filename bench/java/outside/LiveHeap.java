package outside;

/** Half a gigabyte that stays alive and keeps being written to, here and there: what snapshots and recording cost with a large heap. */
public class LiveHeap {
    static class Cell {
        int value;
        Cell next;
        byte[] load = new byte[400];
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]) * 2000;
        Cell[] all = new Cell[n];
        for (int i = 0; i < n; i++) {
            all[i] = new Cell();
            all[i].next = all[i / 2];
        }
        long sum = 0;
        for (int round = 0, at = 1; round < Integer.parseInt(args[1]) * 1_000_000; round++) {
            at = (at * 1103515245 + 12345) & Integer.MAX_VALUE;
            Cell c = all[at % n];
            c.value += round;
            c.load[round & 255]++;
            sum += c.next.value;
        }
        System.out.println(sum);
    }
}
