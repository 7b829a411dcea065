package io.howdah.springboot;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code howdah}. One that is not known ends the start of the application.
 *
 * @param stores the stores of the application, by their names
 * @param primary the name of the store that is injected where none is named; needs not be said if
 *     there is one store
 * @param timers whether transactions, forces and checkpoints are timed, where there are meters
 */
@ConfigurationProperties(prefix = HowdahProperties.PREFIX, ignoreUnknownFields = false)
public record HowdahProperties(
    @DefaultValue Map<String, StoreProperties> stores,
    @Nullable String primary,
    @DefaultValue("true") boolean timers) {

  /** What the names of all properties begin with. */
  static final String PREFIX = "howdah";

  /** Copies the map. */
  public HowdahProperties {
    stores = Map.copyOf(stores);
  }

  /** Returns the full name of a property of a store. */
  static String name(String store, String property) {
    return PREFIX + ".stores." + store + "." + property;
  }
}
