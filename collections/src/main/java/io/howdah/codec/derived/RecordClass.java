package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the class that reads and writes the components of a record, as a program would by hand: a
 * call of each accessor, or a read of each field, a call of each component's codec, which is a
 * constant of the class, and a call of the constructor. It is a hidden class in the record's own
 * nest, so it goes when its codec does.
 */
final class RecordClass {

  private static final ClassDesc CODEC = desc(Codec.class);
  private static final ClassDesc ENCODER = desc(Encoder.class);
  private static final ClassDesc DECODER = desc(Decoder.class);
  private static final ClassDesc ANY = ConstantDescs.CD_Object;
  private static final ClassDesc LONG = ConstantDescs.CD_long;
  private static final ClassDesc INT = ConstantDescs.CD_int;
  private static final ClassDesc VOID = ConstantDescs.CD_void;
  private static final String WRAP = "wrap";
  private static final String UNWRAP = "unwrap";
  private static final MethodTypeDesc ENCODE = MethodTypeDesc.of(VOID, ANY, ENCODER);
  private static final MethodTypeDesc DECODE = MethodTypeDesc.of(ANY, DECODER);

  private final ClassDesc self;
  private final ClassDesc record;
  private final boolean inFields;
  private final List<RecordType.Component> components;

  private RecordClass(RecordType<?> type) {
    this.self = ClassDesc.of(type.type().getName() + "$Codec");
    this.record = desc(type.type());
    this.inFields = type.access().inFields();
    this.components = type.components();
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Returns the codec of a record's components. */
  @SuppressWarnings("unchecked") // the class is made for R
  static <R> Codec<R> make(RecordType<R> type) {
    if (ReflectedRecord.isNeeded(type)) {
      return ReflectedRecord.make(type);
    }
    List<Object> parts = new ArrayList<>();
    type.components().forEach(component -> parts.add(component.part()));
    byte[] bytes = new RecordClass(type).bytes();
    try {
      MethodHandles.Lookup made =
          type.lookup()
              .defineHiddenClassWithClassData(
                  bytes, List.copyOf(parts), true, MethodHandles.Lookup.ClassOption.NESTMATE);
      return (Codec<R>)
          (Codec<?>)
              made.findConstructor(made.lookupClass(), MethodType.methodType(void.class))
                  .asType(MethodType.methodType(Codec.class))
                  .invokeExact();
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw unseen(type.type(), e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new CodecException("the class for " + type.type().getName() + " cannot be used", t);
    }
  }

  static CodecException unseen(Class<?> type, Exception cause) {
    return new CodecException(
        "the codec cannot see "
            + type.getName()
            + "; pass MethodHandles.lookup() of a class in its module",
        cause);
  }

  private byte[] bytes() {
    return ClassFile.of()
        .build(
            self,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC);
              builder.withInterfaceSymbols(CODEC);
              builder.withMethodBody(
                  ConstantDescs.INIT_NAME,
                  ConstantDescs.MTD_void,
                  0,
                  code ->
                      code.aload(0)
                          .invokespecial(ANY, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                          .return_());
              builder.withMethodBody(
                  "name",
                  MethodTypeDesc.of(ConstantDescs.CD_String),
                  ClassFile.ACC_PUBLIC,
                  code -> code.loadConstant(record.displayName()).areturn());
              builder.withMethodBody("encode", ENCODE, ClassFile.ACC_PUBLIC, this::encode);
              builder.withMethodBody("decode", DECODE, ClassFile.ACC_PUBLIC, this::decode);
              for (int i = 0; i < components.size(); i++) {
                Wrapping wrapping = components.get(i).wrapping();
                if (wrapping != null) {
                  addWrapping(builder, i, components.get(i), wrapping);
                }
              }
            });
  }

  private static boolean isLong(RecordType.Component component) {
    return component.valueType() == long.class && component.part().codec().equals(Codec.int64());
  }

  private static boolean isInt(RecordType.Component component) {
    return component.valueType() == int.class && component.part().codec().equals(Codec.int32());
  }

  private void encode(CodeBuilder code) {
    code.aload(1).checkcast(record).astore(3);
    for (int i = 0; i < components.size(); i++) {
      RecordType.Component component = components.get(i);
      if (isLong(component)) {
        get(code.aload(2), component).loadConstant(Long.MIN_VALUE).lxor();
        code.invokevirtual(ENCODER, "putBigEndianLong", MethodTypeDesc.of(VOID, LONG));
      } else if (isInt(component)) {
        get(code.aload(2), component).loadConstant(Integer.MIN_VALUE).ixor();
        code.invokevirtual(ENCODER, "putBigEndianInt", MethodTypeDesc.of(VOID, INT));
      } else {
        get(codec(code, i), component);
        if (component.wrapping() == null) {
          box(code, component.type());
        } else {
          code.invokestatic(self, WRAP + i, wrapType(component));
        }
        code.aload(2).invokeinterface(CODEC, "encode", ENCODE);
      }
    }
    code.return_();
  }

  private void decode(CodeBuilder code) {
    List<ClassDesc> types = new ArrayList<>();
    code.new_(record).dup();
    for (int i = 0; i < components.size(); i++) {
      RecordType.Component component = components.get(i);
      types.add(desc(component.type()));
      if (isLong(component)) {
        code.aload(1).invokevirtual(DECODER, "getBigEndianLong", MethodTypeDesc.of(LONG));
        code.loadConstant(Long.MIN_VALUE).lxor();
      } else if (isInt(component)) {
        code.aload(1).invokevirtual(DECODER, "getBigEndianInt", MethodTypeDesc.of(INT));
        code.loadConstant(Integer.MIN_VALUE).ixor();
      } else {
        codec(code, i).aload(1).invokeinterface(CODEC, "decode", DECODE);
        if (component.wrapping() == null) {
          unbox(code, component.type());
        } else {
          code.invokestatic(self, UNWRAP + i, unwrapType(component));
        }
      }
    }
    code.invokespecial(record, ConstantDescs.INIT_NAME, MethodTypeDesc.of(VOID, types)).areturn();
  }

  /** Loads the codec of a component: a constant, so the JIT can inline what it calls. */
  private static CodeBuilder codec(CodeBuilder code, int index) {
    return code.loadConstant(
        DynamicConstantDesc.ofNamed(
            ConstantDescs.BSM_CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, CODEC, index));
  }

  private CodeBuilder get(CodeBuilder code, RecordType.Component component) {
    code.aload(3);
    return inFields
        ? code.getfield(record, component.name(), desc(component.type()))
        : code.invokevirtual(record, component.name(), MethodTypeDesc.of(desc(component.type())));
  }

  private static MethodTypeDesc wrapType(RecordType.Component component) {
    return MethodTypeDesc.of(ANY, desc(component.type()));
  }

  private static MethodTypeDesc unwrapType(RecordType.Component component) {
    return MethodTypeDesc.of(desc(component.type()), ANY);
  }

  /** Adds the two methods between a component's value in the class and its wrapper. */
  private static void addWrapping(
      ClassBuilder builder, int index, RecordType.Component component, Wrapping with) {
    ClassDesc wrapper = desc(with.type());
    ClassDesc stored = desc(component.type());
    int flags = ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC;
    builder.withMethodBody(
        WRAP + index,
        wrapType(component),
        flags,
        code -> {
          unlessNull(code, with);
          code.loadLocal(TypeKind.from(stored), 0)
              .invokestatic(wrapper, Wrapping.WRAP, MethodTypeDesc.of(wrapper, stored))
              .areturn();
        });
    builder.withMethodBody(
        UNWRAP + index,
        unwrapType(component),
        flags,
        code -> {
          unlessNull(code, with);
          code.aload(0)
              .checkcast(wrapper)
              .invokevirtual(wrapper, Wrapping.UNWRAP, MethodTypeDesc.of(stored))
              .return_(TypeKind.from(stored));
        });
  }

  /** Returns null for null where it stands for null; then both types are of objects. */
  private static void unlessNull(CodeBuilder code, Wrapping with) {
    if (with.isNullable()) {
      code.aload(0).ifThen(Opcode.IFNULL, block -> block.aconst_null().areturn());
    }
  }

  private static void box(CodeBuilder code, Class<?> type) {
    if (type.isPrimitive()) {
      ClassDesc boxed = boxed(type);
      code.invokestatic(boxed, "valueOf", MethodTypeDesc.of(boxed, desc(type)));
    }
  }

  private static void unbox(CodeBuilder code, Class<?> type) {
    if (TypeKind.from(desc(type)) == TypeKind.REFERENCE) {
      code.checkcast(desc(type));
    } else {
      ClassDesc boxed = boxed(type);
      code.checkcast(boxed);
      code.invokevirtual(boxed, type.getName() + "Value", MethodTypeDesc.of(desc(type)));
    }
  }

  private static ClassDesc boxed(Class<?> type) {
    return desc(MethodType.methodType(type).wrap().returnType());
  }
}
