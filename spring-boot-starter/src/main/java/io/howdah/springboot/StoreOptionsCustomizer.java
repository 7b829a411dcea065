package io.howdah.springboot;

import io.howdah.StoreOptions;

/**
 * Changes the options by which a store of the properties is opened: for what no property can say,
 * such as codecs. Every bean of this type is asked, in Spring's order.
 *
 * <pre>{@code
 * @Bean
 * StoreOptionsCustomizer codecs() {
 *   return (store, options) ->
 *       options.withCodecs(
 *           CodecRegistry.defaults().with(Order.class, JacksonCodec.of(Order.class)));
 * }
 * }</pre>
 */
@FunctionalInterface
public interface StoreOptionsCustomizer {

  /**
   * Returns the options to open a store with.
   *
   * @param store its name in the properties
   * @param options as the properties and earlier customizers say
   */
  StoreOptions customize(String store, StoreOptions options);
}
