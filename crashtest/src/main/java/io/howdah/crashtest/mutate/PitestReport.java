package io.howdah.crashtest.mutate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * What pitest writes as XML, as far as it came.
 *
 * @param mutants in the order of the report
 * @param isComplete whether the report has its end; a run that was stopped has not
 */
record PitestReport(List<Mutant> mutants, boolean isComplete) {

  /**
   * Returns the classes of which every mutant is in the report: pitest writes class by class, so
   * these are all but the last one, and the last one too if the report has its end.
   */
  List<MutationRun.Result> finished() {
    Map<String, List<Mutant>> byClass = new LinkedHashMap<>();
    for (Mutant mutant : mutants) {
      byClass.computeIfAbsent(mutant.className(), _ -> new ArrayList<>()).add(mutant);
    }
    if (!isComplete && !mutants.isEmpty()) {
      byClass.remove(mutants.getLast().className());
    }
    return byClass.entrySet().stream()
        .map(entry -> new MutationRun.Result(entry.getKey(), entry.getValue()))
        .toList();
  }

  static PitestReport read(Path file) throws IOException {
    List<Mutant> mutants = new ArrayList<>();
    if (!Files.exists(file)) {
      return new PitestReport(mutants, false);
    }
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = factory.createXMLStreamReader(in);
      Map<String, String> fields = new HashMap<>();
      StringBuilder text = new StringBuilder();
      while (xml.hasNext()) {
        switch (xml.next()) {
          case XMLStreamConstants.START_ELEMENT -> {
            text.setLength(0);
            if (xml.getLocalName().equals("mutation")) {
              fields.clear();
              fields.put("status", xml.getAttributeValue(null, "status"));
            }
          }
          case XMLStreamConstants.CHARACTERS -> text.append(xml.getText());
          case XMLStreamConstants.END_ELEMENT -> {
            if (xml.getLocalName().equals("mutation")) {
              mutants.add(mutant(fields));
            } else {
              // Of several indexes of one mutant the first, as the extension of pitest has it.
              fields.putIfAbsent(xml.getLocalName(), text.toString());
            }
          }
          default -> {}
        }
      }
      return new PitestReport(mutants, true);
    } catch (XMLStreamException e) {
      return new PitestReport(mutants, false); // it was stopped in the middle
    }
  }

  private static Mutant mutant(Map<String, String> fields) {
    return new Mutant(
        fields.getOrDefault("status", ""),
        fields.getOrDefault("mutatedClass", ""),
        fields.getOrDefault("mutatedMethod", ""),
        Integer.parseInt(fields.getOrDefault("lineNumber", "0")),
        Integer.parseInt(fields.getOrDefault("index", "0")),
        fields.getOrDefault("description", "").replace('\t', ' ').replace('\n', ' '));
  }
}
