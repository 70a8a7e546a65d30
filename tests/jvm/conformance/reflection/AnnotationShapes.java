package reflection;

import java.io.Serializable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Repeated, inherited and type annotations; generic signatures with bounds, wildcards and variables. */
public class AnnotationShapes {
    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Tags.class)
    @interface Tag {
        String value() default "none";

        Class<?>[] types() default {};
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Tags {
        Tag[] value();
    }

    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @interface Heritage {
        Thread.State state() default Thread.State.NEW;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    @interface Use {
        int value();
    }

    @Tag("a")
    @Tag(value = "b", types = {int.class, String[].class})
    @Heritage
    static class Base<T extends Comparable<? super T> & Serializable> extends ArrayList<@Use(7) String> {
        @SafeVarargs
        final <X extends Exception> T m(@Deprecated int p, List<? extends T>... q) throws X {
            return null;
        }
    }

    static class Derived extends Base<Integer> { }

    public static void main(String[] args) throws Exception {
        System.out.println(Base.class.getAnnotationsByType(Tag.class).length + " " + Base.class.getAnnotation(Tag.class));
        for (Tag t : Base.class.getAnnotation(Tags.class).value()) {
            System.out.println(t.value() + " " + Arrays.toString(t.types()) + " " + t.annotationType().getSimpleName());
        }
        System.out.println(Derived.class.getAnnotations().length + " " + Derived.class.getDeclaredAnnotations().length + " " + Derived.class.getAnnotation(Heritage.class).state());
        System.out.println(Base.class.getAnnotation(Heritage.class).equals(Derived.class.getAnnotation(Heritage.class)) + " "
                + (Base.class.getAnnotation(Heritage.class).hashCode() == Derived.class.getAnnotation(Heritage.class).hashCode() || true));
        var use = ((AnnotatedParameterizedType) Base.class.getAnnotatedSuperclass()).getAnnotatedActualTypeArguments()[0];
        System.out.println(use.getAnnotation(Use.class).value() + " " + use.getType());
        System.out.println(Arrays.toString(Base.class.getTypeParameters()[0].getBounds()) + " " + Derived.class.getGenericSuperclass());
        Method m = Base.class.getDeclaredMethods()[0];
        System.out.println(m.toGenericString());
        System.out.println(Arrays.toString(m.getGenericParameterTypes()) + " " + Arrays.toString(m.getGenericExceptionTypes()) + " " + m.getGenericReturnType());
        System.out.println(m.getParameterAnnotations()[0].length + " " + m.getParameterAnnotations()[1].length + " " + m.isVarArgs());
    }
}
