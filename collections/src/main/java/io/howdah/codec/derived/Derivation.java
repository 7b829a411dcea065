package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.OrderedCodec;
import java.lang.reflect.RecordComponent;
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

  private Codec<?> codec(Class<?> type, @Nullable GenericType generic, String where) {
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
    Optional<ClassDescription> described = ClassDescribers.describe(type);
    if (described.isPresent()) {
      return described(type, described.get(), where);
    }
    if (!isOrdered) {
      Codec<?> found = unordered(type, generic, where);
      if (found != null) {
        return found;
      }
    }
    throw unknown(type, where);
  }

  private @Nullable Codec<?> unordered(Class<?> type, @Nullable GenericType generic, String where) {
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
      return primitives != null
          ? primitives
          : ArrayCodec.of(
              type.componentType(),
              generic == null
                  ? codec(type.componentType(), null, where)
                  : codec(generic.argument(0, where), where));
    }
    return type.isSealed() ? sealed(type, where) : null;
  }

  private CodecException unknown(Class<?> type, String where) {
    boolean isWhole = where.equals(type.getName());
    return new CodecException(
        (isWhole ? type.getTypeName() : where + " has the type " + type.getTypeName() + ", which")
            + " has no "
            + (isOrdered ? "codec with an order" : "codec")
            + (isOfKotlin(type)
                ? "; a data class or value class of Kotlin has one if howdah-kotlin is beside"
                    + " Howdah on the class path; or"
                : ";")
            + " give it one by CodecRegistry.with or withComponent, or use what docs/codecs.md"
            + " lists");
  }

  private static boolean isOfKotlin(Class<?> type) {
    return Arrays.stream(type.getAnnotations())
        .anyMatch(each -> each.annotationType().getName().equals("kotlin.Metadata"));
  }

  private Codec<?> requireOrder(Codec<?> codec, String where) {
    if (isOrdered && !(codec instanceof OrderedCodec<?>)) {
      throw new CodecException(
          where + " has the codec " + codec.name() + ", whose bytes have no order");
    }
    return codec;
  }

  private static GenericType argument(@Nullable GenericType generic, int index, String where) {
    if (generic == null) {
      throw GenericType.withoutArguments(where);
    }
    return generic.argument(index, where);
  }

  private Codec<?> codec(GenericType type, String where) {
    Codec<?> codec = codec(type.raw(where), type, where);
    return type.isNullable() ? nullable(codec) : codec;
  }

  private Codec<?> nullable(Codec<?> codec) {
    return isOrdered ? AbsentCodec.nullable((OrderedCodec<?>) codec) : AbsentCodec.nullable(codec);
  }

  private Codec<?> optional(GenericType of, String where) {
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
    return composite(type, RecordType.Access.RECORD, components);
  }

  private Codec<?> composite(
      Class<?> type, RecordType.Access access, List<RecordType.Component> components) {
    RecordType<?> made =
        new RecordType<>(
            type,
            registry.lookup(type),
            registry.name(type),
            isOrdered,
            access,
            List.copyOf(components));
    return isOrdered ? new RecordCodec.Ordered<>(made) : new RecordCodec<>(made);
  }

  private Codec<?> wrapper(Class<?> type, ClassDescription.Wrapper description, Codec<?> stored) {
    try {
      return WrapperCodec.of(stored, Wrapping.Calls.of(type, description, registry.lookup(type)));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw RecordClass.unseen(type, e);
    }
  }

  private Codec<?> described(Class<?> type, ClassDescription description, String where) {
    if (path.contains(type)) {
      throw new CodecException(where + " embeds " + type.getName() + " in itself");
    }
    return switch (description) {
      case ClassDescription.Known known -> requireOrder(known.codec(), where);
      case ClassDescription.Wrapper wrapper -> {
        path.push(type);
        Codec<?> stored = codec(new GenericType.Described(wrapper.stored()), where);
        path.pop();
        yield wrapper(type, wrapper, stored);
      }
      case ClassDescription.Composite composite -> {
        path.push(type);
        List<RecordType.Component> components =
            composite.properties().stream()
                .map(property -> component(type, property, composite.defaultsMarker() != null))
                .toList();
        path.pop();
        yield composite(type, new RecordType.Access(true, composite.defaultsMarker()), components);
      }
    };
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
      GenericType generic = new GenericType.OfJava(component.getAnnotatedType());
      codec = codec(generic, where);
      if ((isHiddenNull || GenericType.isNullable(component)) && !generic.isNullable()) {
        codec = nullable(codec);
      }
    } else {
      requireOrder(codec, where);
    }
    FormerName former = component.getAnnotation(FormerName.class);
    return component(
        type,
        name,
        former == null ? List.of() : List.of(former.value()),
        component.getType(),
        null,
        codec,
        false);
  }

  private RecordType.Component component(
      Class<?> type, ClassDescription.Property property, boolean mayHaveDefault) {
    String name = property.name();
    String where = type.getName() + "." + name;
    Codec<?> codec = registry.component(type, name);
    if (codec == null) {
      codec = codec(new GenericType.Described(property.type()), where);
    } else {
      requireOrder(codec, where);
    }
    Class<?> valueType = property.type().type();
    return component(
        type,
        name,
        property.formerNames(),
        property.fieldType(),
        property.fieldType() == valueType
            ? null
            : new Wrapping(valueType, property.type().isNullable()),
        codec,
        mayHaveDefault && property.hasDefault() && registry.added(type, name) == null);
  }

  private RecordType.Component component(
      Class<?> owner,
      String name,
      List<String> formerNames,
      Class<?> type,
      @Nullable Wrapping wrapping,
      Codec<?> codec,
      boolean hasDefault) {
    boolean mayBeNull = AbsentCodec.takesNull(codec);
    Object added = registry.added(owner, name);
    if (added == null && wrapping == null) {
      added =
          type == Optional.class
              ? Optional.empty()
              : type == Map.class ? Map.of() : ZEROS.get(type);
    }
    return new RecordType.Component(
        name,
        formerNames,
        type,
        wrapping,
        RecordType.Component.part(owner.getName() + "." + name, codec, isOrdered),
        added,
        added != null || mayBeNull,
        hasDefault,
        registry.retyped(owner, name));
  }

  private Codec<?> sealed(Class<?> type, String where) {
    List<SealedCodec.Variant> variants = new ArrayList<>();
    addVariants(type, variants, where);
    return new SealedCodec<>(registry.name(type), variants);
  }

  private void addVariants(Class<?> type, List<SealedCodec.Variant> variants, String where) {
    for (Class<?> permitted : type.getPermittedSubclasses()) {
      if (permitted.isRecord()
          || permitted.isEnum()
          || registry.codec(permitted) != null
          || ClassDescribers.describe(permitted).isPresent()) {
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
