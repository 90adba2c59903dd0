#include "tests/core/format/mlir/program_rows.h"

std::vector<ProgramRow> memoryRows() {
    return {
        {"views share their memory", R"(
func.func @f(%A: memref<4x6xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9 : i64
  %v = memref.subview %A[1, 2] [2, 2] [2, 3] : memref<4x6xi64> to memref<2x2xi64, strided<[12, 3], offset: 8>>
  memref.store %k, %v[%c1, %c1] : memref<2x2xi64, strided<[12, 3], offset: 8>>
  %r = memref.subview %A[0, 0] [1, 6] [1, 1] : memref<4x6xi64> to memref<6xi64, strided<[1]>>
  memref.store %k, %r[%c0] : memref<6xi64, strided<[1]>>
  return
})",
         "0 1 2 3 4 5  6 7 8 9 10 11  12 13 14 15 16 17  18 19 20 21 22 23", "A: 9 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 9"},
        {"other shapes of one memory", R"(
func.func @f(%A: memref<2x3xi64>) -> (i64, i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %l = memref.collapse_shape %A [[0, 1]] : memref<2x3xi64> into memref<6xi64>
  %0 = memref.load %l[%c4] : memref<6xi64>
  %e = memref.expand_shape %l [[0, 1]] output_shape [3, 2] : memref<6xi64> into memref<3x2xi64>
  %1 = memref.load %e[%c2, %c0] : memref<3x2xi64>
  %t = memref.transpose %A (i, j) -> (j, i) : memref<2x3xi64> to memref<3x2xi64, strided<[1, 3]>>
  %2 = memref.load %t[%c2, %c1] : memref<3x2xi64, strided<[1, 3]>>
  %r = memref.reinterpret_cast %A to offset: [1], sizes: [2], strides: [2] : memref<2x3xi64> to memref<2xi64, strided<[2], offset: 1>>
  %3 = memref.load %r[%c1] : memref<2xi64, strided<[2], offset: 1>>
  return %0, %1, %2, %3 : i64, i64, i64, i64
})",
         "0 1 2 3 4 5", "result0: 4 | result1: 4 | result2: 5 | result3: 3"},
        {"copies and sizes", R"(
func.func @f(%A: memref<3xi64>, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %b = memref.alloc(%n) : memref<?xi64>
  %d = memref.dim %b, %c0 : memref<?xi64>
  %c = memref.cast %A : memref<3xi64> to memref<?xi64>
  memref.copy %c, %b : memref<?xi64> to memref<?xi64>
  %k = arith.constant 8 : i64
  memref.store %k, %b[%c0] : memref<?xi64>
  memref.copy %b, %A : memref<?xi64> to memref<3xi64>
  memref.dealloc %b : memref<?xi64>
  %r = memref.rank %A : memref<3xi64>
  return %d, %r : index, index
})",
         "1 2 3 | 3", "result0: 3 | result1: 1 | A: 8 2 3"},
        {"tables and what may be written", R"(
memref.global "private" constant @w : memref<2x2xi16> = dense<[[1, -2], [3, 4]]>
memref.global "private" constant @s : memref<3xf32> = dense<2.5>
func.func @f(%i: index) -> (i16, f32) {
  %c1 = arith.constant 1 : index
  %w = memref.get_global @w : memref<2x2xi16>
  %a = memref.load %w[%i, %c1] : memref<2x2xi16>
  %s = memref.get_global @s : memref<3xf32>
  %b = memref.load %s[%i] : memref<3xf32>
  return %a, %b : i16, f32
})",
         "0", "result0: -2 | result1: 2.5"},
        {"a scope of its own", R"(
func.func @f(%a: i64) -> i64 {
  %r = memref.alloca_scope -> i64 {
    %m = memref.alloca() : memref<i64>
    memref.store %a, %m[] : memref<i64>
    %v = memref.load %m[] : memref<i64>
    memref.alloca_scope.return %v : i64
  }
  return %r : i64
})",
         "5", "result0: 5"},
        {"what a layout consists of", R"(
func.func @f(%A: memref<2x3xi64, strided<[4, 1], offset: 2>>) -> (index, index, index) {
  %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %A : memref<2x3xi64, strided<[4, 1], offset: 2>> -> memref<i64>, index, index, index, index, index
  return %o, %s#1, %t#0 : index, index, index
})",
         "0 1 2 3 4 5", "result0: 2 | result1: 3 | result2: 4"},
        {"an update alone", R"(
func.func @f(%A: memref<2xi64>, %v: i64) {
  %c1 = arith.constant 1 : index
  %r = memref.atomic_rmw addi %v, %A[%c1] : (i64, memref<2xi64>) -> i64
  return
})",
         "1 2 | 5", "A: 1 7"},
        {"an update alone, by a body", R"(
func.func @f(%A: memref<2xi64>, %v: i64) {
  %c1 = arith.constant 1 : index
  %r = memref.generic_atomic_rmw %A[%c1] : memref<2xi64> {
  ^bb0(%x: i64):
    %d = arith.muli %x, %x : i64
    %s = arith.subi %v, %d : i64
    memref.atomic_yield %s : i64
  }
  return
})",
         "1 2 | 5", "A: 1 1"},
    };
}

