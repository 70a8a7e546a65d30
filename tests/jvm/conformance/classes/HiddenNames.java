package classes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;

/** What reflection says of a hidden class made from the file of a member class. */
public class HiddenNames {
    public static class Member { }

    static void show(String what, Callable<?> c) {
        String said;
        try {
            said = String.valueOf(c.call());
        } catch (Throwable e) {
            said = e.toString();
        }
        System.out.println(what + ": " + said.replaceAll("0x[0-9a-f]+", "SUFFIX"));
    }

    public static void main(String[] args) throws Exception {
        byte[] file = HiddenNames.class.getResourceAsStream("HiddenNames$Member.class").readAllBytes();
        Class<?> c = MethodHandles.lookup().defineHiddenClass(file, true, MethodHandles.Lookup.ClassOption.NESTMATE).lookupClass();
        show("simple", c::getSimpleName);
        show("declaring", c::getDeclaringClass);
        show("enclosing", c::getEnclosingClass);
        show("member", c::isMemberClass);
        show("canonical", c::getCanonicalName);
        show("modifiers", c::getModifiers);
        show("declared", () -> HiddenNames.class.getDeclaredClasses().length);
        show("nest host", c::getNestHost);
        show("type", c::getTypeName);
        show("text", c::toString);
        show("descriptor", c::descriptorString);
        show("array", () -> c.arrayType().getName());
        show("by name", () -> Class.forName(c.getName()));
        show("method type", () -> MethodType.methodType(c).toMethodDescriptorString());
        show("generic", c::toGenericString);
        show("instance", () -> c.getDeclaredConstructor().newInstance().getClass() == c);
    }
}
