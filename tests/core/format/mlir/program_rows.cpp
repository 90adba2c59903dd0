#include "tests/core/format/mlir/program_rows.h"

std::vector<ProgramRow> scalarRows() {
    return {
        {"integers wrap at their width", R"(
func.func @f(%a: i8, %b: i8) -> (i8, i8, i8) {
  %s = arith.addi %a, %b : i8
  %p = arith.muli %a, %b : i8
  %d = arith.subi %a, %b : i8
  return %s, %p, %d : i8, i8, i8
})",
         "100 | 100", "result0: -56 | result1: 16 | result2: 0"},
        {"signed and unsigned division differ", R"(
func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i8, i8) {
  %0 = arith.divsi %a, %b : i8
  %1 = arith.divui %a, %b : i8
  %2 = arith.remsi %a, %b : i8
  %3 = arith.remui %a, %b : i8
  %4 = arith.floordivsi %a, %b : i8
  %5 = arith.ceildivsi %a, %b : i8
  %6 = arith.ceildivui %a, %b : i8
  return %0, %1, %2, %3, %4, %5, %6 : i8, i8, i8, i8, i8, i8, i8
})",
         "-7 | 2", "result0: -3 | result1: 124 | result2: -1 | result3: 1 | result4: -4 | result5: -3 | result6: 125"},
        {"shifts and bits", R"(
func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i8) {
  %0 = arith.shli %a, %b : i8
  %1 = arith.shrsi %a, %b : i8
  %2 = arith.shrui %a, %b : i8
  %3 = arith.andi %a, %b : i8
  %4 = arith.ori %a, %b : i8
  %5 = arith.xori %a, %b : i8
  return %0, %1, %2, %3, %4, %5 : i8, i8, i8, i8, i8, i8
})",
         "-8 | 1", "result0: -16 | result1: -4 | result2: 124 | result3: 0 | result4: -7 | result5: -7"},
        {"comparisons keep their sign", R"(
func.func @f(%a: i8, %b: i8) -> (i1, i1, i1, i1) {
  %0 = arith.cmpi slt, %a, %b : i8
  %1 = arith.cmpi ult, %a, %b : i8
  %2 = arith.cmpi sge, %a, %b : i8
  %3 = arith.cmpi uge, %a, %b : i8
  return %0, %1, %2, %3 : i1, i1, i1, i1
})",
         "-1 | 1", "result0: 1 | result1: 0 | result2: 0 | result3: 1"},
        {"minima and maxima of both signs", R"(
func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8) {
  %0 = arith.minsi %a, %b : i8
  %1 = arith.minui %a, %b : i8
  %2 = arith.maxsi %a, %b : i8
  %3 = arith.maxui %a, %b : i8
  return %0, %1, %2, %3 : i8, i8, i8, i8
})",
         "-1 | 1", "result0: -1 | result1: 1 | result2: 1 | result3: -1"},
        {"ordered is not unordered", R"(
func.func @f(%a: f64, %b: f64) -> (i1, i1, i1, i1) {
  %z = arith.constant 0.0 : f64
  %n = arith.divf %z, %z : f64
  %0 = arith.cmpf olt, %n, %b : f64
  %1 = arith.cmpf ult, %n, %b : f64
  %2 = arith.cmpf one, %a, %b : f64
  %3 = arith.cmpf uno, %n, %b : f64
  return %0, %1, %2, %3 : i1, i1, i1, i1
})",
         "1 | 2", "result0: 0 | result1: 1 | result2: 1 | result3: 1"},
        {"extensions and casts", R"(
func.func @f(%a: i8) -> (i32, i32, i4, f32, f32, index, i16) {
  %0 = arith.extsi %a : i8 to i32
  %1 = arith.extui %a : i8 to i32
  %2 = arith.trunci %a : i8 to i4
  %3 = arith.sitofp %a : i8 to f32
  %4 = arith.uitofp %a : i8 to f32
  %5 = arith.index_cast %a : i8 to index
  %h = arith.truncf %3 : f32 to f16
  %6 = arith.bitcast %h : f16 to i16
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, i4, f32, f32, index, i16
})",
         "-2", "result0: -2 | result1: 254 | result2: -2 | result3: -2 | result4: 254 | result5: -2 | result6: -16384"},
        {"floats at their own width", R"(
func.func @f(%a: f32, %b: f32) -> (f32, f64, i32) {
  %0 = arith.addf %a, %b : f32
  %1 = arith.extf %0 : f32 to f64
  %2 = arith.fptosi %b : f32 to i32
  return %0, %1, %2 : f32, f64, i32
})",
         "16777216 | 1.75", "result0: 1.67772e+07 | result1: 1.67772e+07 | result2: 1"},
        {"two results of one op", R"(
func.func @f(%a: i8, %b: i8) -> (i8, i1, i8, i8, i8, i8) {
  %s, %o = arith.addui_extended %a, %b : i8, i1
  %l, %h = arith.mulsi_extended %a, %b : i8
  %ul, %uh = arith.mului_extended %a, %b : i8
  return %s, %o, %l, %h, %ul, %uh : i8, i1, i8, i8, i8, i8
})",
         "-1 | 2", "result0: 1 | result1: 1 | result2: -2 | result3: -1 | result4: -2 | result5: 1"},
        {"select", R"(
func.func @f(%c: i1, %a: f64, %b: f64) -> f64 {
  %0 = arith.select %c, %a, %b : f64
  return %0 : f64
})",
         "0 | 1 | 2", "result0: 2"},
        {"math", R"(
func.func @f(%a: f64, %b: f64, %i: i32) -> (f64, f64, f64, f64, i32, i32, f64, f64) {
  %0 = math.sqrt %a : f64
  %1 = math.absf %b : f64
  %2 = math.fma %a, %b, %a : f64
  %3 = math.copysign %a, %b : f64
  %4 = math.ctpop %i : i32
  %5 = math.absi %i : i32
  %6 = math.floor %b : f64
  %n = arith.constant 3 : i32
  %7 = math.fpowi %b, %n : f64, i32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f64, f64, f64, f64, i32, i32, f64, f64
})",
         "4 | -2.5 | -8", "result0: 2 | result1: 2.5 | result2: -6 | result3: -4 | result4: 29 | result5: 8 | result6: -3 | result7: -15.625"},
        {"the index dialect", R"(
func.func @f(%a: index, %b: index) -> (index, index, i1, i32) {
  %0 = index.floordivs %a, %b
  %1 = index.maxs %a, %b
  %2 = index.cmp slt(%a, %b)
  %3 = index.casts %a : index to i32
  return %0, %1, %2, %3 : index, index, i1, i32
})",
         "-7 | 2", "result0: -4 | result1: 2 | result2: 1 | result3: -7"},
    };
}

