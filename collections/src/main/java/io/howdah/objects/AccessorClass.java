package io.howdah.objects;

import io.howdah.objects.TypeReader.Property;
import io.howdah.txn.Tx;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the classes behind persistent interfaces: each property is a call of {@link Tx} at the
 * object's address and a constant offset, as a program would write it by hand. The class is defined
 * in the interface's own package, once for each layout that stores of this JVM have of it, and
 * calls exported methods only.
 */
final class AccessorClass {

  private static final ClassDesc OBJECT = desc(PersistentObject.class);
  private static final ClassDesc TX = desc(Tx.class);
  private static final ClassDesc TYPE = desc(PersistentType.class);
  private static final ClassDesc ENUM = desc(Enum.class);
  private static final ClassDesc STRING = ConstantDescs.CD_String;
  private static final ClassDesc ANY = ConstantDescs.CD_Object;
  private static final ClassDesc BYTES = ConstantDescs.CD_byte.arrayType();
  private static final ClassDesc LONG = ConstantDescs.CD_long;
  private static final ClassDesc INT = ConstantDescs.CD_int;
  private static final ClassDesc VOID = ConstantDescs.CD_void;
  private static final MethodTypeDesc CONSTRUCTOR = MethodTypeDesc.of(VOID, TYPE, TX, LONG);

  /** A way to the constructor of each class, by the layout it is for. */
  private static final ClassValue<Map<String, MethodHandle>> MADE =
      new ClassValue<>() {
        @Override
        protected Map<String, MethodHandle> computeValue(Class<?> type) {
          return new HashMap<>();
        }
      };

  private final ClassDesc self;
  private final List<Property> properties;
  private final ObjectLayout layout;

