import java.util.concurrent.*;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Threads of the class library enter the program by methods of any name: those of subscribers, and of objects that are no lambdas. */
public class Flows {
    static final StringBuffer order = new StringBuffer();
    static final CountDownLatch left = new CountDownLatch(2);
    static int sum;

    static final class Reader implements Flow.Subscriber<Integer> {
        final int factor;
        Flow.Subscription to;

        Reader(int factor) {
            this.factor = factor;
        }

        @Override public void onSubscribe(Flow.Subscription to) {
            this.to = to;
            to.request(1);
        }

        @Override public void onNext(Integer x) {
            order.append(x * factor).append(' ');
            sum += x * factor;
            to.request(1);
        }

        @Override public void onError(Throwable t) {
            order.append(t);
        }

        @Override public void onComplete() {
            order.append("end ");
            left.countDown();
        }
    }

    static final class Square implements IntUnaryOperator {
        @Override public int applyAsInt(int x) {
            order.append(x).append(' ');
            return sum += x * x;
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>(pool, 4)) {
            publisher.subscribe(new Reader(1));
            publisher.subscribe(new Reader(10));
            for (int i = 1; i <= 3; i++)
                publisher.submit(i);
        }
        left.await();
        pool.shutdown();
        order.append(IntStream.range(0, 6).parallel().map(new Square()).max().getAsInt());
        System.out.println(order + " " + sum);
    }
}
