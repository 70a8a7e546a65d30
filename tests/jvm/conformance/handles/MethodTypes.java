package handles;

import java.lang.invoke.MethodType;

/** MethodType as a value. */
public class MethodTypes {
    public static void main(String[] args) {
        MethodType t = MethodType.methodType(int.class, String.class, long[].class);
        System.out.println(t + " " + t.toMethodDescriptorString() + " " + (t == MethodType.fromMethodDescriptorString("(Ljava/lang/String;[J)I", null)));
        System.out.println(t.changeReturnType(void.class) + " " + t.appendParameterTypes(char.class) + " " + t.insertParameterTypes(0, Object.class) + " " + t.dropParameterTypes(0, 1) + " " + t.wrap() + " " + t.wrap().unwrap() + " " + t.erase() + " " + t.generic() + " " + MethodType.genericMethodType(2, true));
        System.out.println(t.hasPrimitives() + " " + t.hasWrappers() + " " + t.lastParameterType() + " " + t.hashCode() * 0);
        try {
            MethodType.fromMethodDescriptorString("(X)V", null);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            MethodType.methodType(int.class, void.class);
        } catch (IllegalArgumentException e) {
            System.out.println("void refused");
        }
    }
}
