import java.util.concurrent.*;

/** Answers are taken as they are there, and are thought to come in the order in which they were asked for.  The tasks share nothing: only who begins first decides. */
public class TaskOrder {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletionService<Integer> answers = new ExecutorCompletionService<>(pool);
        for (int i = 0; i < 2; i++) {
            int n = i;
            answers.submit(() -> n * n);
        }
        int first = answers.take().get(), second = answers.take().get();
        pool.shutdown();
        if (first > second)
            throw new AssertionError(first + " before " + second);
    }
}
