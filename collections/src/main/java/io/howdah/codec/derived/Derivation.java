package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.OrderedCodec;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds the codec of a class. Reflection ends here: what it returns uses none. For one call. */
final class Derivation {

  private static final Map<Class<?>, OrderedCodec<?>> LEAVES =
      Map.ofEntries(
          Map.entry(long.class, Codec.int64()),
          Map.entry(Long.class, Codec.int64()),
          Map.entry(int.class, Codec.int32()),
          Map.entry(Integer.class, Codec.int32()),
          Map.entry(short.class, Codec.int16()),
          Map.entry(Short.class, Codec.int16()),
          Map.entry(byte.class, Codec.int8()),
          Map.entry(Byte.class, Codec.int8()),
          Map.entry(boolean.class, Codec.bool()),
          Map.entry(Boolean.class, Codec.bool()),
          Map.entry(char.class, Codec.character()),
          Map.entry(Character.class, Codec.character()),
          Map.entry(double.class, Codec.float64()),
          Map.entry(Double.class, Codec.float64()),
          Map.entry(float.class, Codec.float32()),
          Map.entry(Float.class, Codec.float32()),
          Map.entry(String.class, Codec.utf8()),
          Map.entry(byte[].class, Codec.bytes()),
          Map.entry(Instant.class, Times.INSTANT),
          Map.entry(Duration.class, Times.DURATION),
          Map.entry(LocalDate.class, Times.LOCAL_DATE),
          Map.entry(LocalTime.class, Times.LOCAL_TIME),
          Map.entry(LocalDateTime.class, Times.LOCAL_DATE_TIME),
          Map.entry(OffsetDateTime.class, Times.OFFSET_DATE_TIME),
          Map.entry(ZonedDateTime.class, Times.ZONED_DATE_TIME),
          Map.entry(Year.class, Times.YEAR),
          Map.entry(YearMonth.class, Times.YEAR_MONTH),
          Map.entry(Currency.class, Texts.CURRENCY),
          Map.entry(Locale.class, Texts.LOCALE),
          Map.entry(URI.class, Texts.ADDRESS),
          Map.entry(UUID.class, Numbers.UNIQUE_ID),
          Map.entry(BigInteger.class, Numbers.BIG_INTEGER),
          Map.entry(BigDecimal.class, Numbers.DECIMAL));

  private static final Map<Class<?>, Object> ZEROS =
      Map.of(
          long.class,
          0L,
          int.class,
          0,
          short.class,
          (short) 0,
          byte.class,
          (byte) 0,
          boolean.class,
          false,
          char.class,
          (char) 0,
          double.class,
          0.0,
          float.class,
          0.0f,
          List.class,
          List.of(),
          Set.class,
          Set.of());

  private final CodecRegistry registry;
  private final boolean isOrdered;
  private final Deque<Class<?>> path = new ArrayDeque<>();

  Derivation(CodecRegistry registry, boolean isOrdered) {
    this.registry = registry;
    this.isOrdered = isOrdered;
  }

  /** Returns the codec of a class without type arguments. */
  Codec<?> codec(Class<?> type) {
    return codec(type, null, type.getName());
  }

  private Codec<?> codec(Class<?> type, @Nullable AnnotatedType generic, String where) {
    Codec<?> given = registry.codec(type);
    if (given != null) {
      return requireOrder(given, where);
    }
    Codec<?> leaf = LEAVES.get(type);
    if (leaf != null) {
      return leaf;
    }
    if (type == Optional.class) {
      return optional(argument(generic, 0, where), where);
    }
    if (type.isEnum()) {
      return enumeration(type);
    }
    if (type.isRecord() && type.getTypeParameters().length == 0) {
      return record(type, where);
    }
    if (!isOrdered) {
      Codec<?> found = unordered(type, generic, where);
      if (found != null) {
        return found;
      }
    }
    throw unknown(type, where);
  }

  private @Nullable Codec<?> unordered(
      Class<?> type, @Nullable AnnotatedType generic, String where) {
    if (type == List.class || type == Collection.class) {
      return ElementsCodec.list(codec(argument(generic, 0, where), where));
    }
    if (type == Set.class) {
      return ElementsCodec.set(codec(argument(generic, 0, where), where));
    }
    if (type == Map.class) {
      return ElementsCodec.OfMap.of(
          codec(argument(generic, 0, where), where), codec(argument(generic, 1, where), where));
    }
    if (type.isArray()) {
      Codec<?> primitives = ArrayCodec.ofPrimitives(type);
      AnnotatedType element =
          generic instanceof AnnotatedArrayType array
              ? array.getAnnotatedGenericComponentType()
              : null;
      return primitives != null
          ? primitives
          : ArrayCodec.of(
              type.componentType(),
              element == null ? codec(type.componentType(), null, where) : codec(element, where));
    }
    return type.isSealed() ? sealed(type, where) : null;
  }

  private CodecException unknown(Class<?> type, String where) {
    boolean isWhole = where.equals(type.getName());
    return new CodecException(
        (isWhole ? type.getTypeName() : where + " has the type " + type.getTypeName() + ", which")
            + " has no "
            + (isOrdered ? "codec with an order" : "codec")
            + "; give it one by CodecRegistry.with or withComponent, or use what docs/objects.md"
            + " lists");
  }

