#include "tests/app/program_pairs.h"

std::vector<ProgramPair> arithmeticPairs() {
    return {{"rounding down is an arithmetic shift", "(%x: i32) -> i32",
             R"(  %c = arith.constant 4 : i32
  %r = arith.floordivsi %x, %c : i32
  return %r : i32
)",
             R"(  %c = arith.constant 2 : i32
  %r = arith.shrsi %x, %c : i32
  return %r : i32
)",
             "proved: exact"},
            {"rounding to zero is none", "(%x: i32) -> i32",
             R"(  %c = arith.constant 4 : i32
  %r = arith.divsi %x, %c : i32
  return %r : i32
)",
             R"(  %c = arith.constant 2 : i32
  %r = arith.shrsi %x, %c : i32
  return %r : i32
)",
             "refuted: value"},
            {"rounding up, written out", "(%x: i32) -> i32",
             R"(  %c = arith.constant 4 : i32
  %r = arith.ceildivsi %x, %c : i32
  return %r : i32
)",
             R"(  %c = arith.constant 4 : i32
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %q = arith.divsi %x, %c : i32
  %m = arith.remsi %x, %c : i32
  %p = arith.cmpi sgt, %m, %z : i32
  %u = arith.addi %q, %o : i32
  %r = arith.select %p, %u, %q : i32
  return %r : i32
)",
             "proved: "},
            {"rounding up, unsigned, may wrap when written as a sum", "(%x: i32) -> i32",
             R"(  %c = arith.constant 4 : i32
  %r = arith.ceildivui %x, %c : i32
  return %r : i32
)",
             R"(  %c = arith.constant 4 : i32
  %d = arith.constant 3 : i32
  %s = arith.addi %x, %d : i32
  %r = arith.divui %s, %c : i32
  return %r : i32
)",
             "refuted: value"},
            {"a widened division undoes a widened product", "(%x: i8) -> i8",
             R"(  %e = arith.extsi %x : i8 to i32
  %c = arith.constant 10 : i32
  %h = arith.constant 5 : i32
  %m = arith.muli %e, %c : i32
  %s = arith.addi %m, %h : i32
  %d = arith.floordivsi %s, %c : i32
  %r = arith.trunci %d : i32 to i8
  return %r : i8
)",
             R"(  return %x : i8
)",
             "proved: exact"},
            {"the upper half of a product", "(%x: i32, %y: i32) -> i32",
             R"(  %l, %r = arith.mulsi_extended %x, %y : i32
  return %r : i32
)",
             R"(  %a = arith.extsi %x : i32 to i64
  %b = arith.extsi %y : i32 to i64
  %m = arith.muli %a, %b : i64
  %c = arith.constant 32 : i64
  %s = arith.shrsi %m, %c : i64
  %r = arith.trunci %s : i64 to i32
  return %r : i32
)",
             "proved: exact"},
            {"a width of five", "(%x: i32, %y: i32) -> i32",
             R"(  %t = arith.trunci %x : i32 to i5
  %u = arith.trunci %y : i32 to i5
  %s = arith.addi %t, %u : i5
  %r = arith.extsi %s : i5 to i32
  return %r : i32
)",
             R"(  %t = arith.addi %x, %y : i32
  %u = arith.trunci %t : i32 to i5
  %r = arith.extsi %u : i5 to i32
  return %r : i32
)",
             "proved: exact"},
            {"a width of five, unsigned", "(%x: i32, %y: i32) -> i32",
             R"(  %t = arith.trunci %x : i32 to i5
  %u = arith.trunci %y : i32 to i5
  %s = arith.addi %t, %u : i5
  %r = arith.extsi %s : i5 to i32
  return %r : i32
)",
             R"(  %t = arith.addi %x, %y : i32
  %u = arith.trunci %t : i32 to i5
  %r = arith.extui %u : i5 to i32
  return %r : i32
)",
             "refuted: value"},
            {"four bits, divided unsigned", "(%x: i4, %y: i4) -> i8",
             R"(  %o = arith.constant 1 : i4
  %d = arith.ori %y, %o : i4
  %q = arith.divui %x, %d : i4
  %r = arith.extui %q : i4 to i8
  return %r : i8
)",
             R"(  %o = arith.constant 1 : i8
  %a = arith.extui %x : i4 to i8
  %b = arith.extui %y : i4 to i8
  %d = arith.ori %b, %o : i8
  %r = arith.divui %a, %d : i8
  return %r : i8
)",
             "proved: exact"},
            {"four bits, compared", "(%x: i4, %y: i4) -> i1",
             R"(  %r = arith.cmpi ult, %x, %y : i4
  return %r : i1
)",
             R"(  %r = arith.cmpi slt, %x, %y : i4
  return %r : i1
)",
             "refuted: value"},
            {"a number wins over NaN, or not", "(%x: f32, %y: f32) -> f32",
             R"(  %r = arith.minimumf %x, %y : f32
  return %r : f32
)",
             R"(  %r = arith.minnumf %x, %y : f32
  return %r : f32
)",
             "proved: exact"},
            {"one rounding for two", "(%x: f32, %y: f32) -> f32",
             R"(  %m = arith.mulf %x, %y : f32
  %r = arith.addf %m, %x : f32
  return %r : f32
)",
             R"(  %r = math.fma %x, %y, %x : f32
  return %r : f32
)",
             "proved: exact"},
            {"a zero of the other sign is added", "(%x: f32, %y: f32) -> f32",
             R"(  %z = arith.constant 0.0 : f32
  %r = arith.addf %x, %z : f32
  return %r : f32
)",
             R"(  %z = arith.constant -0.0 : f32
  %r = arith.addf %x, %z : f32
  return %r : f32
)",
             "proved: exact"},
            {"ties go elsewhere", "(%x: f32, %y: f32) -> f32",
             R"(  %r = math.round %x : f32
  return %r : f32
)",
             R"(  %r = math.roundeven %x : f32
  return %r : f32
)",
             "refuted: value"},
            {"another rounding mode", "(%x: f32, %y: f32) -> f32",
             R"(  %t = arith.truncf %x : f32 to f16
  %r = arith.extf %t : f16 to f32
  return %r : f32
)",
             R"(  %t = arith.truncf %x downward : f32 to f16
  %r = arith.extf %t : f16 to f32
  return %r : f32
)",
             "unproved"},
            {"fast-math flags come", "(%x: f32, %y: f32) -> f32",
             R"(  %r = arith.addf %x, %y : f32
  return %r : f32
)",
             R"(  %r = arith.addf %x, %y fastmath<nnan> : f32
  return %r : f32
)",
             "proved: exact"},
            {"fast-math flags go", "(%x: f32, %y: f32) -> f32",
             R"(  %r = arith.addf %x, %y fastmath<nnan> : f32
  return %r : f32
)",
             R"(  %r = arith.addf %x, %y : f32
  return %r : f32
)",
             "proved: identical"},
            {"vectors are passed", "(%x: vector<2x2xi32>, %y: vector<2x2xi32>) -> vector<2x2xi32>",
             R"(  %r = arith.addi %x, %y : vector<2x2xi32>
  return %r : vector<2x2xi32>
)",
             R"(  %r = func.call @g(%y, %x) : (vector<2x2xi32>, vector<2x2xi32>) -> vector<2x2xi32>
  return %r : vector<2x2xi32>
}
func.func private @g(%p: vector<2x2xi32>, %q: vector<2x2xi32>) -> vector<2x2xi32> {
  %r = arith.addi %p, %q : vector<2x2xi32>
  return %r : vector<2x2xi32>
)",
             "proved: open"},
            {"vectors differ", "(%x: vector<2x2xi32>, %y: vector<2x2xi32>) -> vector<2x2xi32>",
             R"(  %r = arith.maxsi %x, %y : vector<2x2xi32>
  return %r : vector<2x2xi32>
)",
             R"(  %r = arith.maxui %x, %y : vector<2x2xi32>
  return %r : vector<2x2xi32>
)",
             "refuted: value: result0[0,"},
            {"tensors are passed", "(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32>",
             R"(  %s = arith.addi %x, %y : tensor<4xi32>
  %r = arith.muli %s, %y : tensor<4xi32>
  return %r : tensor<4xi32>
)",
             R"(  %s = func.call @outer(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r = arith.muli %s, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func private @outer(%p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xi32> {
  %r = func.call @inner(%p, %q) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func private @inner(%p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xi32> {
  %r = arith.addi %p, %q : tensor<4xi32>
  return %r : tensor<4xi32>
)",
             "proved: identical"},
            {"a global that nobody writes is a table", "(%o: memref<2xi32>)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global "private" @g : memref<2xi32> = dense<[1, 2]>
func.func private @h() {
  return
)",
             R"(  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  affine.store %a, %o[0] : memref<2xi32>
  affine.store %b, %o[1] : memref<2xi32>
  return
)",
             "proved: identical"},
            {"another table", "(%o: memref<2xi32>)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global "private" @g : memref<2xi32> = dense<[1, 2]>
func.func private @h() {
  return
)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global "private" @g : memref<2xi32> = dense<[1, 3]>
func.func private @h() {
  return
)",
             "refuted: value: o[1] is 2, rewritten 3"},
            {"a global that others may write has any content", "(%o: memref<2xi32>)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global @g : memref<2xi32> = dense<[1, 2]>
func.func private @h() {
  return
)",
             R"(  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  affine.store %a, %o[0] : memref<2xi32>
  affine.store %b, %o[1] : memref<2xi32>
  return
)",
             "refuted: value"},
            {"a global that others may write begins otherwise", "(%o: memref<2xi32>)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global @g : memref<2xi32> = dense<[1, 2]>
func.func private @h() {
  return
)",
             R"(  %g = memref.get_global @g : memref<2xi32>
  affine.for %i = 0 to 2 {
    %x = affine.load %g[%i] : memref<2xi32>
    affine.store %x, %o[%i] : memref<2xi32>
  }
  return
}
memref.global @g : memref<2xi32> = dense<[1, 3]>
func.func private @h() {
  return
)",
             "unproved: the global 'g' begins with other values"},
            {"a switch on data", "(%x: i32) -> i32",
             R"(  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  %i = arith.index_cast %x : i32 to index
  %r = scf.index_switch %i -> i32
  case 0 {
    scf.yield %z : i32
  }
  case 1 {
    scf.yield %v : i32
  }
  default {
    scf.yield %x : i32
  }
  return %r : i32
)",
             R"(  %o = arith.constant 1 : i32
  %v = arith.constant 7 : i32
  %p = arith.cmpi eq, %x, %o : i32
  %r = arith.select %p, %v, %x : i32
  return %r : i32
)",
             "proved: exact"},
            {"a switch of blocks on data", "(%x: i32) -> i32",
             R"(  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  cf.switch %x : i32, [
    default: ^end(%x : i32),
    0: ^end(%z : i32),
    1: ^end(%v : i32)
  ]
^end(%r: i32):
  return %r : i32
)",
             R"(  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  %i = arith.index_cast %x : i32 to index
  %r = scf.index_switch %i -> i32
  case 0 {
    scf.yield %z : i32
  }
  case 1 {
    scf.yield %v : i32
  }
  default {
    scf.yield %x : i32
  }
  return %r : i32
)",
             "proved: "},
            {"a switch with another case", "(%x: i32) -> i32",
             R"(  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  %i = arith.index_cast %x : i32 to index
  %r = scf.index_switch %i -> i32
  case 0 {
    scf.yield %z : i32
  }
  case 1 {
    scf.yield %v : i32
  }
  default {
    scf.yield %x : i32
  }
  return %r : i32
)",
             R"(  %z = arith.constant 0 : i32
  %v = arith.constant 7 : i32
  cf.switch %x : i32, [
    default: ^end(%x : i32),
    0: ^end(%z : i32),
    2: ^end(%v : i32)
  ]
^end(%r: i32):
  return %r : i32
)",
             "refuted: value"}};
}
