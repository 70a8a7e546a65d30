package kernels;

/** A small operating system of tasks that pass packets: polymorphic calls and linked objects. */
final class Scheduler extends Kernel {
    private static final class Packet {
        Packet next;
        final int kind;
        int to;
        int value;

        Packet(int kind, int to) {
            this.kind = kind;
            this.to = to;
        }
    }

    private abstract class Task {
        final int id;
        Packet inbox;
        boolean waiting;
        int handled;

        Task(int id) {
            this.id = id;
        }

        void receive(Packet p) {
            p.next = null;
            if (inbox == null) {
                inbox = p;
            } else {
                Packet last = inbox;
                while (last.next != null) {
                    last = last.next;
                }
                last.next = p;
            }
            waiting = false;
        }

        Packet take() {
            Packet p = inbox;
            if (p != null) {
                inbox = p.next;
                p.next = null;
                handled++;
            }
            return p;
        }

        abstract void run();
    }

    /** Counts down and wakes the devices in turn. */
    private final class Idle extends Task {
        int left = 150_000;
        int seed = 1;

        Idle(int id) {
            super(id);
        }

        @Override
        void run() {
            if (left-- == 0) {
                stopped = true;
                return;
            }
            seed = seed * 1103515245 + 12345;
            tasks[(seed >>> 16 & 1) == 0 ? 4 : 5].waiting = false;
        }
    }

    /** Sends work to the handlers and takes the answers. */
    private final class Worker extends Task {
        int turn;

        Worker(int id) {
            super(id);
        }

        @Override
        void run() {
            Packet p = take();
            if (p == null) {
                waiting = true;
                return;
            }
            turn ^= 1;
            p.value += id + turn;
            p.to = 2 + turn;
            tasks[p.to].receive(p);
        }
    }

    /** Passes a packet on to its device. */
    private final class Handler extends Task {
        final int device;

        Handler(int id, int device) {
            super(id);
            this.device = device;
        }

        @Override
        void run() {
            Packet p = take();
            if (p == null) {
                waiting = true;
                return;
            }
            p.value = p.value * 31 + p.kind;
            tasks[device].receive(p);
        }
    }

    /** Holds each packet for one round, then gives it back to the worker. */
    private final class Device extends Task {
        Packet held;

        Device(int id) {
            super(id);
        }

        @Override
        void run() {
            if (held != null) {
                Packet p = held;
                held = null;
                tasks[1].receive(p);
            }
            held = take();
            if (held == null) {
                waiting = true;
            }
        }
    }

    private Task[] tasks;
    private boolean stopped;

    @Override
    long work() {
        stopped = false;
        tasks = new Task[] {new Idle(0), new Worker(1), new Handler(2, 4), new Handler(3, 5), new Device(4), new Device(5)};
        Packet[] all = new Packet[6];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Packet(i, 1);
            tasks[1].receive(all[i]);
        }
        while (!stopped) {
            for (Task t : tasks) {
                if (!t.waiting) {
                    t.run();
                }
            }
        }
        long sum = 0;
        for (Task t : tasks) {
            sum = sum * 7 + t.handled;
        }
        for (Packet p : all) {
            sum += p.value;
        }
        return sum;
    }
}
