package io.howdah.nvmsim.steps;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a class of a program's text that runs on {@link NativeMemory} without tracing: its
 * variables are locals and its steps plain code, so that the compiler sees what it would see of a
 * program written by hand. Barriers and strands cost nothing, as in the paper's measurement.
 */
public final class NativeCode {
  private static final ClassDesc MEMORY = NativeMemory.class.describeConstable().orElseThrow();
  private static final ClassDesc NOTES = StepNotes.class.describeConstable().orElseThrow();
  private static final ClassDesc OPERATION =
      NativeOperation.class.describeConstable().orElseThrow();
  private static final ClassDesc LONG = ConstantDescs.CD_long;
  private static final MethodTypeDesc TO_LONG = MethodTypeDesc.of(LONG, LONG);
  private static final MethodTypeDesc TWO_TO_LONG = MethodTypeDesc.of(LONG, LONG, LONG);
  private static final MethodTypeDesc TWO = MethodTypeDesc.of(ConstantDescs.CD_void, LONG, LONG);
  private static final MethodTypeDesc RUN = MethodTypeDesc.of(LONG, MEMORY, NOTES, LONG, LONG);
  private static final int MEMORY_SLOT = 1;
  private static final int NOTES_SLOT = 2;

  /** Parameters thread and operation are variables 0 and 1. */
  private static final int FIRST_VARIABLE_SLOT = 3;

  private final CodeBuilder code;

  private NativeCode(CodeBuilder code) {
    this.code = code;
  }

  /** The program as a class; an operation returns what the variable holds in the end. */
  public static NativeOperation of(StepProgram program, Term.Variable result) {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of(NativeCode.class.getPackageName(), "NativeProgram"),
                type -> {
                  type.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                      .withInterfaceSymbols(OPERATION);
                  type.withMethodBody(
                      ConstantDescs.INIT_NAME,
                      ConstantDescs.MTD_void,
                      0,
                      code ->
                          code.aload(0)
                              .invokespecial(
                                  ConstantDescs.CD_Object,
                                  ConstantDescs.INIT_NAME,
                                  ConstantDescs.MTD_void)
                              .return_());
                  type.withMethodBody(
                      "run",
                      RUN,
                      ClassFile.ACC_PUBLIC,
                      code -> new NativeCode(code).body(program, result));
                });
    try {
      MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(bytes, true);
      return (NativeOperation) hidden.lookupClass().getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the class of a program is not as it was made: " + e, e);
    }
  }

  private void body(StepProgram program, Term.Variable result) {
    for (int i = Steps.OPERATION + 1; i < program.variables; i++) {
      code.lconst_0().lstore(slot(i));
    }
    List<Label> labels = new ArrayList<>();
    for (int i = 0; i <= program.steps.size(); i++) {
      labels.add(code.newLabel());
    }
    for (int i = 0; i < program.steps.size(); i++) {
      code.labelBinding(labels.get(i));
      Step step = program.steps.get(i);
      emit(step, labels.get(step.target()));
    }
    code.labelBinding(labels.get(program.steps.size()));
    code.lload(slot(result.index())).lreturn();
  }

  private void emit(Step step, Label target) {
    switch (step.kind()) {
      case LOAD -> {
        call("getAcquire", TO_LONG, step.first());
        code.lstore(slot(step.into()));
      }
      case STORE -> call("setRelease", TWO, step.first(), step.second());
      case EXCHANGE -> {
        call("exchange", TWO_TO_LONG, step.first(), step.second());
        code.lstore(slot(step.into()));
      }
      case COMPARE_AND_SET -> {
        call(
            "compareAndSet",
            MethodTypeDesc.of(ConstantDescs.CD_boolean, LONG, LONG, LONG),
            step.first(),
            step.second(),
            step.third());
        code.ifeq(target);
      }
      case SPIN_WHILE -> {
        call("awaitNot", TWO_TO_LONG, step.first(), step.second());
        code.lstore(slot(step.into()));
      }
      case PERSIST_BARRIER, NEW_STRAND -> {
        // Nothing to wait for without non-volatile memory.
      }
      case ASSIGN -> {
        push(step.first());
        code.lstore(slot(step.into()));
      }
      case JUMP -> code.goto_(target);
      case JUMP_IF_EQUAL -> {
        compare(step);
        code.ifeq(target);
      }
      case JUMP_IF_LESS -> {
        compare(step);
        code.iflt(target);
      }
      case NOTE -> {
        code.aload(NOTES_SLOT).loadConstant(step.site());
        push(step.first());
        code.invokeinterface(
            NOTES, "note", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int, LONG));
      }
    }
  }

  private void compare(Step step) {
    push(step.first());
    push(step.second());
    code.lcmp();
  }

  private void call(String method, MethodTypeDesc type, Term... arguments) {
    code.aload(MEMORY_SLOT);
    for (Term argument : arguments) {
      push(argument);
    }
    code.invokevirtual(MEMORY, method, type);
  }

  private void push(Term term) {
    switch (term) {
      case Term.Constant constant -> code.loadConstant(constant.value());
      case Term.Variable variable -> code.lload(slot(variable.index()));
      case Term.Sum sum -> {
        push(sum.term());
        code.loadConstant(sum.amount()).ladd();
      }
      case Term.Difference difference -> {
        push(difference.from());
        push(difference.less());
        code.lsub();
      }
      case Term.Element element -> {
        code.loadConstant(element.base());
        push(element.index());
        code.loadConstant(element.stride()).lmul().ladd();
      }
      case Term.RingElement ring -> {
        code.loadConstant(ring.base());
        push(ring.position());
        code.loadConstant(ring.length()).lrem();
        if (ring.unit() != ring.stride()) {
          code.loadConstant(ring.unit()).ldiv().loadConstant(ring.stride()).lmul();
        }
        code.ladd();
      }
      // Untraced, nobody checks what a record holds: the operation stands for it.
      case Term.Content _ -> code.lload(slot(Steps.OPERATION));
    }
  }

  private static int slot(int variable) {
    return FIRST_VARIABLE_SLOT + 2 * variable;
  }
}
