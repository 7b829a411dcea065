package io.howdah.nvmsim.steps;

/**
 * One step of a program. The first kinds are events on memory, the others change only variables and
 * the place in the program.
 *
 * @param kind what it does
 * @param into index of the variable that takes a result
 * @param first address of an access; first term of a comparison; value of an assignment or a note
 * @param second stored or awaited value; second term of a comparison
 * @param third new value of a compare-and-set
 * @param target step to go to
 * @param site caller's line of an event, or number of a note
 */
record Step(Kind kind, int into, Term first, Term second, Term third, int target, int site) {
  /** The kinds of step. */
  enum Kind {
    LOAD,
    STORE,
    EXCHANGE,
    /** Goes to the target if the word held another value. */
    COMPARE_AND_SET,
    SPIN_WHILE,
    PERSIST_BARRIER,
    NEW_STRAND,
    ASSIGN,
    JUMP,
    JUMP_IF_EQUAL,
    JUMP_IF_LESS,
    NOTE;

    boolean isEvent() {
      return switch (this) {
        case LOAD, STORE, EXCHANGE, COMPARE_AND_SET, SPIN_WHILE, PERSIST_BARRIER, NEW_STRAND ->
            true;
        case ASSIGN, JUMP, JUMP_IF_EQUAL, JUMP_IF_LESS, NOTE -> false;
      };
    }
  }

  private static final Term NOTHING = Term.of(0);

  static Step of(Kind kind, Term first, Term second, int site) {
    return new Step(kind, 0, first, second, NOTHING, 0, site);
  }

  static Step mark(Kind kind, int site) {
    return of(kind, NOTHING, NOTHING, site);
  }

  Step into(Term.Variable variable) {
    return new Step(kind, variable.index(), first, second, third, target, site);
  }

  Step third(Term term) {
    return new Step(kind, into, first, second, term, target, site);
  }

  Step to(int step) {
    return new Step(kind, into, first, second, third, step, site);
  }
}