std::vector<ProgramRow> controlRows() {
    return {
        {"a loop that carries two values", R"(
func.func @f(%n: index) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant 0 : i64
  %b = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (i64, i64) {
    %s = arith.addi %x, %y : i64
    scf.yield %y, %s : i64, i64
  }
  return %r#0, %r#1 : i64, i64
})",
         "10", "result0: 55 | result1: 89"},
        {"a loop without a trip", R"(
func.func @f() -> i64 {
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %a = arith.constant 7 : i64
  %r = scf.for %i = %c5 to %c1 step %c1 iter_args(%x = %a) -> i64 {
    %z = arith.constant 0 : i64
    scf.yield %z : i64
  }
  return %r : i64
})",
         "", "result0: 7"},
        {"both branches of an if", R"(
func.func @f(%c: i1, %d: i1) -> (i64, i64) {
  %a = arith.constant 1 : i64
  %b = arith.constant 2 : i64
  %0 = scf.if %c -> i64 {
    scf.yield %a : i64
  } else {
    scf.yield %b : i64
  }
  %1 = scf.if %d -> i64 {
    scf.yield %0 : i64
  } else {
    %s = arith.addi %0, %b : i64
    scf.yield %s : i64
  }
  return %0, %1 : i64, i64
})",
         "1 | 0", "result0: 1 | result1: 3"},
        {"a while loop whose condition passes other values", R"(
func.func @f(%n: i64) -> (i64, i64) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %z, %s = %z) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi slt, %i, %n : i64
    scf.condition(%c) %s, %i : i64, i64
  } do {
  ^bb0(%s: i64, %i: i64):
    %t = arith.addi %s, %i : i64
    %j = arith.addi %i, %one : i64
    scf.yield %j, %t : i64, i64
  }
  return %r#0, %r#1 : i64, i64
})",
         "5", "result0: 10 | result1: 5"},
        {"a switch", R"(
func.func @f(%i: index, %j: index) -> (i64, i64) {
  %r = scf.index_switch %i -> i64
  case 2 {
    %a = arith.constant 20 : i64
    scf.yield %a : i64
  }
  case 5 {
    %a = arith.constant 50 : i64
    scf.yield %a : i64
  }
  default {
    %a = arith.constant -1 : i64
    scf.yield %a : i64
  }
  %s = scf.index_switch %j -> i64
  case 2 {
    %a = arith.constant 20 : i64
    scf.yield %a : i64
  }
  default {
    scf.yield %r : i64
  }
  return %r, %s : i64, i64
})",
         "5 | 7", "result0: 50 | result1: 50"},
        {"blocks and their arguments", R"(
func.func @f(%n: i64) -> i64 {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^head(%z, %one : i64, i64)
^head(%i: i64, %p: i64):
  %c = arith.cmpi slt, %i, %n : i64
  cf.cond_br %c, ^body, ^exit(%p : i64)
^body:
  %j = arith.addi %i, %one : i64
  %q = arith.muli %p, %j : i64
  cf.br ^head(%j, %q : i64, i64)
^exit(%r: i64):
  return %r : i64
})",
         "5", "result0: 120"},
        {"a switch between blocks", R"(
func.func @f(%i: i32) -> i64 {
  %a = arith.constant 1 : i64
  %b = arith.constant 2 : i64
  cf.switch %i : i32, [
    default: ^other(%a : i64),
    7: ^other(%b : i64),
    -3: ^third
  ]
^other(%x: i64):
  return %x : i64
^third:
  %c = arith.constant 3 : i64
  return %c : i64
})",
         "-3", "result0: 3"},
        {"several blocks in a region", R"(
func.func @f(%c: i1) -> i64 {
  %r = scf.execute_region -> i64 {
    cf.cond_br %c, ^a, ^b
  ^a:
    %x = arith.constant 1 : i64
    scf.yield %x : i64
  ^b:
    %y = arith.constant 2 : i64
    scf.yield %y : i64
  }
  return %r : i64
})",
         "0", "result0: 2"},
        {"calls, and recursion", R"(
func.func private @fib(%n: i64) -> i64 {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %c = arith.cmpi slt, %n, %two : i64
  %r = scf.if %c -> i64 {
    scf.yield %n : i64
  } else {
    %a = arith.subi %n, %one : i64
    %b = arith.subi %n, %two : i64
    %x = func.call @fib(%a) : (i64) -> i64
    %y = func.call @fib(%b) : (i64) -> i64
    %s = arith.addi %x, %y : i64
    scf.yield %s : i64
  }
  return %r : i64
}
func.func @f(%n: i64) -> i64 {
  %r = call @fib(%n) : (i64) -> i64
  return %r : i64
})",
         "10", "result0: 55"},
        {"affine loops, bounds and conditions", R"(
#set = affine_set<(d0, d1) : (d0 - d1 >= 0, d0 mod 2 == 0)>
func.func @f(%A: memref<10xi64>, %n: index) {
  affine.for %i = max affine_map<(d0) -> (0, d0 - 8)>(%n) to min affine_map<(d0) -> (d0, 9)>(%n) step 2 {
    affine.if #set(%i, %n) {
      %c = arith.constant 1 : i64
      affine.store %c, %A[%i] : memref<10xi64>
    } else {
      %c = arith.constant 2 : i64
      affine.store %c, %A[%i + 1] : memref<10xi64>
    }
  }
  return
})",
         "0 0 0 0 0 0 0 0 0 0 | 10", "A: 0 0 0 2 0 2 0 2 0 2"},
        {"affine arithmetic rounds down", R"(
func.func @f(%i: index) -> (index, index, index, index, index) {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
  %1 = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%i)
  %2 = affine.apply affine_map<(d0) -> (d0 mod 4)>(%i)
  %3 = affine.min affine_map<(d0)[s0] -> (d0 * 3, s0 + 1, 7)>(%i)[%i]
  %4 = affine.max affine_map<(d0) -> (d0, -2)>(%i)
  return %0, %1, %2, %3, %4 : index, index, index, index, index
})",
         "-5", "result0: -2 | result1: -1 | result2: 3 | result3: -15 | result4: -2"},
        {"affine loops carry values", R"(
func.func @f(%A: memref<4xf64>) -> f64 {
  %z = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to 4 iter_args(%s = %z) -> f64 {
    %a = affine.load %A[%i] : memref<4xf64>
    %t = arith.addf %s, %a : f64
    affine.yield %t : f64
  }
  return %r : f64
})",
         "1 2 3 4", "result0: 10"},
        {"an assertion that fails", R"(
func.func @f(%c: i1) {
  cf.assert %c, "c holds"
  return
})",
         "0", "fault: ..."},
        {"an unknown op is open", R"(
func.func @f(%a: f32) -> f32 {
  %r = "foo.relu"(%a) {k = 1 : i32} : (f32) -> f32
  %s = arith.subf %r, %r : f32
  return %s : f32
})",
         "3", "result0: 0"},
        {"an unknown op without a result is refused where it is reached", R"(
func.func @f(%a: f32) -> f32 {
  "foo.print"(%a) : (f32) -> ()
  return %a : f32
})",
         "3", "undecided: unsupported op 'foo.print' at p.mlir:3:3..."},
        {"what is refused but not reached does no harm", R"(
func.func @f(%c: i1, %a: i64) -> i64 {
  scf.if %c {
    "foo.print"(%a) : (i64) -> ()
  }
  return %a : i64
})",
         "0 | 3", "result0: 3"},
        {"types that cannot be held are refused where they are reached", R"(
func.func @f(%a: i64) -> i64 {
  %b = arith.extsi %a : i64 to i128
  %c = arith.muli %b, %b : i128
  %d = arith.trunci %c : i128 to i64
  return %d : i64
})",
         "3", "undecided: unsupported op 'arith.extsi' at p.mlir:3:8..."},
    };
}

