package reflection;

import java.util.ServiceLoader;

/** ServiceLoader over providers in the modules of the JDK. */
public class ServiceLoading {
    public static void main(String[] args) {
        System.out.println(ServiceLoader.load(java.util.spi.ToolProvider.class).stream().map(p -> p.get().name()).sorted().toList());
        System.out.println(ServiceLoader.load(java.nio.file.spi.FileSystemProvider.class).stream().map(p -> p.get().getScheme()).sorted().toList());
        System.out.println(java.util.spi.ToolProvider.findFirst("jar").isPresent());
        System.out.println(ServiceLoader.load(Runnable.class).findFirst());
        System.out.println(ModuleLayer.boot().modules().stream().map(Module::getName).filter(n -> n.startsWith("java.")).sorted().toList());
        System.out.println(Object.class.getModule().getDescriptor().exports().size() > 50);
    }
}
