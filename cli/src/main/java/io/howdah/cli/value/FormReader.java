package io.howdah.cli.value;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.derived.Codecs;
import io.howdah.core.layout.ShapeTextLayout;
import io.howdah.core.layout.TypeNameText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes forms of the names of codecs. For one thread. */
final class FormReader {

  private static final int MAX_DEPTH = 100;

  private final Shapes shapes;
  private final StoredObjects objects;
  private final Set<String> open;
  private final String text;
  private final int depth;
  private int at;

  private FormReader(
      Shapes shapes, StoredObjects objects, Set<String> open, String text, int depth) {
    this.shapes = shapes;
    this.objects = objects;
    this.open = open;
    this.text = text;
    this.depth = depth;
  }

  /** Returns the form of a codec; {@link PartForms.Opaque} if only the program knows it. */
  static ValueForm read(String codec, Shapes shapes, StoredObjects objects) {
    return new FormReader(shapes, objects, new HashSet<>(), codec, 0).whole(Codec.VARIABLE);
  }

  /** Reads all of the text; the length is that of an opaque value. */
  private ValueForm whole(int length) {
    ValueForm form = depth > MAX_DEPTH ? null : next(0);
    return form == null || at < text.length() ? new PartForms.Opaque(text, length) : form;
  }

  /** Reads the form that begins here; null if it has a part that only the program knows. */
  private @Nullable ValueForm next(int nesting) {
    if (nesting > MAX_DEPTH) {
      return null;
    }
    int start = at;
    if (take("ordered ")) {
      return orderedForm(start, nesting);
    }
    for (String kind : List.of("list of ", "set of ", "array of ")) {
      if (take(kind)) {
        return of(start, nesting, FormPart::repeated, PartForms.Elements::new);
      }
    }
    if (take("map of ")) {
      return ofTwo(start, nesting, " to ", FormPart::repeated, PartForms.Entries::new);
    }
    if (take("pair of ")) {
      return ofTwo(start, nesting, " and ", FormPart::element, FormReader::pair);
    }
    if (take("nullable ") || take("optional ")) {
      return of(start, nesting, FormPart::element, PartForms.Absent::new);
    }
    if (take("descending ")) {
      ValueForm form = next(nesting + 1);
      return form == null ? null : new PartForms.Descending(since(start), form);
    }
    if (take("compressed ")) {
      ValueForm form = next(nesting + 1);
      return form == null ? null : new Compressed(since(start), form);
    }
    if (take("record ")) {
      return record(start, nesting, FormPart::component);
    }
    if (take("enum ")) {
      String name = name();
      return type(since(start), name, ShapeTextLayout.ENUM);
    }
    if (take("sealed ")) {
      return sealed(start, nesting);
    }
    if (take("reference to ")) {
      String type = name();
      return new TypeForms.Reference(since(start), type, objects);
    }
    return ScalarForm.ALL.stream().filter(each -> take(each.name())).findFirst().orElse(null);
  }

  private @Nullable ValueForm orderedForm(int start, int nesting) {
    if (take("record ")) {
      return record(start, nesting, FormPart::ordered);
    }
    if (take("enum ")) {
      String name = name();
      return type(since(start), name, ShapeTextLayout.ENUM);
    }
    if (take("nullable ") || take("optional ")) {
      return of(start, nesting, FormPart::ordered, PartForms.Absent::new);
    }
    return take("pair of ")
        ? ofTwo(start, nesting, " and ", FormPart::ordered, FormReader::pair)
        : null;
  }

  private static ValueForm pair(String name, FormPart first, FormPart second) {
    return new PartForms.Tuple(name, List.of(first, second));
  }

  private @Nullable ValueForm of(
      int start,
      int nesting,
      Function<ValueForm, FormPart> framing,
      BiFunction<String, FormPart, ValueForm> make) {
    ValueForm form = next(nesting + 1);
    return form == null ? null : make.apply(since(start), framing.apply(form));
  }

  /** Makes a form of two. */
  private interface OfTwo {
    ValueForm make(String name, FormPart first, FormPart second);
  }

  private @Nullable ValueForm ofTwo(
      int start, int nesting, String between, Function<ValueForm, FormPart> framing, OfTwo of) {
    ValueForm first = next(nesting + 1);
    ValueForm second = first == null || !take(between) ? null : next(nesting + 1);
    return first == null || second == null
        ? null
        : of.make(since(start), framing.apply(first), framing.apply(second));
  }

  private @Nullable ValueForm record(
      int start, int nesting, Function<ValueForm, FormPart> framing) {
    String name = name();
    if (!take("(")) {
      return type(since(start), name, ShapeTextLayout.RECORD);
    }
    List<FormPart> parts = new ArrayList<>();
    while (!take(")")) {
      ValueForm part = parts.isEmpty() || take(", ") ? next(nesting + 1) : null;
      if (part == null) {
        return null;
      }
      parts.add(framing.apply(part));
    }
    return new PartForms.Tuple(since(start), parts);
  }

