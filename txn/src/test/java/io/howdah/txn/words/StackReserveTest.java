package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Base64;
import org.junit.jupiter.api.Test;

final class StackReserveTest {

  private static final int LOCALS = 1024;

  /** Of a frame in the interpreter; a long takes two. */
  private static final int SLOT_BYTES = 8;

  private static final ClassDesc FRAME = StackReserve.Frame.class.describeConstable().orElseThrow();

  /** Generates the class: a method with 1,024 local variables that hold a long each. */
  private static byte[] generate() {
    ClassDesc self = ClassDesc.of(StackReserve.class.getName() + "Frame");
    MethodTypeDesc touch = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    int last = 2 + 2 * (LOCALS - 1); // after this and the parameter
    return ClassFile.of()
        .build(
            self,
            made -> {
              made.withVersion(ClassFile.JAVA_25_VERSION, 0);
              made.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
              made.withInterfaceSymbols(FRAME);
              made.withMethodBody(
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
              made.withMethodBody(
                  "touch",
                  touch,
                  ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL,
                  code -> {
                    Label end = code.newLabel();
                    code.iload(1).ifeq(end);
                    code.aload(0).iload(1).invokevirtual(self, "touch", touch);
                    code.labelBinding(end).lconst_0().lstore(last).return_();
                  });
            });
  }

  /** If the generator was changed, the constant of StackReserve is what this says. */
  @Test
  void theConstantIsWhatTheGeneratorMakes() {
    assertThat(StackReserve.GENERATED).isEqualTo(Base64.getEncoder().encodeToString(generate()));
  }

  @Test
  void theFrameTakesFourPages() {
    byte[] bytes = Base64.getDecoder().decode(StackReserve.GENERATED);
    MethodModel touch =
        ClassFile.of().parse(bytes).methods().stream()
            .filter(method -> method.methodName().equalsString("touch"))
            .findFirst()
            .orElseThrow();
    CodeAttribute code = (CodeAttribute) touch.code().orElseThrow();
    assertThat((code.maxLocals() - 2) * SLOT_BYTES).isEqualTo(4 * 4096);
    assertThat(code.codeLength()).isLessThan(35);
  }
}
