package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.core.layout.ShapeTextLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads and writes the texts of {@link ShapeTextLayout}. */
final class ShapeText {

  static final String RECORD = ShapeTextLayout.RECORD;
  static final String ENUM = ShapeTextLayout.ENUM;
  static final String SEALED = ShapeTextLayout.SEALED;

  private static final String COLUMN = String.valueOf(ShapeTextLayout.COLUMN_SEPARATOR);
  private static final String LINE = String.valueOf(ShapeTextLayout.LINE_SEPARATOR);

  /**
   * A component as the store knows it.
   *
   * @param length of each value in bytes, or {@link Codec#VARIABLE}: then each has its length
   *     before it
   * @param codec the name of its codec
   */
  record Component(String name, int length, String codec) {

    @Override
    public String toString() {
      return name + ": " + codec;
    }
  }

  /** What a version of a record consisted of. */
  record Shape(int version, List<Component> components) {}

  private ShapeText() {}

  /** Returns the text of a record. */
  static String ofRecord(List<Shape> shapes) {
    StringBuilder text = new StringBuilder(RECORD);
    for (Shape shape : shapes) {
      text.append(LINE).append(shape.version);
      for (Component component : shape.components) {
        text.append(LINE).append(component.name);
        text.append(COLUMN).append(component.length);
        text.append(COLUMN).append(requirePlain(component.codec));
      }
    }
    return text.toString();
  }

  /** Returns the shapes of a record, the first one first. */
  static List<Shape> shapes(String name, String text) {
    List<Shape> shapes = new ArrayList<>();
    List<Component> components = List.of();
    for (String line : lines(name, text, RECORD)) {
      String[] columns = line.split(COLUMN, -1);
      try {
        if (columns.length == 1) {
          components = new ArrayList<>();
          shapes.add(new Shape(Integer.parseInt(line), components));
        } else {
          components.add(
              new Component(
                  columns[ShapeTextLayout.COMPONENT_NAME_COLUMN],
                  Integer.parseInt(columns[ShapeTextLayout.COMPONENT_LENGTH_COLUMN]),
                  columns[ShapeTextLayout.COMPONENT_CODEC_COLUMN]));
        }
      } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
        throw damaged(name, text);
      } catch (UnsupportedOperationException e) { // a component before the first shape
        throw damaged(name, text);
      }
    }
    return shapes;
  }

  /** Returns the text of an enum or a sealed interface: the number of a name is its index. */
  static String ofNames(String kind, List<String> names) {
    StringBuilder text = new StringBuilder(kind);
    names.forEach(each -> text.append(LINE).append(requirePlain(each)));
    return text.toString();
  }

  /** Returns those names, in the order of their numbers. */
  static List<String> names(String kind, String name, String text) {
    return lines(name, text, kind);
  }

  private static List<String> lines(String name, String text, String kind) {
    List<String> lines = Arrays.asList(text.split(LINE, -1));
    if (!lines.getFirst().equals(kind)) {
      throw new CodecException(
          name
              + " is a type of the kind \""
              + lines.getFirst()
              + "\" in this store, and was asked for as \""
              + kind
              + "\"; give it another name by @PersistentName");
    }
    return lines.subList(1, lines.size());
  }

  private static CodecException damaged(String name, String text) {
    return new CodecException("the store's description of " + name + " is damaged: " + text);
  }

  private static String requirePlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Character.isISOControl(name.charAt(i))) {
        throw new CodecException(
            "a name of a codec or type must not have the control character at index "
                + i
                + ": "
                + name);
      }
    }
    return name;
  }
}
