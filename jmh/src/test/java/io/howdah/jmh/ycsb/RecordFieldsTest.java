package io.howdah.jmh.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecordFieldsTest {

  @Test
  void fieldsComeBackInTheirOrder() throws IOException {
    Map<String, byte[]> fields = new LinkedHashMap<>();
    fields.put("field1", new byte[] {1, 2, 3});
    fields.put("field0", new byte[0]);
    fields.put("", new byte[] {'\r', '\n'});
    Map<String, byte[]> decoded = RecordFields.decode(RecordFields.encode(fields));
    assertThat(decoded.keySet()).containsExactly("field1", "field0", "");
    decoded.forEach((name, value) -> assertThat(value).isEqualTo(fields.get(name)));
  }

  @Test
  void otherBytesAreRefused() throws IOException {
    byte[] record = RecordFields.encode(Map.of("field0", new byte[] {1, 2}));
    for (int length = 1; length < record.length; length++) {
      byte[] cut = Arrays.copyOf(record, length);
      assertThatThrownBy(() -> RecordFields.decode(cut)).isInstanceOf(IOException.class);
    }
    byte[] negative = {-1, -1, -1, -1, 0, 0, 0, 1, 0};
    assertThatThrownBy(() -> RecordFields.decode(negative)).isInstanceOf(IOException.class);
    assertThat(RecordFields.decode(new byte[0])).isEmpty();
  }
}
