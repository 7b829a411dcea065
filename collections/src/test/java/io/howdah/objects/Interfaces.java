package io.howdah.objects;

import io.howdah.collections.PersistentList;
import io.howdah.collections.WordStore;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodSignature;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Persistent interfaces as one version of a program has them: another version has others of the
 * same names, in a class loader of its own, as another process would.
 */
final class Interfaces extends ClassLoader {

  private static final String PACKAGE = "evolving.";

  private final Map<String, byte[]> classes = new HashMap<>();

  /**
   * A property; an embedded one and a collection have no setter.
   *
   * @param elements of a list; null of what is none
   * @param length of an array; 0 of what is none
   */
  record Property(
      String name,
      ClassDesc type,
      boolean isEmbedded,
      boolean isOwned,
      @Nullable ClassDesc elements,
      int length) {

    Property(String name, ClassDesc type, boolean isEmbedded) {
      this(name, type, isEmbedded, false, null, 0);
    }

    static Property array(String name, Class<?> type, int length) {
      return new Property(name, type.describeConstable().orElseThrow(), false, false, null, length);
    }

    static Property of(String name, Class<?> type) {
      return new Property(name, type.describeConstable().orElseThrow(), false);
    }

    static Property list(String name, Class<?> elements) {
      ClassDesc list = PersistentList.class.describeConstable().orElseThrow();
      return new Property(name, list, false, false, elements.describeConstable().orElseThrow(), 0);
    }

    boolean hasSetter() {
      return !isEmbedded && elements == null;
    }

    static Property embedded(String name, String target) {
      return new Property(name, ClassDesc.of(PACKAGE + target), true);
    }

    static Property reference(String name, String target) {
      return new Property(name, ClassDesc.of(PACKAGE + target), false);
    }

    static Property owned(String name, String target) {
      return new Property(name, ClassDesc.of(PACKAGE + target), false, true, null, 0);
    }
  }

  Interfaces() {
    super(Interfaces.class.getClassLoader());
  }

  /** Adds an interface to this version. */
  Interfaces with(String name, Property... properties) {
    classes.put(
        PACKAGE + name,
        ClassFile.of()
            .build(
                ClassDesc.of(PACKAGE + name),
                builder -> {
                  builder.withFlags(
                      ClassFile.ACC_PUBLIC | ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT);
                  builder.with(marked(Persistent.class));
                  builder.withMethodBody(
                      "lookup",
                      MethodTypeDesc.of(ConstantDescs.CD_MethodHandles_Lookup),
                      ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                      code ->
                          code.invokestatic(
                                  ConstantDescs.CD_MethodHandles,
                                  "lookup",
                                  MethodTypeDesc.of(ConstantDescs.CD_MethodHandles_Lookup))
                              .areturn());
                  for (Property property : properties) {
                    int flags = ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT;
                    builder.withMethod(
                        property.name(),
                        property.length() == 0
                            ? MethodTypeDesc.of(property.type())
                            : MethodTypeDesc.of(property.type(), ConstantDescs.CD_int),
                        flags,
                        method -> {
                          method.with(annotations(property));
                          ClassDesc elements = property.elements();
                          if (elements != null) {
                            method.with(SignatureAttribute.of(listOf(elements)));
                          }
                        });
                    if (property.hasSetter()) {
                      builder.withMethod(
                          property.name(),
                          property.length() == 0
                              ? MethodTypeDesc.of(ConstantDescs.CD_void, property.type())
                              : MethodTypeDesc.of(
                                  ConstantDescs.CD_void, ConstantDescs.CD_int, property.type()),
                          flags,
                          _ -> {});
                    }
                  }
                }));
    return this;
  }

  private static MethodSignature listOf(ClassDesc elements) {
    return MethodSignature.parseFrom(
        "()Lio/howdah/collections/PersistentList<" + elements.descriptorString() + ">;");
  }

  private static RuntimeVisibleAnnotationsAttribute marked(Class<?> annotation) {
    List<AnnotationElement> none = new ArrayList<>();
    return RuntimeVisibleAnnotationsAttribute.of(
        Annotation.of(annotation.describeConstable().orElseThrow(), none));
  }

  private static RuntimeVisibleAnnotationsAttribute annotations(Property property) {
    List<Annotation> all = new ArrayList<>();
    if (property.isEmbedded()) {
      all.add(Annotation.of(Embedded.class.describeConstable().orElseThrow()));
    }
    if (property.isOwned()) {
      all.add(Annotation.of(Owned.class.describeConstable().orElseThrow()));
    }
    if (property.length() > 0) {
      ClassDesc length = Length.class.describeConstable().orElseThrow();
      all.add(Annotation.of(length, AnnotationElement.ofInt("value", property.length())));
    }
    return RuntimeVisibleAnnotationsAttribute.of(all);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  /** Opens one of the interfaces in a store. */
  @SuppressWarnings("unchecked") // all that is known of it at compile time
  PersistentType<Object> open(WordStore store, String name, PersistentType.Options options) {
    try {
      Class<Object> type = (Class<Object>) loadClass(PACKAGE + name);
      Object lookup = type.getMethod("lookup").invoke(null);
      return store.type(type, (MethodHandles.Lookup) lookup, options);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  PersistentType<Object> open(WordStore store, String name) {
    return open(store, name, PersistentType.Options.defaults());
  }

  /** Returns a property of an object. */
  static @Nullable Object get(Object object, String property) {
    return call(object, property, 0);
  }

  /** Returns an element of an array. */
  static @Nullable Object get(Object object, String property, int index) {
    return call(object, property, 1, index);
  }

  /** Returns an embedded object. */
  static Object inner(Object object, String property) {
    Object found = get(object, property);
    if (found == null) {
      throw new AssertionError(property + " is null");
    }
    return found;
  }

  /** Sets a property of an object. */
  static void set(Object object, String property, @Nullable Object value) {
    call(object, property, 1, value);
  }

  private static @Nullable Object call(
      Object object, String property, int parameters, @Nullable Object... arguments) {
    try {
      for (Method method : object.getClass().getInterfaces()[0].getMethods()) {
        if (method.getName().equals(property) && method.getParameterCount() == parameters) {
          return method.invoke(object, arguments);
        }
      }
      throw new AssertionError("no property " + property + " of " + object);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e);
    } catch (IllegalAccessException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
