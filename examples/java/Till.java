import java.util.ArrayList;
import java.util.List;

/**
 * Three cashiers and one till.
 *
 * It has a bug: now and then a payment is lost.  Which one, and who overwrote whom?  Look at the values that `total` had.
 */
public class Till {
    private int total;
    private int payments;

    int fee(int amount) {
        int fee = 0;
        for (int left = amount; left > 0; left -= 7)
            fee += left % 3;
        return fee % 5;
    }

    void pay(int amount) {
        int before = total;
        int after = before + amount + fee(amount);
        total = after;
        synchronized (this) {
            payments++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Till till = new Till();
        List<Thread> cashiers = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
            int number = n;
            Thread cashier = new Thread(() -> {
                for (int i = 0; i < 2000; i++)
                    till.pay(100 + number);
            }, "cashier " + n);
            cashiers.add(cashier);
            cashier.start();
        }
        for (Thread cashier : cashiers)
            cashier.join();
        int expected = 0;
        for (int n = 0; n < 3; n++)
            expected += 2000 * (100 + n + till.fee(100 + n));
        System.out.println(till.payments + " payments, " + till.total + " in the till, " + (expected - till.total)
            + " missing");
    }
}