  private Codec<?> requireOrder(Codec<?> codec, String where) {
    if (isOrdered && !(codec instanceof OrderedCodec<?>)) {
      throw new CodecException(
          where + " has the codec " + codec.name() + ", whose bytes have no order");
    }
    return codec;
  }

  private static AnnotatedType argument(@Nullable AnnotatedType generic, int index, String where) {
    if (generic instanceof AnnotatedParameterizedType arguments) {
      return arguments.getAnnotatedActualTypeArguments()[index];
    }
    throw new CodecException(
        where
            + " has a type without type arguments; say of what, as in List<String>, or build the"
            + " codec with Codecs.list and its like");
  }

  private Codec<?> codec(AnnotatedType type, String where) {
    Codec<?> codec = codec(raw(type.getType(), where), type, where);
    return isNullable(type) ? nullable(codec) : codec;
  }

  private static Class<?> raw(Type type, String where) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> (Class<?>) generic.getRawType();
      default ->
          throw new CodecException(
              where + " has the type " + type.getTypeName() + ", which is not a class");
    };
  }

  /** The annotation of any library, if it is there at run time. */
  private static boolean isNullable(AnnotatedElement element) {
    return Arrays.stream(element.getAnnotations())
        .anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
  }

  private Codec<?> nullable(Codec<?> codec) {
    return isOrdered ? AbsentCodec.nullable((OrderedCodec<?>) codec) : AbsentCodec.nullable(codec);
  }

  private Codec<?> optional(AnnotatedType of, String where) {
    Codec<?> codec = codec(of, where);
    return isOrdered ? AbsentCodec.optional((OrderedCodec<?>) codec) : AbsentCodec.optional(codec);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the class was asked whether it is an enum
  private Codec<?> enumeration(Class<?> type) {
    TypeName name = registry.name(type);
    return isOrdered ? EnumCodec.ordered((Class) type, name) : EnumCodec.of((Class) type, name);
  }

  private Codec<?> record(Class<?> type, String where) {
    if (path.contains(type)) {
      throw new CodecException(where + " embeds " + type.getName() + " in itself");
    }
    path.push(type);
    List<RecordType.Component> components = new ArrayList<>();
    Set<String> hiddenNulls = HiddenNulls.of(type);
    for (RecordComponent component : type.getRecordComponents()) {
      components.add(component(type, component, hiddenNulls.contains(component.getName())));
    }
    path.pop();
    RecordType<?> made =
        new RecordType<>(
            type, registry.lookup(type), registry.name(type), isOrdered, List.copyOf(components));
    return isOrdered ? new RecordCodec.Ordered<>(made) : new RecordCodec<>(made);
  }

  /**
   * Returns a component.
   *
   * @param isHiddenNull whether an annotation that reflection does not show says that it may be
   *     null
   */
  private RecordType.Component component(
      Class<?> type, RecordComponent component, boolean isHiddenNull) {
    String name = component.getName();
    String where = type.getName() + "." + name;
    Codec<?> codec = registry.component(type, name);
    if (codec == null) {
      codec = codec(component.getAnnotatedType(), where);
      if ((isHiddenNull || isNullable(component)) && !isNullable(component.getAnnotatedType())) {
        codec = nullable(codec);
      }
    } else {
      requireOrder(codec, where);
    }
    boolean mayBeNull = AbsentCodec.takesNull(codec);
    Object added = registry.added(type, name);
    if (added == null) {
      added =
          component.getType() == Optional.class
              ? Optional.empty()
              : component.getType() == Map.class ? Map.of() : ZEROS.get(component.getType());
    }
    FormerName former = component.getAnnotation(FormerName.class);
    return new RecordType.Component(
        name,
        former == null ? List.of() : List.of(former.value()),
        component.getType(),
        RecordType.Component.part(where, codec, isOrdered),
        added,
        added != null || mayBeNull,
        registry.retyped(type, name));
  }

  private Codec<?> sealed(Class<?> type, String where) {
    List<SealedCodec.Variant> variants = new ArrayList<>();
    addVariants(type, variants, where);
    return new SealedCodec<>(registry.name(type), variants);
  }

  private void addVariants(Class<?> type, List<SealedCodec.Variant> variants, String where) {
    for (Class<?> permitted : type.getPermittedSubclasses()) {
      if (permitted.isRecord() || permitted.isEnum() || registry.codec(permitted) != null) {
        variants.add(
            new SealedCodec.Variant(
                permitted,
                registry.name(permitted),
                codec(permitted, null, where + ", " + permitted.getName())));
      } else if (SingletonCodec.isSingleton(permitted)) {
        TypeName name = registry.name(permitted);
        variants.add(
            new SealedCodec.Variant(
                permitted, name, SingletonCodec.of(permitted, name, registry.lookup(permitted))));
      } else if (permitted.isSealed()) {
        addVariants(permitted, variants, where);
      } else {
        throw unknown(permitted, where);
      }
    }
  }
}