std::vector<ProgramRow> taskRows() {
    return {
        {"a parallel loop with a reduction", R"(
func.func @f(%A: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0 : i64
  %r = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%z) -> i64 {
    %a = memref.load %A[%i] : memref<4xi64>
    memref.store %z, %A[%i] : memref<4xi64>
    scf.reduce(%a : i64) {
    ^bb0(%x: i64, %y: i64):
      %s = arith.addi %x, %y : i64
      scf.reduce.return %s : i64
    }
  }
  return %r : i64
})",
         "1 2 3 4", "result0: 10 | A: 0 0 0 0"},
        {"two iterations that write one cell", R"(
func.func @f(%A: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0 : i64
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    memref.store %z, %A[%c0] : memref<4xi64>
    scf.reduce
  }
  return
})",
         "1 2 3 4", "race: ..."},
        {"iterations that update one cell", R"(
func.func @f(%A: memref<4xi64>, %S: memref<1xi64>, %M: memref<1xi64>, %D: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.load %A[%i] : memref<4xi64>
    %0 = memref.atomic_rmw addi %a, %S[%c0] : (i64, memref<1xi64>) -> i64
    %1 = memref.atomic_rmw maxs %a, %M[%c0] : (i64, memref<1xi64>) -> i64
    %2 = memref.generic_atomic_rmw %D[%c0] : memref<1xi64> {
    ^bb0(%x: i64):
      %two = arith.constant 2 : i64
      %b = arith.muli %a, %two : i64
      %s = arith.subi %x, %b : i64
      memref.atomic_yield %s : i64
    }
    scf.reduce
  }
  return
})",
         "1 7 3 4 | 10 | 2 | 100", "S: 25 | M: 7 | D: 70"},
        {"an update and a read of one cell", R"(
func.func @f(%A: memref<4xi64>, %S: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.load %S[%c0] : memref<1xi64>
    %0 = memref.atomic_rmw addi %a, %S[%c0] : (i64, memref<1xi64>) -> i64
    scf.reduce
  }
  return
})",
         "1 2 3 4 | 1", "race: ..."},
        {"affine.parallel", R"(
func.func @f(%A: memref<2x3xi64>) -> i64 {
  %r = affine.parallel (%i, %j) = (0, 0) to (2, 3) reduce ("addi") -> i64 {
    %a = affine.load %A[%i, %j] : memref<2x3xi64>
    affine.yield %a : i64
  }
  return %r : i64
})",
         "1 2 3 4 5 6", "result0: 21"},
        {"forall over memory", R"(
func.func @f(%A: memref<3xi64>) {
  %k = arith.constant 5 : i64
  scf.forall (%i) in (3) {
    %c = arith.index_cast %i : index to i64
    %s = arith.addi %c, %k : i64
    memref.store %s, %A[%i] : memref<3xi64>
  }
  return
})",
         "0 0 0", "A: 5 6 7"},
        {"forall over tensors", R"(
func.func @f(%t: tensor<4xi64>) -> tensor<4xi64> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %t) -> tensor<4xi64> {
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %o[%k] [1] [1] : tensor<4xi64> to tensor<1xi64>
    %n = arith.addi %s, %s : tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %n into %o[%k] [1] [1] : tensor<1xi64> into tensor<4xi64>
    }
  }
  return %r : tensor<4xi64>
})",
         "1 2 3 4", "result0: 2 2 6 4"},
        {"tasks with values", R"(
func.func @f(%a: f64) -> f64 {
  %t, %v = async.execute -> !async.value<f64> {
    %s = arith.addf %a, %a : f64
    async.yield %s : f64
  }
  %u, %w = async.execute [%t] (%v as %x: !async.value<f64>) -> !async.value<f64> {
    %p = arith.mulf %x, %x : f64
    async.yield %p : f64
  }
  %r = async.await %w : !async.value<f64>
  return %r : f64
})",
         "3", "result0: 36"},
        {"a group of tasks", R"(
func.func @f(%A: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant 9 : i64
  %g = async.create_group %c2 : !async.group
  scf.for %i = %c0 to %c2 step %c1 {
    %t = async.execute {
      memref.store %k, %A[%i] : memref<2xi64>
      async.yield
    }
    %n = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  return
})",
         "1 2", "A: 9 9"},
        {"a task and what follows it", R"(
func.func @f(%A: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 9 : i64
  %t = async.execute {
    memref.store %k, %A[%c0] : memref<1xi64>
    async.yield
  }
  memref.store %k, %A[%c0] : memref<1xi64>
  async.await %t : !async.token
  return
})",
         "1", "race: ..."},
        {"threads, a barrier and shared memory", R"(
func.func @f(%A: memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c2, %ny = %c1, %nz = %c1)
             workgroup(%sh : memref<2xi32, 3>) {
    %base = arith.muli %bx, %nx : index
    %at = arith.addi %base, %tx : index
    %v = memref.load %A[%at] : memref<4xi32>
    memref.store %v, %sh[%tx] : memref<2xi32, 3>
    gpu.barrier
    %o = arith.subi %c1, %tx : index
    %w = memref.load %sh[%o] : memref<2xi32, 3>
    memref.store %w, %A[%at] : memref<4xi32>
    gpu.terminator
  }
  return
})",
         "1 2 3 4", "A: 2 1 4 3"},
        {"a kernel of its own", R"(
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%A: memref<4xi32>, %s: i32) kernel {
      %b = gpu.block_id x
      %n = gpu.block_dim x
      %t = gpu.thread_id x
      %base = arith.muli %b, %n : index
      %at = arith.addi %base, %t : index
      memref.store %s, %A[%at] : memref<4xi32>
      gpu.return
    }
  }
  func.func @f(%A: memref<4xi32>, %s: i32) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c2, %c1, %c1) args(%A : memref<4xi32>, %s : i32)
    return
  }
})",
         "0 0 0 0 | 7", "A: 7 7 7 7"},
    };
}
