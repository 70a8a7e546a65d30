import java.util.ArrayList;
import java.util.List;

/**
 * Traders watch a price and buy or leave.
 *
 * It has a bug: announcing a price ends in a ConcurrentModificationException.  The exception tells where the iteration
 * noticed; who changed the list meanwhile?
 */
public class Market {
    interface Watcher {
        void price(Market market, int price);
    }

    final List<Watcher> watchers = new ArrayList<>();

    void announce(int price) {
        for (Watcher watcher : watchers)
            watcher.price(this, price);
    }

    static class Trader implements Watcher {
        final String name;
        final int ceiling;
        int money, shares;

        Trader(String name, int money, int ceiling) {
            this.name = name;
            this.money = money;
            this.ceiling = ceiling;
        }

        @Override
        public void price(Market market, int price) {
            if (price > ceiling) {
                leave(market);
                return;
            }
            int n = money / price / 2;
            shares += n;
            money -= n * price;
        }

        void leave(Market market) {
            System.out.println(name + " leaves with " + shares + " shares");
            market.watchers.remove(this);
        }
    }

    public static void main(String[] args) {
        Market market = new Market();
        market.watchers.add(new Trader("Ann", 1000, 40));
        market.watchers.add(new Trader("Ben", 500, 25));
        market.watchers.add(new Trader("Cat", 2000, 90));
        market.watchers.add(new Trader("Dan", 100, 90));
        for (int price = 10; price < 60; price += 3)
            market.announce(price);
        System.out.println(market.watchers.size() + " left");
    }
}
