package io.howdah.nvmsim.crash.loc;

import java.util.Optional;

/**
 * What a campaign of power cuts found.
 *
 * @param states memory states that recovery ran on
 * @param secondCuts of those, cut again while recovery ran
 * @param violation the first broken promise, with what repeats it
 */
public record PowerCutResult(long states, long secondCuts, Optional<String> violation) {

  PowerCutResult plus(PowerCutResult other) {
    return new PowerCutResult(
        states + other.states,
        secondCuts + other.secondCuts,
        violation.isPresent() ? violation : other.violation);
  }
}
