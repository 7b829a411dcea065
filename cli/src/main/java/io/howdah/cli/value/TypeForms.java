package io.howdah.cli.value;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Values of types whose parts the store keeps by name: enums, records, sealed interfaces, objects.
 */
final class TypeForms {

  /** The member of an object that says which class of a sealed interface it is. */
  private static final String TYPE = "@type";

  /** The member that is the value of such a class if that is not an object itself. */
  private static final String VALUE = "value";

  private TypeForms() {}

  /** Constants of an enum: their names, by number. */
  record Constants(String name, List<String> constants) implements ValueForm {

    @Override
    public int fixedLength() {
      return Short.BYTES;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      int number = tree == null ? -1 : constants.indexOf(tree.toString());
      if (number < 0) {
        throw new ValueException(
            JsonTree.of(tree) + " is no constant of " + name + "; it has had " + constants);
      }
      out.putByte(number >>> Byte.SIZE);
      out.putByte(number);
    }

    @Override
    public Object decode(Decoder in) {
      int number = ((in.getByte() & 0xFF) << Byte.SIZE) | (in.getByte() & 0xFF);
      if (number >= constants.size()) {
        throw new CodecException(
            name + " has no constant of number " + number + ": the bytes are damaged");
      }
      return constants.get(number);
    }
  }

  /**
   * A shape of a record.
   *
   * @param components by name, in their order
   */
  record Shape(Map<String, FormPart> components) {}

  /** Records as values: objects with the components that each value was stored with. */
  record Shapes(String name, List<Shape> shapes) implements ValueForm {

    @Override
    public int fixedLength() {
      return Codec.VARIABLE;
    }

    @Override
    public boolean isSelfDelimiting() {
      return true;
    }

    /** Writes the newest shape. A component that may be absent may be left out. */
    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      Map<?, ?> map = PartForms.map(tree, name);
      Map<String, FormPart> components = shapes.getLast().components();
      for (Object given : map.keySet()) {
        if (!components.containsKey(String.valueOf(given))) {
          throw new ValueException(
              name + " has no component \"" + given + "\", but " + components.keySet());
        }
      }
      out.putVarint(shapes.size());
      components.forEach(
          (component, part) -> {
            if (!map.containsKey(component) && !(part.form() instanceof PartForms.Absent)) {
              throw new ValueException(name + " needs the component \"" + component + "\"");
            }
            try {
              part.encode(map.get(component), out);
            } catch (ValueException e) {
              throw new ValueException(component + ": " + e.getMessage(), e);
            }
          });
    }

    @Override
    public Object decode(Decoder in) {
      int number = in.getVarint();
      if (number < 1 || number > shapes.size()) {
        throw new CodecException(
            name + " has no shape of number " + number + ": the bytes are damaged");
      }
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      shapes
          .get(number - 1)
          .components()
          .forEach((component, part) -> map.put(component, part.decode(in)));
      return map;
    }
  }

  /**
   * A sealed interface: an object that names the class.
   *
   * @param variants by the names of the classes, in the order of their numbers
   */
  record Variants(String name, Map<String, ValueForm> variants) implements ValueForm {

    @Override
    public int fixedLength() {
      return Codec.VARIABLE;
    }

    @Override
    public boolean isSelfDelimiting() {
      return false;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      Map<?, ?> map = PartForms.map(tree, name);
      List<String> names = List.copyOf(variants.keySet());
      int number = map.get(TYPE) instanceof String given ? names.indexOf(given) : -1;
      if (number < 0) {
        throw new ValueException("a " + name + " needs \"" + TYPE + "\", one of " + names);
      }
      ValueForm form = List.copyOf(variants.values()).get(number);
      out.putVarint(number);
      if (form instanceof Shapes) {
        Map<Object, @Nullable Object> components = new LinkedHashMap<>(map);
        components.remove(TYPE);
        form.encode(components, out);
      } else if (map.keySet().equals(Set.of(TYPE, VALUE))) {
        form.encode(map.get(VALUE), out);
      } else {
        throw new ValueException(
            "a "
                + form.name()
                + " has \""
                + TYPE
                + "\" and \""
                + VALUE
                + "\", not "
                + map.keySet());
      }
    }

    @Override
    public Object decode(Decoder in) {
      int number = in.getVarint();
      if (number >= variants.size()) {
        throw new CodecException(
            name + " has no class of number " + number + ": the bytes are damaged");
      }
      String variant = new ArrayList<>(variants.keySet()).get(number);
      Object value = List.copyOf(variants.values()).get(number).decode(in);
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      map.put(TYPE, variant);
      if (value instanceof Map<?, ?> components) {
        components.forEach((component, each) -> map.put(String.valueOf(component), each));
      } else {
        map.put(VALUE, value);
      }
      return map;
    }
  }

  /** References to objects: shown with what the objects hold, and not made. */
  record Reference(String name, String type, StoredObjects objects) implements ValueForm {

    @Override
    public int fixedLength() {
      return Long.BYTES;
    }

    @Override
    public boolean isSelfDelimiting() {
      return false;
    }

    @Override
    public void encode(@Nullable Object tree, Encoder out) {
      throw new ValueException("a " + name + " is made by a program only");
    }

    @Override
    public Object decode(Decoder in) {
      Object transaction = in.attachment();
      long reference = in.getLong();
      Map<String, @Nullable Object> tree = new LinkedHashMap<>();
      tree.put("@type", type);
      tree.put("@reference", "%#x".formatted(reference));
      if (transaction instanceof Tx tx) {
        objects
            .properties(tx, type, reference)
            .ifPresentOrElse(
                properties ->
                    properties.forEach((property, value) -> tree.put(property, tree(value))),
                () -> tree.put("@freed", true));
      }
      return tree;
    }

    private static @Nullable Object tree(@Nullable Object value) {
      return switch (value) {
        case byte[] bytes -> HexFormat.of().formatHex(bytes);
        case List<?> list -> {
          List<@Nullable Object> all = new ArrayList<>();
          list.forEach(each -> all.add(tree(each)));
          yield all;
        }
        case Map<?, ?> map -> {
          Map<String, @Nullable Object> all = new LinkedHashMap<>();
          map.forEach((name, each) -> all.put(String.valueOf(name), tree(each)));
          yield all;
        }
        case null, default -> value;
      };
    }
  }
}
