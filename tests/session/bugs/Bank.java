/** 25 accounts; each is locked by itself, so an audit sees money that is under way. */
public class Bank {
    static final int ACCOUNTS = 25, EACH = 100;
    static final int[] balance = new int[ACCOUNTS];
    static final Object[] locks = new Object[ACCOUNTS];

    static void change(int account, int by) {
        synchronized (locks[account]) {
            balance[account] += by;
        }
    }

    static void transfer() {
        for (int i = 0; i < 4; i++) {
            change(i, -10);
            change(ACCOUNTS - 1 - i, 10);
        }
    }

    static int audit() {
        int sum = 0;
        for (int i = 0; i < ACCOUNTS; i++)
            synchronized (locks[i]) {
                sum += balance[i];
            }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < ACCOUNTS; i++) {
            locks[i] = new Object();
            balance[i] = EACH;
        }
        Thread clerk = new Thread(Bank::transfer);
        clerk.start();
        int sum = audit();
        clerk.join();
        if (sum != ACCOUNTS * EACH)
            throw new AssertionError(sum);
    }
}
