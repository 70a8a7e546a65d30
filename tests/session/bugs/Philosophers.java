import java.util.concurrent.locks.*;

/** Three philosophers take the left fork, then the right one. */
public class Philosophers {
    static final int N = 3;
    static final Lock[] forks = new Lock[N];
    static int meals;

    static void dine(int i) {
        forks[i].lock();
        forks[(i + 1) % N].lock();
        meals++;
        forks[(i + 1) % N].unlock();
        forks[i].unlock();
    }

    public static void main(String[] args) {
        for (int i = 0; i < N; i++)
            forks[i] = new ReentrantLock();
        for (int i = 0; i < N; i++) {
            int me = i;
            new Thread(() -> dine(me)).start();
        }
    }
}