  private AccessorClass(ClassDesc self, List<Property> properties, ObjectLayout layout) {
    this.self = self;
    this.properties = properties;
    this.layout = layout;
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Returns an object that makes others of the class. */
  static PersistentObject prototype(
      PersistentType<?> owner,
      Class<?> type,
      List<Property> properties,
      ObjectLayout layout,
      MethodHandles.Lookup lookup) {
    Map<String, MethodHandle> made = MADE.get(type);
    MethodHandle found;
    synchronized (made) {
      found =
          made.computeIfAbsent(
              key(layout), _ -> make(type, properties, layout, lookup, made.size()));
    }
    try {
      return (PersistentObject) found.invokeExact(owner, (Tx) null, 0L);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new InvalidTypeException("the class for " + type.getName() + " cannot be used", t);
    }
  }

  /** What the class depends on: where the fields are. */
  private static String key(ObjectLayout layout) {
    String text = layout.toText();
    return text.substring(text.indexOf('\n') + 1);
  }

  private static MethodHandle make(
      Class<?> type,
      List<Property> properties,
      ObjectLayout layout,
      MethodHandles.Lookup lookup,
      int number) {
    try {
      MethodHandles.Lookup there = MethodHandles.privateLookupIn(type, lookup);
      ClassDesc self = ClassDesc.of(type.getName() + "$Persistent" + number);
      byte[] bytes = new AccessorClass(self, properties, layout).bytes(type);
      Class<?> made = there.defineClass(bytes);
      return there
          .findConstructor(
              made, MethodType.methodType(void.class, PersistentType.class, Tx.class, long.class))
          .asType(
              MethodType.methodType(
                  PersistentObject.class, PersistentType.class, Tx.class, long.class));
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw new InvalidTypeException(
          "the lookup given cannot define a class in the package of "
              + type.getName()
              + "; call MethodHandles.lookup() in that package, or in its module",
          e);
    }
  }

  private byte[] bytes(Class<?> type) {
    return ClassFile.of()
        .build(
            self,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC);
              builder.withSuperclass(OBJECT);
              builder.withInterfaceSymbols(desc(type));
              builder.withMethodBody(
                  ConstantDescs.INIT_NAME,
                  CONSTRUCTOR,
                  0,
                  code ->
                      code.aload(0)
                          .aload(1)
                          .aload(2)
                          .lload(3)
                          .invokespecial(OBJECT, ConstantDescs.INIT_NAME, CONSTRUCTOR)
                          .return_());
              builder.withMethodBody(
                  "bind",
                  MethodTypeDesc.of(OBJECT, TX, LONG),
                  ClassFile.ACC_PROTECTED,
                  code -> {
                    code.new_(self).dup().aload(0);
                    code.invokevirtual(self, "type", MethodTypeDesc.of(TYPE));
                    code.aload(1).lload(2);
                    code.invokespecial(self, ConstantDescs.INIT_NAME, CONSTRUCTOR).areturn();
                  });
              int volatiles = 0;
              for (int i = 0; i < properties.size(); i++) {
                Property property = properties.get(i);
                int index = property.field() == null ? volatiles++ : i;
                builder.withMethodBody(
                    property.getter().getName(),
                    getterType(property),
                    ClassFile.ACC_PUBLIC,
                    code -> getter(code, property, index));
                Method setter = property.setter();
                if (setter != null) {
                  builder.withMethodBody(
                      setter.getName(),
                      setterType(property),
                      ClassFile.ACC_PUBLIC,
                      code -> setter(code, property, index));
                }
              }
            });
  }

  private static MethodTypeDesc getterType(Property property) {
    ClassDesc type = desc(property.type());
    return property.isArray() ? MethodTypeDesc.of(type, INT) : MethodTypeDesc.of(type);
  }

  private static MethodTypeDesc setterType(Property property) {
    ClassDesc type = desc(property.type());
    return property.isArray() ? MethodTypeDesc.of(VOID, INT, type) : MethodTypeDesc.of(VOID, type);
  }

  private ObjectField field(Property property) {
    return layout.field(property.name()).orElseThrow();
  }

  // ---- Getters.

  private void getter(CodeBuilder code, Property property, int index) {
    TypeKind kind = TypeKind.from(desc(property.type()));
    if (property.field() == null) {
      code.aload(0).loadConstant(index);
      code.invokevirtual(self, "notPersistent", MethodTypeDesc.of(ANY, INT));
      unboxOrDefault(code, property.type(), kind);
      code.return_(kind);
      return;
    }
    ObjectField field = field(property);
    if (field.kind() == FieldKind.COLLECTION) { // which finds its place itself, at each use
      code.aload(0).loadConstant(index);
      code.invokevirtual(self, "collection", MethodTypeDesc.of(ANY, INT));
      code.checkcast(desc(property.type())).areturn();
      return;
    }
    int at = property.isArray() ? 2 : 1;
    code.aload(0);
    if (field.since() == 1) {
      code.getfield(self, "address", LONG);
    } else {
      int base = at + 2;
      Label there = code.newLabel();
      String method = field.kind() == FieldKind.STRUCT ? "embeddedBase" : "base";
      code.loadConstant(field.since()).invokevirtual(self, method, MethodTypeDesc.of(LONG, INT));
      code.lstore(base).lload(base).lconst_0().lcmp().ifne(there);
      if (property.isArray()) {
        checkedIndex(code, field).pop();
      }
      zero(code, kind);
      code.return_(kind).labelBinding(there).lload(base);
    }
    place(code, field, property.isArray(), at);
    read(code, field, property.type(), at, index);
    code.return_(kind);
  }

  /** Adds what lies between the base on the stack and the value, and stores the address. */
  private void place(CodeBuilder code, ObjectField field, boolean isArray, int at) {
    code.loadConstant((long) field.offset()).ladd();
    if (isArray) {
      checkedIndex(code, field);
      code.i2l().loadConstant((long) field.kind().unitBytes()).lmul().ladd();
    }
    code.lstore(at);
  }

  /** Adds the index of an element, which is refused if the array has none there. */
  private CodeBuilder checkedIndex(CodeBuilder code, ObjectField field) {
    code.aload(0).iload(1).loadConstant(field.length()).loadConstant(field.name());
    return code.invokevirtual(self, "index", MethodTypeDesc.of(INT, INT, INT, STRING));
  }

  private void read(CodeBuilder code, ObjectField field, Class<?> type, int at, int index) {
    switch (field.kind()) {
      case BOOLEAN -> get(code, at, "getByte", ConstantDescs.CD_byte).iconst_1().iand();
      case BYTE -> get(code, at, "getByte", ConstantDescs.CD_byte);
      case SHORT -> get(code, at, "getShort", ConstantDescs.CD_short);
      case CHAR -> get(code, at, "getShort", ConstantDescs.CD_short).i2c();
      case INT -> get(code, at, "getInt", INT);
      case FLOAT -> get(code, at, "getFloat", ConstantDescs.CD_float);
      case LONG -> get(code, at, "getLong", LONG);
      case DOUBLE -> get(code, at, "getDouble", ConstantDescs.CD_double);
      case REFERENCE, OWNED -> convert(code, "reference", type, at, index);
      case STRUCT -> convert(code, "embedded", type, at, index);
      case ENUM -> convert(code, "constant", type, at, index);
      case STRING -> own(code.aload(0).lload(at), "string", MethodTypeDesc.of(STRING, LONG));
      case BYTES -> own(code.aload(0).lload(at), "bytes", MethodTypeDesc.of(BYTES, LONG));
      case FIXED_STRING ->
          own(
              code.aload(0).lload(at).loadConstant(field.length()),
              "fixedString",
              MethodTypeDesc.of(STRING, LONG, INT));
      case FIXED_BYTES ->
          own(
              code.aload(0).lload(at).loadConstant(field.length()),
              "fixedBytes",
              MethodTypeDesc.of(BYTES, LONG, INT));
      case COLLECTION -> throw new IllegalStateException("a collection is no value in place");
    }
  }

  private CodeBuilder get(CodeBuilder code, int at, String method, ClassDesc type) {
    return code.aload(0)
        .getfield(self, "tx", TX)
        .lload(at)
        .invokeinterface(TX, method, MethodTypeDesc.of(type, LONG));
  }

  private void convert(CodeBuilder code, String method, Class<?> type, int at, int index) {
    code.aload(0).lload(at).loadConstant(index);
    code.invokevirtual(self, method, MethodTypeDesc.of(ANY, LONG, INT)).checkcast(desc(type));
  }

  private void own(CodeBuilder code, String method, MethodTypeDesc type) {
    code.invokevirtual(self, method, type);
  }

  private static void zero(CodeBuilder code, TypeKind kind) {
    switch (kind) {
      case LONG -> code.lconst_0();
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
      case REFERENCE -> code.aconst_null();
      default -> code.iconst_0();
    }
  }

  // ---- Setters.

  private void setter(CodeBuilder code, Property property, int index) {
    TypeKind kind = TypeKind.from(desc(property.type()));
    if (property.field() == null) {
      code.aload(0).loadConstant(index).loadLocal(kind, 1);
      box(code, property.type(), kind);
      code.invokevirtual(self, "notPersistent", MethodTypeDesc.of(VOID, INT, ANY)).return_();
      return;
    }
    ObjectField field = field(property);
    int value = property.isArray() ? 2 : 1;
    int at = value + kind.slotSize();
    code.aload(0);
    if (field.since() == 1) {
      code.getfield(self, "address", LONG);
    } else {
      code.loadConstant(field.since());
      code.invokevirtual(self, "writableBase", MethodTypeDesc.of(LONG, INT));
    }
    place(code, field, property.isArray(), at);
    write(code, field, value, at, index);
    code.return_();
  }

  private void write(CodeBuilder code, ObjectField field, int value, int at, int index) {
    switch (field.kind()) {
      case BOOLEAN, BYTE -> put(code, at).iload(value).invokeinterface(TX, "putByte", put('B'));
      case SHORT -> put(code, at).iload(value).invokeinterface(TX, "putShort", put('S'));
      case CHAR -> put(code, at).iload(value).i2s().invokeinterface(TX, "putShort", put('S'));
      case INT -> put(code, at).iload(value).invokeinterface(TX, "putInt", put('I'));
      case FLOAT -> put(code, at).fload(value).invokeinterface(TX, "putFloat", put('F'));
      case LONG -> put(code, at).lload(value).invokeinterface(TX, "putLong", put('J'));
      case DOUBLE -> put(code, at).dload(value).invokeinterface(TX, "putDouble", put('D'));
      case REFERENCE ->
          own(
              code.aload(0).lload(at).aload(value).loadConstant(index),
              "reference",
              MethodTypeDesc.of(VOID, LONG, ANY, INT));
      case OWNED ->
          own(
              code.aload(0).lload(at).aload(value).loadConstant(index),
              "owned",
              MethodTypeDesc.of(VOID, LONG, ANY, INT));
      case ENUM ->
          own(
              code.aload(0).lload(at).aload(value),
              "constant",
              MethodTypeDesc.of(VOID, LONG, ENUM));
      case STRING ->
          own(
              code.aload(0).lload(at).aload(value),
              "string",
              MethodTypeDesc.of(VOID, LONG, STRING));
      case BYTES ->
          own(code.aload(0).lload(at).aload(value), "bytes", MethodTypeDesc.of(VOID, LONG, BYTES));
      case FIXED_STRING ->
          own(
              code.aload(0).lload(at).loadConstant(field.length()).aload(value),
              "fixedString",
              MethodTypeDesc.of(VOID, LONG, INT, STRING));
      case FIXED_BYTES ->
          own(
              code.aload(0).lload(at).loadConstant(field.length()).aload(value),
              "fixedBytes",
              MethodTypeDesc.of(VOID, LONG, INT, BYTES));
      case COLLECTION, STRUCT ->
          throw new IllegalStateException("what belongs to an object for ever has no setter");
    }
  }

  private CodeBuilder put(CodeBuilder code, int at) {
    return code.aload(0).getfield(self, "tx", TX).lload(at);
  }

  private static MethodTypeDesc put(char type) {
    return MethodTypeDesc.of(VOID, LONG, ClassDesc.ofDescriptor(String.valueOf(type)));
  }

  // ---- Properties that do not persist.

  private static void box(CodeBuilder code, Class<?> type, TypeKind kind) {
    if (kind != TypeKind.REFERENCE) {
      ClassDesc boxed = desc(MethodType.methodType(type).wrap().returnType());
      code.invokestatic(boxed, "valueOf", MethodTypeDesc.of(boxed, desc(type)));
    }
  }

  private static void unboxOrDefault(CodeBuilder code, Class<?> type, TypeKind kind) {
    if (kind == TypeKind.REFERENCE) {
      code.checkcast(desc(type));
      return;
    }
    ClassDesc boxed = desc(MethodType.methodType(type).wrap().returnType());
    Label there = code.newLabel();
    code.dup().ifnonnull(there);
    code.pop();
    zero(code, kind);
    code.return_(kind).labelBinding(there).checkcast(boxed);
    code.invokevirtual(boxed, type.getName() + "Value", MethodTypeDesc.of(desc(type)));
  }
}
