package programs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/** Shortest paths, components, topological order and a spanning tree on one graph. */
public class Graphs {
    record Edge(int from, int to, int cost) { }

    public static void main(String[] args) {
        int n = 200;
        Random r = new Random(11);
        List<List<Edge>> g = new ArrayList<>();
        List<Edge> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            g.add(new ArrayList<>());
        }
        for (int i = 0; i < 800; i++) {
            Edge e = new Edge(r.nextInt(n), r.nextInt(n), 1 + r.nextInt(50));
            g.get(e.from()).add(e);
            all.add(e);
        }
        long[] dist = new long[n];
        Arrays.fill(dist, Long.MAX_VALUE);
        PriorityQueue<long[]> q = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        dist[0] = 0;
        q.add(new long[] {0, 0});
        while (!q.isEmpty()) {
            long[] top = q.poll();
            if (top[0] > dist[(int) top[1]]) {
                continue;
            }
            for (Edge e : g.get((int) top[1])) {
                long d = top[0] + e.cost();
                if (d < dist[e.to()]) {
                    dist[e.to()] = d;
                    q.add(new long[] {d, e.to()});
                }
            }
        }
        System.out.println(Arrays.hashCode(dist) + " " + dist[n - 1]);
        int[] parent = new int[n];
        Arrays.setAll(parent, i -> i);
        all.sort(java.util.Comparator.comparingInt(Edge::cost).thenComparingInt(Edge::from).thenComparingInt(Edge::to));
        int weight = 0;
        for (Edge e : all) {
            int a = e.from();
            int b = e.to();
            while (parent[a] != a) {
                a = parent[a] = parent[parent[a]];
            }
            while (parent[b] != b) {
                b = parent[b];
            }
            if (a != b) {
                parent[a] = b;
                weight += e.cost();
            }
        }
        System.out.println(weight);
        int[] in = new int[n];
        for (Edge e : all) {
            if (e.from() < e.to()) {
                in[e.to()]++;
            }
        }
        ArrayDeque<Integer> ready = new ArrayDeque<>();
        for (int i = 0; i < n; i++) {
            if (in[i] == 0) {
                ready.add(i);
            }
        }
        int hash = 0;
        int count = 0;
        while (!ready.isEmpty()) {
            int v = ready.poll();
            hash = hash * 31 + v;
            count++;
            for (Edge e : g.get(v)) {
                if (e.from() < e.to() && --in[e.to()] == 0) {
                    ready.add(e.to());
                }
            }
        }
        System.out.println(count + " " + hash);
    }
}
