import java.lang.management.ManagementFactory;
import java.util.*;
import javax.management.*;

/** The bean DiagnosticCommand: the same operations, of the same signatures, for what both machines have. */
public class DiagnosticCommands {
    static final String[] NAMES = { "gcClassHistogram", "gcHeapInfo", "gcRun", "help", "threadPrint", "vmCommandLine", "vmFlags", "vmSystemProperties",
        "vmUptime", "vmVersion" };

    static Object ask(MBeanServer server, ObjectName bean, String name, String... words) throws Exception {
        boolean takes = !name.equals("gcRun") && !name.equals("gcHeapInfo") && !name.equals("vmCommandLine") && !name.equals("vmSystemProperties") && !name.equals("vmVersion");
        return takes ? server.invoke(bean, name, new Object[] { words }, new String[] { String[].class.getName() })
                     : server.invoke(bean, name, new Object[0], new String[0]);
    }

    public static void main(String[] args) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("com.sun.management:type=DiagnosticCommand");
        System.out.println(server.isRegistered(bean));
        Map<String, MBeanOperationInfo> all = new TreeMap<>();
        for (MBeanOperationInfo o : server.getMBeanInfo(bean).getOperations())
            all.put(o.getName(), o);
        for (String name : NAMES) {
            MBeanOperationInfo o = all.get(name);
            System.out.println(name + " " + o.getReturnType() + " " + o.getDescription());
            for (MBeanParameterInfo p : o.getSignature())
                System.out.println("  " + p.getType());
            Descriptor d = o.getDescriptor();
            System.out.println("  " + d.getFieldValue("dcmd.name") + "|" + d.getFieldValue("dcmd.vmImpact") + "|" + d.getFieldValue("dcmd.enabled") + "|"
                + d.getFieldValue("dcmd.permissionClass") + "|" + d.getFieldValue("dcmd.permissionName") + "|" + d.getFieldValue("dcmd.permissionAction"));
            if (d.getFieldValue("dcmd.arguments") instanceof Descriptor options)
                for (String option : new TreeSet<>(Arrays.asList(options.getFieldNames())))
                    if (options.getFieldValue(option) instanceof Descriptor one && !option.equals("filepath") && !option.startsWith("-parallel"))
                        System.out.println("    " + option + " " + one.getFieldValue("dcmd.arg.type") + " " + one.getFieldValue("dcmd.arg.isOption") + " "
                                + one.getFieldValue("dcmd.arg.isMandatory"));
        }
        String histogram = (String)ask(server, bean, "gcClassHistogram", "-all");
        System.out.println(histogram.contains("java.lang.String") + " " + histogram.contains("#instances"));
        System.out.println(((String)ask(server, bean, "threadPrint")).contains("DiagnosticCommands.main"));
        System.out.println(((String)ask(server, bean, "threadPrint", "-l")).contains("Locked ownable synchronizers"));
        System.out.println(((String)ask(server, bean, "vmSystemProperties")).contains("java.version=17"));
        System.out.println(((String)ask(server, bean, "vmUptime")).matches("\\d+[.]\\d+ s\n"));
        for (String name : NAMES)
            System.out.println(ask(server, bean, "help", (String)all.get(name).getDescriptor().getFieldValue("dcmd.name")));
        System.out.println(((String)ask(server, bean, "vmUptime", "-date=false")).matches("\\d+[.]\\d+ s\n"));
        for (String[] wrong : new String[][] { { "threadPrint", "-no" }, { "threadPrint", "-l=maybe" }, { "vmUptime", "word" }, { "help", "a", "b" }, { "help", "-a" },
                { "vmFlags", "-all=3" } })
            try {
                System.out.println(ask(server, bean, wrong[0], Arrays.copyOfRange(wrong, 1, wrong.length)));
            } catch (RuntimeMBeanException e) {
                System.out.println(e.getMessage());
            }
        System.out.println(((String)ask(server, bean, "vmCommandLine")).contains("java_command: DiagnosticCommands"));
        try {
            System.out.println(ask(server, bean, "noSuch"));
        } catch (ReflectionException e) {
            System.out.println(e.getCause().getClass());
        }
    }
}
