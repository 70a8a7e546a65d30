package system;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** Management beans: the platform's own, and one of ours with attributes, operations and notifications. */
public class Beans {
    public interface CounterMBean {
        int getCount();

        void setCount(int n);

        int add(int n);
    }

    public static class Counter extends NotificationBroadcasterSupport implements CounterMBean {
        private int count;

        @Override
        public int getCount() {
            return count;
        }

        @Override
        public void setCount(int n) {
            sendNotification(new Notification("changed", this, n, count + " to " + n));
            count = n;
        }

        @Override
        public int add(int n) {
            return count += n;
        }
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("suite:type=Counter");
        server.registerMBean(new Counter(), name);
        List<String> heard = new ArrayList<>();
        server.addNotificationListener(name, (n, back) -> heard.add(n.getType() + " " + n.getMessage()), null, null);
        server.setAttribute(name, new Attribute("Count", 5));
        System.out.println(server.invoke(name, "add", new Object[] {3}, new String[] {"int"}) + " " + server.getAttribute(name, "Count") + " " + heard);
        server.unregisterMBean(name);
        try {
            server.getAttribute(name, "Count");
        } catch (InstanceNotFoundException e) {
            System.out.println(e.getMessage());
        }
        CompositeData heap = (CompositeData) server.getAttribute(new ObjectName("java.lang:type=Memory"), "HeapMemoryUsage");
        System.out.println((Long) heap.get("max") > 0);
        System.out.println(server.getAttribute(new ObjectName("java.lang:type=Runtime"), "SpecVersion") + " "
                + server.isRegistered(new ObjectName("java.lang:type=Threading")) + " " + server.isRegistered(new ObjectName("java.util.logging:type=Logging")));
        var classes = ManagementFactory.getClassLoadingMXBean();
        System.out.println(classes.getTotalLoadedClassCount() == classes.getLoadedClassCount() + classes.getUnloadedClassCount());
    }
}
