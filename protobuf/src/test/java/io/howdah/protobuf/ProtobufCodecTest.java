package io.howdah.protobuf;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.PersistentMap;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages in a store. */
final class ProtobufCodecTest {

  @TempDir private Path folder;

  private Store open() {
    return Store.open(folder, StoreOptions.defaults().withMaxSize(1 << 20));
  }

  private static PersistentMap<Long, DynamicMessage> items(Store store, Descriptor type) {
    return store.map(
        "items", Codec.int64(), ProtobufCodec.of(DynamicMessage.getDefaultInstance(type)));
  }

  /** Makes the type {@code shop.Item} with a name and other fields, as a compiler would. */
  private static Descriptor type(FieldDescriptorProto... more)
      throws DescriptorValidationException {
    DescriptorProto.Builder item =
        DescriptorProto.newBuilder()
            .setName("Item")
            .addField(field("name", 1, FieldDescriptorProto.Type.TYPE_STRING));
    for (FieldDescriptorProto field : more) {
      item.addField(field);
    }
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("item.proto")
            .setPackage("shop")
            .addMessageType(item)
            .build();
    return FileDescriptor.buildFrom(file, new FileDescriptor[0]).findMessageTypeByName("Item");
  }

  private static FieldDescriptorProto field(
      String name, int number, FieldDescriptorProto.Type type) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setType(type)
        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
        .build();
  }

  private static DynamicMessage with(DynamicMessage message, String field, Object value) {
    return message.toBuilder()
        .setField(message.getDescriptorForType().findFieldByName(field), value)
        .build();
  }

  private static Object get(DynamicMessage message, String field) {
    return message.getField(message.getDescriptorForType().findFieldByName(field));
  }

  private static <V> V stored(Store store, PersistentMap<Long, V> map, long key) {
    return store.read(tx -> requireNonNull(map.get(tx, key)));
  }

  @Test
  void messagesAreThereAfterTheNextOpening() {
    Struct.Builder struct = Struct.newBuilder();
    for (int i = 0; i < 100; i++) {
      struct.putFields("field " + i, Value.newBuilder().setNumberValue(i).build());
    }
    Struct value = struct.build();
    ProtobufCodec<Struct> codec = ProtobufCodec.of(Struct.getDefaultInstance());
    try (Store store = open()) {
      PersistentMap<Long, Struct> map = store.map("structs", Codec.int64(), codec);
      store.run(tx -> map.put(tx, 1L, value));
      store.run(tx -> map.put(tx, 2L, Struct.getDefaultInstance()));
    }
    try (Store store = open()) {
      PersistentMap<Long, Struct> map = store.map("structs", Codec.int64(), codec);
      assertThat(stored(store, map, 1L)).isEqualTo(value);
      assertThat(stored(store, map, 2L)).isEqualTo(Struct.getDefaultInstance());
    }
  }

  /** An older program keeps the fields that a newer one has written. */
  @Test
  void anotherVersionOfTheTypeKeepsWhatItDoesNotKnow() throws Exception {
    Descriptor first = type();
    Descriptor second = type(field("pieces", 2, FieldDescriptorProto.Type.TYPE_INT32));
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, first);
      store.run(
          tx -> items.put(tx, 1L, with(DynamicMessage.getDefaultInstance(first), "name", "pot")));
    }
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, second);
      DynamicMessage old = stored(store, items, 1L);
      assertThat(get(old, "name")).isEqualTo("pot");
      assertThat(get(old, "pieces")).isEqualTo(0);
      store.run(tx -> items.put(tx, 1L, with(old, "pieces", 7)));
    }
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, first);
      store.run(tx -> items.put(tx, 1L, with(requireNonNull(items.get(tx, 1L)), "name", "cup")));
    }
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, second);
      DynamicMessage both = stored(store, items, 1L);
      assertThat(get(both, "name")).isEqualTo("cup");
      assertThat(get(both, "pieces")).isEqualTo(7);
    }
  }

  @Test
  void aFieldIsKnownByItsNumber() throws Exception {
    Descriptor first =
        type(
            field("pieces", 2, FieldDescriptorProto.Type.TYPE_INT32),
            field("color", 3, FieldDescriptorProto.Type.TYPE_STRING));
    Descriptor second = type(field("count", 2, FieldDescriptorProto.Type.TYPE_INT32));
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, first);
      DynamicMessage item = with(DynamicMessage.getDefaultInstance(first), "pieces", 5);
      store.run(tx -> items.put(tx, 1L, with(item, "color", "red")));
    }
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> items = items(store, second);
      DynamicMessage item = stored(store, items, 1L);
      assertThat(get(item, "count")).isEqualTo(5);
      assertThat(item.getUnknownFields().asMap()).containsOnlyKeys(3);
    }
  }

  @Test
  void aMapOpensWithItsOwnMessageTypeOnly() {
    try (Store store = open()) {
      store.map("m", Codec.int64(), ProtobufCodec.of(Struct.getDefaultInstance()));
    }
    try (Store store = open()) {
      assertThatThrownBy(
              () -> store.map("m", Codec.int64(), ProtobufCodec.of(Timestamp.getDefaultInstance())))
          .hasMessageContaining("protobuf/google.protobuf.Struct");
    }
  }

  @Test
  void bytesThatAreNoMessageAreRefused() throws Exception {
    Descriptor item = type(field("pieces", 2, FieldDescriptorProto.Type.TYPE_STRING));
    ProtobufCodec<DynamicMessage> codec = ProtobufCodec.of(DynamicMessage.getDefaultInstance(item));
    assertThat(codec.name()).isEqualTo("protobuf/shop.Item");
    for (byte[] bytes :
        List.of(new byte[] {10, 100, 1}, new byte[] {7}, new byte[] {10, -1, -1, -1, -1, -1, 1})) {
      try (Store store = open()) {
        PersistentMap<Long, byte[]> raw =
            store.map("raw", Codec.int64(), new RawCodec(codec.name()));
        store.run(tx -> raw.put(tx, 1L, bytes));
      }
      try (Store store = open()) {
        PersistentMap<Long, DynamicMessage> map = store.map("raw", Codec.int64(), codec);
        assertThatThrownBy(() -> stored(store, map, 1L))
            .isInstanceOf(CodecException.class)
            .hasMessageContaining("protobuf/shop.Item cannot read " + bytes.length + " bytes");
      }
    }
  }

  @Test
  void aRequiredFieldThatIsMissingIsNamed() throws Exception {
    FieldDescriptorProto required =
        field("pieces", 2, FieldDescriptorProto.Type.TYPE_INT32).toBuilder()
            .setLabel(FieldDescriptorProto.Label.LABEL_REQUIRED)
            .build();
    DynamicMessage empty = DynamicMessage.getDefaultInstance(type(required));
    try (Store store = open()) {
      PersistentMap<Long, DynamicMessage> map =
          store.map("items", Codec.int64(), ProtobufCodec.of(empty));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 1L, empty)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("pieces");
    }
  }

  /** Writes any bytes under the name of another codec. */
  private record RawCodec(String name) implements Codec<byte[]> {
    @Override
    public void encode(byte[] value, Encoder out) {
      out.putBytes(value);
    }

    @Override
    public byte[] decode(Decoder in) {
      return in.getBytes(in.remaining());
    }
  }
}
