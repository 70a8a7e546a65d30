import java.util.concurrent.locks.*;

/** Readers come one after the other, so the writer never finds the lock free and gives up. */
public class WriterStarves {
    static final ReadWriteLock lock = new ReentrantReadWriteLock();
    static volatile boolean written;

    static void read() {
        for (int i = 0; i < 3; i++) {
            lock.readLock().lock();
            lock.readLock().unlock();
        }
    }

    static void write() {
        for (int tries = 0; tries < 3 && !written; tries++)
            if (lock.writeLock().tryLock()) {
                written = true;
                lock.writeLock().unlock();
            }
        if (!written)
            throw new IllegalStateException("starved");
    }

    public static void main(String[] args) {
        new Thread(WriterStarves::read).start();
        new Thread(WriterStarves::read).start();
        new Thread(WriterStarves::write).start();
    }
}
