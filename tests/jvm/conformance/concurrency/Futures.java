package concurrency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** CompletableFuture chains: order, exceptions, combination, timeouts. */
public class Futures {
    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> 20);
        CompletableFuture<Integer> b = CompletableFuture.supplyAsync(() -> 22);
        System.out.println(a.thenCombine(b, Integer::sum).thenApply(x -> "sum " + x).get());
        System.out.println(a.thenCompose(x -> CompletableFuture.supplyAsync(() -> x * 2)).join());
        CompletableFuture<Object> bad = CompletableFuture.supplyAsync(() -> {
            throw new IllegalStateException("async");
        });
        System.out.println(bad.handle((v, e) -> e.getClass().getSimpleName() + " " + e.getCause().getMessage()).join());
        System.out.println(bad.exceptionally(e -> "saved").join());
        try {
            bad.join();
        } catch (CompletionException e) {
            System.out.println(e.getCause());
        }
        try {
            bad.get();
        } catch (ExecutionException e) {
            System.out.println(e.getCause());
        }
        CompletableFuture<String> manual = new CompletableFuture<>();
        CompletableFuture<Void> after = manual.thenAccept(s -> System.out.println("got " + s));
        System.out.println(manual.complete("one") + " " + manual.complete("two") + " " + after.isDone());
        CompletableFuture.allOf(a, b).join();
        System.out.println(CompletableFuture.anyOf(CompletableFuture.completedFuture("any"), new CompletableFuture<>()).join());
        System.out.println(new CompletableFuture<String>().completeOnTimeout("late", 10, TimeUnit.MILLISECONDS).join());
        try {
            new CompletableFuture<String>().orTimeout(10, TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            System.out.println(e.getCause().getClass().getSimpleName());
        }
        FutureTask<Integer> ft = new FutureTask<>(() -> 9);
        new Thread(ft).start();
        System.out.println(ft.get());
        System.out.println(manual.whenComplete((v, e) -> System.out.println(v + " " + e)).isCompletedExceptionally() + " " + new CompletableFuture<>().cancel(true));
    }
}
