package reflection;

import java.lang.annotation.Annotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;

/** Annotations on everything, with every kind of value. */
public class Annotations {
    enum Level { LOW, HIGH }

    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @interface All {
        boolean z() default true;

        byte b() default 1;

        char c() default 'c';

        short s() default 2;

        int i() default 3;

        long l() default 4;

        float f() default 5;

        double d() default 6;

        String str() default "s\"q";

        Class<?> cl() default String[].class;

        Level e() default Level.HIGH;

        Tag tag() default @Tag("in");

        int[] ia() default {1, 2};

        String[] sa() default {};

        Class<?>[] ca() default {int.class, void.class};
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Tags.class)
    @interface Tag {
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Tags {
        Tag[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    @interface Use {
        int value() default 0;
    }

    @Retention(RetentionPolicy.CLASS)
    @interface Unseen { }

    @All(i = 99)
    @Unseen
    static class Base { }

    static class Sub extends Base { }

    @Tag("a")
    @Tag("b")
    @Deprecated(since = "1", forRemoval = true)
    static @Use(1) List<@Use(2) String> method(@Tag("p") int x, @Use(3) String @Use(4) [] y) throws @Use(5) Exception {
        return null;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(Base.class.getAnnotation(All.class));
        System.out.println(Arrays.toString(Sub.class.getAnnotations()).length() > 20);
        System.out.println(Sub.class.getDeclaredAnnotations().length + " " + Base.class.getAnnotations().length);
        var m = Annotations.class.getDeclaredMethod("method", int.class, String[].class);
        System.out.println(Arrays.toString(m.getAnnotations()));
        System.out.println(Arrays.toString(m.getAnnotationsByType(Tag.class)) + " " + m.isAnnotationPresent(Tag.class) + " " + m.isAnnotationPresent(Tags.class));
        System.out.println(Arrays.deepToString(m.getParameterAnnotations()));
        System.out.println(m.getAnnotatedReturnType() + " " + Arrays.toString(m.getAnnotatedParameterTypes()) + " " + Arrays.toString(m.getAnnotatedExceptionTypes()));
        Annotation a = Base.class.getAnnotation(All.class);
        System.out.println(a.annotationType() + " " + a.equals(Sub.class.getAnnotation(All.class)) + " " + (a.hashCode() == Sub.class.getAnnotation(All.class).hashCode()) + " " + java.lang.reflect.Proxy.isProxyClass(a.getClass()));
        System.out.println(All.class.getDeclaredMethod("ia").getDefaultValue().getClass() + " " + All.class.isAnnotation());
    }
}
