package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;
import io.howdah.codec.Shapes;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records, enums and sealed interfaces whose shapes a store holds: its texts, and wrong bytes. */
final class StoredShapesCodecTest {

  /** The texts of a store. */
  private static final class Texts implements Shapes {
    private final Map<String, String> texts = new HashMap<>();
    private boolean isReadOnly;
    private boolean isForKeys;

    @Override
    public boolean isForKeys() {
      return isForKeys;
    }

    @Override
    public Entry open(
        String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
      String stored = texts.get(name);
      if (!isReadOnly || stored == null) {
        stored = update.apply(stored);
        texts.put(name, stored == null ? "" : stored);
      }
      return new Entry(name, stored == null ? "" : stored);
    }

    @Override
    public @Nullable String text(String name) {
      return texts.get(name);
    }
  }

  private final Texts texts = new Texts();

  private static byte[] bytes(int... bytes) {
    byte[] result = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      result[i] = (byte) bytes[i];
    }
    return result;
  }

  // ---- Sealed interfaces.

  @PersistentName("payment")
  sealed interface Payment permits Cash, Card {}

  @PersistentName("cash")
  @FormerName("coins")
  record Cash() implements Payment {}

  @PersistentName("card")
  record Card(int number) implements Payment {}

  @Test
  void aClassKeepsTheNumberOfItsNameWhateverItWasCalledBefore() {
    Codec<Payment> codec = Codecs.of(Payment.class).bind(texts);
    assertThat(codec.name()).isEqualTo("sealed payment");
    byte[] cash = CodecBytes.encode(codec, new Cash());
    assertThat(cash).startsWith(0);
    assertThat(CodecBytes.decode(codec, cash)).isEqualTo(new Cash());
    assertThat(CodecBytes.roundTrip(codec, new Card(4))).isEqualTo(new Card(4));
    assertThat(texts.texts).containsEntry("payment", "sealed\ncash\ncard");
    assertThat(CodecBytes.encode(Codecs.of(Payment.class).bind(texts), new Cash())).isEqualTo(cash);
    assertThat(texts.texts).containsEntry("payment", "sealed\ncash\ncard");
  }

  @Test
  void aFormerNameOfAClassCountsIfItsOwnIsNotStored() {
    texts.texts.put("payment", "sealed\ncard\ncoins");
    Codec<Payment> codec = Codecs.of(Payment.class).bind(texts);
    assertThat(CodecBytes.encode(codec, new Cash())).startsWith(1);
    assertThat(texts.texts).containsEntry("payment", "sealed\ncard\ncoins");
    assertThat(CodecBytes.roundTrip(codec, new Cash())).isEqualTo(new Cash());
  }

  @Test
  void aNumberThatNoClassHasIsRefused() {
    texts.texts.put("payment", "sealed\ncheque");
    Codec<Payment> codec = Codecs.of(Payment.class).bind(texts);
    assertThat(texts.texts).containsEntry("payment", "sealed\ncheque\ncash\ncard");
    assertThatThrownBy(() -> CodecBytes.decode(codec, bytes(0)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"cheque\"");
    for (int number : new int[] {3, 4}) {
      assertThatThrownBy(() -> CodecBytes.decode(codec, bytes(number)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("of number " + number);
    }
  }

  @Test
  void aReadOnlyStoreHasNoNumberForANewClass() {
    texts.texts.put("payment", "sealed\ncard");
    texts.isReadOnly = true;
    Codec<Payment> codec = Codecs.of(Payment.class).bind(texts);
    assertThatThrownBy(() -> CodecBytes.encode(codec, new Cash()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no number for cash");
  }

  @Test
  void theNameOfASealedKeyHasThoseOfItsClasses() {
    texts.isForKeys = true;
    assertThat(Codecs.of(Payment.class).bind(texts).name())
        .isEqualTo("sealed payment[record cash(), record card(int32)]");
  }

  // ---- Enums.

  @PersistentName("size")
  enum Size {
    SMALL,
    MEDIUM,
    LARGE
  }

  @Test
  void anEnumHasTheNameOfItsKind() {
    assertThat(Codecs.of(Size.class).bind(texts).name()).isEqualTo("enum size");
    assertThat(Codecs.ordered(Size.class).bind(texts).name()).isEqualTo("ordered enum size");
    assertThat(Codecs.of(Size.class).name()).isEqualTo("enum size");
    assertThat(Codecs.ordered(Size.class).name())
        .isEqualTo("ordered enum size[SMALL, MEDIUM, LARGE]");
  }

  @Test
  void anotherOrderOfConstantsIsRefusedForSortedKeysAndStoresNothing() {
    for (String stored : List.of("enum\nMEDIUM\nSMALL\nLARGE", "enum\nSMALL\nLARGE")) {
      texts.texts.put("size", stored);
      assertThatThrownBy(() -> Codecs.ordered(Size.class).bind(texts))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("would have to come before");
      assertThat(texts.texts).containsEntry("size", stored);
    }
    assertThatThrownBy(() -> Codecs.ordered(Size.class).bind(texts))
        .hasMessageContaining("LARGE would have to come before MEDIUM");
  }

  @Test
  void aReadOnlyStoreRefusesAnotherOrderToo() {
    texts.texts.put("size", "enum\nMEDIUM\nSMALL\nLARGE");
    texts.isReadOnly = true;
    assertThatThrownBy(() -> Codecs.ordered(Size.class).bind(texts))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("MEDIUM would have to come before SMALL");
    assertThat(CodecBytes.hex(Codecs.of(Size.class).bind(texts), Size.SMALL)).isEqualTo("0001");
  }

  @Test
  void aConstantThatTheStoreDoesNotKnowIsRefused() {
    texts.texts.put("size", "enum\nSMALL\nHUGE");
    texts.isReadOnly = true;
    Codec<Size> codec = Codecs.of(Size.class).bind(texts);
    assertThatThrownBy(() -> CodecBytes.encode(codec, Size.LARGE))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no number");
    assertThatThrownBy(() -> CodecBytes.decode(codec, bytes(0, 1)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no constant \"HUGE\"");
    assertThatThrownBy(() -> CodecBytes.decode(codec, bytes(0, 2)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("2 constants in this store, none of number 2");
    assertThatThrownBy(() -> CodecBytes.decode(Codecs.ordered(Size.class), bytes(0, 3)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no constant of number 3");
  }

  /** Two bytes hold the number of a constant; few enums need the second one. */
  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // the class is compiled here
  void anEnumMayHaveMoreConstantsThanAByteCanCount(@TempDir Path folder) throws Exception {
    String constants =
        IntStream.range(0, 300).mapToObj(i -> "C" + i).collect(Collectors.joining(", "));
    compile("Many", "public enum Many {" + constants + "}", folder);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      Class<? extends Enum> many = loader.loadClass("Many").asSubclass(Enum.class);
      Enum[] all = many.getEnumConstants();
      for (Codec codec :
          List.of((Codec) Codecs.ordered((Class) many), Codecs.of((Class) many).bind(texts))) {
        for (int number : new int[] {0, 255, 256, 299}) {
          assertThat(CodecBytes.hex(codec, all[number])).isEqualTo("%04x".formatted(number));
          assertThat(CodecBytes.roundTrip(codec, all[number])).isSameAs(all[number]);
        }
      }
    }
  }

  private static void compile(String name, String text, Path folder) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    SimpleJavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), SimpleJavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
          }
        };
    assertThat(
            compiler
                .getTask(null, null, null, List.of("-d", folder.toString()), null, List.of(source))
                .call())
        .isTrue();
  }

  // ---- Records.

  record Nothing() {}

  @PersistentName("order")
  record OrderV1(Nothing nothing, String client, int cents) {}

  @PersistentName("order")
  record OrderV2(@FormerName("cents") long price) {}

  @PersistentName("order")
  record OrderV3(String customer, int cents) {}

  @PersistentName("order")
  record OrderV4(String client, int cents, String note) {}

  @Test
  void aComponentWithoutBytesIsSkippedToo() {
    byte[] bytes =
        CodecBytes.encode(
            Codecs.of(OrderV1.class).bind(texts), new OrderV1(new Nothing(), "anna", -7));
    assertThat(CodecBytes.decode(Codecs.of(OrderV2.class).bind(texts), bytes))
        .isEqualTo(new OrderV2(-7));
    assertThat(texts.texts.get("order"))
        .isEqualTo(
            "record\n0\nnothing\t-1\trecord io.howdah.codec.derived.StoredShapesCodecTest$Nothing\n"
                + "client\t-1\tutf8\ncents\t4\tint32\n0\nprice\t8\tint64");
  }

  @Test
  void whoRenamesAComponentIsToldWhichOnesNothingReads() {
    Codecs.of(OrderV1.class).bind(texts);
    assertThatThrownBy(() -> Codecs.of(OrderV3.class).bind(texts))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("OrderV3.customer is new, and shape 1")
        .hasMessageContaining("with one of [nothing, client], which nothing in the record reads");
    texts.texts.put("order", "record\n0\nclient\t-1\tutf8\ncents\t4\tint32");
    assertThatThrownBy(() -> Codecs.of(OrderV4.class).bind(texts))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("on the component; if it was added");
  }

  @PersistentName("point")
  record PointV1(int x, int y) {}

  @PersistentName("point")
  record PointV2(int x, int y, @Nullable String label) {}

  @Test
  void aShapeThatTheStoreDoesNotHaveIsRefused() {
    Codec<PointV1> first = Codecs.of(PointV1.class).bind(texts);
    Codec<PointV2> second = Codecs.of(PointV2.class).bind(texts);
    byte[] newer = CodecBytes.encode(second, new PointV2(3, 4, "l"));
    assertThat(CodecBytes.decode(first, newer)).isEqualTo(new PointV1(3, 4));
    Codec<PointV1> older = Codecs.of(PointV1.class).bind(texts);
    assertThatThrownBy(() -> CodecBytes.encode(older, new PointV1(1, 2)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("label: nullable utf8");
    for (Codec<?> codec : List.of(first, second, older)) {
      for (int number : new int[] {0, 3}) {
        byte[] wrong = newer.clone();
        wrong[0] = (byte) number;
        assertThatThrownBy(() -> CodecBytes.decode(codec, wrong))
            .isInstanceOf(CodecException.class)
            .hasMessageContaining("has 2 shapes in this store, none of number " + number);
      }
    }
  }

  @Test
  void aDamagedTextIsRefused() {
    for (String text :
        List.of(
            "record\nx", "record\nid\t8\tint64", "record\n0\nid\t8", "record\n0\nid\tx\tint64")) {
      texts.texts.put("point", text);
      assertThatThrownBy(() -> Codecs.of(PointV1.class).bind(texts))
          .as(text)
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("description of point is damaged");
    }
    assertThatThrownBy(() -> ShapeText.ofNames(ShapeText.ENUM, List.of("A", "B\tC")))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("control character at index 1");
  }

  // ---- Names.

  @Test
  void aNameInAStoreHasUpTo255Characters() {
    String longest = "n".repeat(255);
    assertThat(TypeName.require(Size.class, longest)).isEqualTo(longest);
    assertThatThrownBy(() -> TypeName.require(Size.class, longest + "m"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("not \"" + longest + "…\"");
    assertThatThrownBy(() -> TypeName.require(Size.class, "a\nb"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("not \"a\nb\"");
    assertThatThrownBy(() -> TypeName.require(Size.class, "\t" + "n".repeat(254)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("nn\"; name it");
    assertThatThrownBy(() -> TypeName.require(Size.class, "")).isInstanceOf(CodecException.class);
  }
}