std::vector<ProgramRow> trapRows() {
    return {
        {"beyond the end", R"(
func.func @f(%A: memref<4xi64>, %i: index) -> i64 {
  %v = memref.load %A[%i] : memref<4xi64>
  return %v : i64
})",
         "1 2 3 4 | 4", "fault: ..."},
        {"before the start", R"(
func.func @f(%A: memref<4xi64>, %i: index) -> i64 {
  %v = affine.load %A[symbol(%i) - 1] : memref<4xi64>
  return %v : i64
})",
         "1 2 3 4 | 0", "fault: ..."},
        {"in the other row", R"(
func.func @f(%A: memref<2x2xi64>, %i: index) -> i64 {
  %c0 = arith.constant 0 : index
  %v = memref.load %A[%c0, %i] : memref<2x2xi64>
  return %v : i64
})",
         "1 2 3 4 | 2", "fault: ..."},
        {"never written", R"(
func.func @f() -> i64 {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<1xi64>
  %v = memref.load %m[%c0] : memref<1xi64>
  return %v : i64
})",
         "", "fault: ..."},
        {"freed", R"(
func.func @f() -> i64 {
  %c0 = arith.constant 0 : index
  %k = arith.constant 0 : i64
  %m = memref.alloc() : memref<1xi64>
  memref.store %k, %m[%c0] : memref<1xi64>
  memref.dealloc %m : memref<1xi64>
  %v = memref.load %m[%c0] : memref<1xi64>
  return %v : i64
})",
         "", "fault: ..."},
        {"a step of zero", R"(
func.func @f(%s: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %s {
  }
  return
})",
         "0", "fault: ..."},
        {"a negative step", R"(
func.func @f(%s: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c4 to %c0 step %s {
  }
  return
})",
         "-1", "fault: ..."},
        {"a division by zero", R"(
func.func @f(%a: i64, %b: i64) -> i64 {
  %r = arith.divsi %a, %b : i64
  return %r : i64
})",
         "1 | 0", "fault: ..."},
        {"a constant of more elements than anyone keeps", R"(
func.func @f() -> f64 {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<1000000x1000000xf64>
  %v = tensor.extract %t[%c0, %c0] : tensor<1000000x1000000xf64>
  return %v : f64
})",
         "", "undecided: unsupported op 'arith.constant' at p.mlir:4:8..."},
        {"a layout that decides where elements lie", R"(
func.func @f() {
  %m = memref.alloc() : memref<2x2xi64, strided<[1, 2]>>
  return
})",
         "", "undecided: unsupported op 'memref.alloc' at p.mlir:3:8..."},
        {"an atomic store beside tasks", R"(
func.func @f(%A: memref<1xi64>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %r = memref.atomic_rmw assign %v, %A[%c0] : (i64, memref<1xi64>) -> i64
    scf.reduce
  }
  return
})",
         "1 | 5", "undecided: unsupported op 'memref.atomic_rmw' at p.mlir:6:10: beside tasks, an update whose order matters..."},
        {"an update of two ops beside tasks", R"(
func.func @f(%A: memref<1xi64>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %r = memref.generic_atomic_rmw %A[%c0] : memref<1xi64> {
    ^bb0(%x: i64):
      %d = arith.muli %x, %x : i64
      %s = arith.addi %d, %v : i64
      memref.atomic_yield %s : i64
    }
    scf.reduce
  }
  return
})",
         "1 | 5", "undecided: unsupported op 'memref.generic_atomic_rmw' at p.mlir:6:10: beside tasks..."},
        {"what an update gives back", R"(
func.func @f(%A: memref<1xi64>, %v: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %r = memref.generic_atomic_rmw %A[%c0] : memref<1xi64> {
  ^bb0(%x: i64):
    %s = arith.addi %x, %v : i64
    memref.atomic_yield %s : i64
  }
  return %r : i64
})",
         "1 | 5", "undecided: unsupported op 'memref.generic_atomic_rmw' at p.mlir:4:8: whether its result is..."},
        {"an op whose result cannot be held", R"(
func.func @f(%A: memref<4xi64>) -> index {
  %c0 = arith.constant 0 : index
  %u = memref.cast %A : memref<4xi64> to memref<*xi64>
  %d = memref.dim %u, %c0 : memref<*xi64>
  return %d : index
})",
         "1 2 3 4", "undecided: unsupported op 'memref.cast' at p.mlir:4:8..."},
        {"an argument that cannot be held", "func.func @f(%a: i128) {\n  return\n}\n", "1",
         "not lowered: p.mlir:1:1: argument '%a' of @f has the unsupported type i128"},
    };
}