  private @Nullable ValueForm sealed(int start, int nesting) {
    String name = name();
    if (!take("[")) {
      return type(since(start), name, ShapeTextLayout.SEALED);
    }
    Map<String, ValueForm> byName = new LinkedHashMap<>();
    while (!take("]")) {
      int variant = at;
      ValueForm form = byName.isEmpty() || take(", ") ? next(nesting + 1) : null;
      if (form == null) {
        return null;
      }
      // "record shop.Card(utf8)" is of the class that the store calls "shop.Card".
      String described = text.substring(variant, at).replaceFirst("^(, )?\\w+ ", "");
      int end = TypeNameText.end(described, 0);
      byName.put(TypeNameText.name(described.substring(0, end)), form);
    }
    Map<String, ValueForm> variants = new LinkedHashMap<>();
    for (String variant : lines(name, ShapeTextLayout.SEALED)) {
      ValueForm form = byName.get(variant);
      variants.put(variant, form == null ? new PartForms.Opaque(variant, Codec.VARIABLE) : form);
    }
    return new TypeForms.Variants(since(start), variants);
  }

  /** Returns the form of a type of which the store has more than its name. */
  private @Nullable ValueForm type(String codec, String name, String kind) {
    if (!open.add(name)) {
      return null; // a record that contains itself: no program has made it
    }
    try {
      List<String> lines = lines(name, kind);
      return switch (kind) {
        case ShapeTextLayout.ENUM -> new TypeForms.Constants(codec, lines);
        case ShapeTextLayout.RECORD -> new TypeForms.Shapes(codec, shapes(name, lines));
        default -> {
          Map<String, ValueForm> variants = new LinkedHashMap<>();
          lines.forEach(variant -> variants.put(variant, variant(variant)));
          yield new TypeForms.Variants(codec, variants);
        }
      };
    } finally {
      open.remove(name);
    }
  }

  private ValueForm variant(String name) {
    String described = shapeText(name);
    String kind = described == null ? "" : described.lines().findFirst().orElse("");
    return other(kind + " " + TypeNameText.described(name), Codec.VARIABLE);
  }

  private ValueForm other(String codec, int length) {
    return new FormReader(shapes, objects, open, codec, depth + 1).whole(length);
  }

  private List<TypeForms.Shape> shapes(String name, List<String> lines) {
    List<TypeForms.Shape> all = new ArrayList<>();
    for (String line : lines) {
      String[] columns = line.split(String.valueOf(ShapeTextLayout.COLUMN_SEPARATOR), -1);
      if (columns.length <= ShapeTextLayout.COMPONENT_CODEC_COLUMN) {
        all.add(new TypeForms.Shape(new LinkedHashMap<>()));
        continue;
      }
      if (all.isEmpty()) {
        throw damaged(name);
      }
      int length;
      try {
        length = Integer.parseInt(columns[ShapeTextLayout.COMPONENT_LENGTH_COLUMN]);
      } catch (NumberFormatException e) {
        throw damaged(name);
      }
      ValueForm form = other(columns[ShapeTextLayout.COMPONENT_CODEC_COLUMN], length);
      FormPart.Framing framing = length < 0 ? FormPart.Framing.LENGTH : FormPart.Framing.NONE;
      all.getLast()
          .components()
          .put(
              columns[ShapeTextLayout.COMPONENT_NAME_COLUMN],
              form.fixedLength() == length
                  ? new FormPart(form, framing)
                  : new FormPart(new PartForms.Opaque(form.name(), length), framing));
    }
    if (all.isEmpty()) {
      throw damaged(name);
    }
    return all;
  }

  private static ValueException damaged(String name) {
    return new ValueException("the store's description of " + name + " is damaged");
  }

  /** Returns what the store has of a type, or null. Stores nothing. */
  private @Nullable String shapeText(String name) {
    try {
      return shapes.open(name, List.of(), stored -> require(name, stored)).text();
    } catch (ValueException e) {
      return null;
    }
  }

  private static String require(String name, @Nullable String stored) {
    if (stored == null) {
      throw new ValueException("the store has no description of " + name);
    }
    return stored;
  }

  private List<String> lines(String name, String kind) {
    String found = shapeText(name);
    List<String> lines = found == null ? List.of() : found.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().equals(kind)) {
      throw new ValueException("the store has no description of the " + kind + " " + name);
    }
    return lines.subList(1, lines.size());
  }

  private boolean take(String word) {
    boolean isHere = text.startsWith(word, at);
    at += isHere ? word.length() : 0;
    return isHere;
  }

  /** Takes the name of a type, up to what can follow one. */
  private String name() {
    int start = at;
    at = TypeNameText.end(text, at);
    return TypeNameText.name(since(start));
  }

  private String since(int start) {
    return text.substring(start, at);
  }

  /** Values whose bytes are compressed, as {@link Codecs#compressed} does it. */
  private record Compressed(String name, ValueForm form, Codec<JsonValue> codec)
      implements ValueForm {

    Compressed(String name, ValueForm form) {
      this(name, form, Codecs.compressed(DescribedCodec.of(form)));
    }

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
      codec.encode(new JsonValue(tree), out);
    }

    @Override
    public @Nullable Object decode(Decoder in) {
      return codec.decode(in).tree();
    }
  }
}
