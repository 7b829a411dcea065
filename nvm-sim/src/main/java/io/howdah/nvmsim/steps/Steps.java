package io.howdah.nvmsim.steps;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes the text of a program: calls add its steps in order, and blocks are given as code that
 * adds theirs. {@code site} is as in {@link io.howdah.nvmsim.mem.MemoryPort}.
 *
 * <pre>{@code
 * Steps text = new Steps();
 * Term.Variable head = text.variable();
 * text.load(head, Term.of(address), 0);
 * text.store(Term.of(address), head.plus(8), 0);
 * StepProgram program = text.program();
 * }</pre>
 */
public final class Steps {
  /** Variable 0 holds the number of the thread. */
  static final int THREAD = 0;

  /** Variable 1 holds the number of the operation. */
  static final int OPERATION = 1;

  private final List<Step> steps = new ArrayList<>();
  private final List<Label> targets = new ArrayList<>();
  private int variables = 2;

  /** A place in the program. */
  public static final class Label {
    private int step = -1;

    private Label() {}
  }

  private static final Label NOWHERE = new Label();

  /** The number of the thread that runs the program. */
  public Term.Variable thread() {
    return new Term.Variable(THREAD);
  }

  /** A new variable, 0 when the program begins. */
  public Term.Variable variable() {
    return new Term.Variable(variables++);
  }

  public void load(Term.Variable into, Term address, int site) {
    add(Step.of(Step.Kind.LOAD, address, address, site).into(into));
  }

  public void store(Term address, Term value, int site) {
    add(Step.of(Step.Kind.STORE, address, value, site));
  }

  /** Stores the value and takes the old one, in one event. */
  public void exchange(Term.Variable into, Term address, Term value, int site) {
    add(Step.of(Step.Kind.EXCHANGE, address, value, site).into(into));
  }

  /** Stores the value if the word holds the expected one; goes to the label if it does not. */
  public void compareAndSet(Term address, Term expected, Term value, Label failed, int site) {
    add(Step.of(Step.Kind.COMPARE_AND_SET, address, expected, site).third(value), failed);
  }

  /** Waits while the word holds the value, and takes what it holds then. */
  public void spinWhile(Term.Variable into, Term address, Term value, int site) {
    add(Step.of(Step.Kind.SPIN_WHILE, address, value, site).into(into));
  }

  public void persistBarrier(int site) {
    add(Step.mark(Step.Kind.PERSIST_BARRIER, site));
  }

  public void newStrand(int site) {
    add(Step.mark(Step.Kind.NEW_STRAND, site));
  }

  public void assign(Term.Variable into, Term value) {
    add(Step.of(Step.Kind.ASSIGN, value, value, 0).into(into));
  }

  /** Tells the caller's {@link StepNotes}; no part of what the program does on memory. */
  public void note(int number, Term value) {
    add(Step.of(Step.Kind.NOTE, value, value, number));
  }

  /** A label to jump to; {@link #here} places it. */
  public Label label() {
    return new Label();
  }

  /** Places a label at the next step. */
  public void here(Label label) {
    if (label.step >= 0) {
      throw new IllegalStateException("a label has one place");
    }
    label.step = steps.size();
  }

  public void jump(Label to) {
    add(Step.mark(Step.Kind.JUMP, 0), to);
  }

  public void jumpIfEqual(Term first, Term second, Label to) {
    add(Step.of(Step.Kind.JUMP_IF_EQUAL, first, second, 0), to);
  }

  /** Jumps if the first is less, both as signed numbers. */
  public void jumpIfLess(Term first, Term second, Label to) {
    add(Step.of(Step.Kind.JUMP_IF_LESS, first, second, 0), to);
  }

  /** One of two blocks. */
  public void ifEqual(Term first, Term second, Runnable then, Runnable otherwise) {
    Label equal = label();
    Label end = label();
    jumpIfEqual(first, second, equal);
    otherwise.run();
    jump(end);
    here(equal);
    then.run();
    here(end);
  }

  /** Repeats a block for ever; it ends by a jump to a label behind it. */
  public void repeat(Runnable block) {
    Label again = label();
    here(again);
    block.run();
    jump(again);
  }

  /**
   * The program so far. Ends behind its last step.
   *
   * @throws IllegalStateException if a label was used and never placed
   */
  public StepProgram program() {
    List<Step> linked = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Label target = targets.get(i);
      if (target != NOWHERE && target.step < 0) {
        throw new IllegalStateException("step " + i + " goes to a label without a place");
      }
      linked.add(target == NOWHERE ? steps.get(i) : steps.get(i).to(target.step));
    }
    return new StepProgram(linked, variables);
  }

  private void add(Step step) {
    add(step, NOWHERE);
  }

  private void add(Step step, Label target) {
    steps.add(step);
    targets.add(target);
  }
}
