#include "tests/app/program_pairs.h"

std::vector<ProgramPair> undefinedPairs() {
    return {{"a shift by the width", "(%x: i32, %y: i32) -> i32",
             R"(  %r = arith.constant 0 : i32
  return %r : i32
)",
             R"(  %c = arith.constant 32 : i32
  %r = arith.shrui %x, %c : i32
  return %r : i32
)",
             "unproved"},
            {"a constant shifted by more than the width", "(%x: i32) -> i32",
             R"(  %r = arith.constant -1 : i32
  return %r : i32
)",
             R"(  %a = arith.constant -5 : i32
  %c = arith.constant 40 : i32
  %r = arith.shrsi %a, %c : i32
  return %r : i32
)",
             "unproved"},
            {"the bound of a shift is dropped", "(%x: i32, %y: i32) -> i32",
             R"(  %c = arith.constant 31 : i32
  %m = arith.andi %y, %c : i32
  %r = arith.shli %x, %m : i32
  return %r : i32
)",
             R"(  %r = arith.shli %x, %y : i32
  return %r : i32
)",
             "unproved"},
            {"the same shift", "(%x: i32, %y: i32) -> i32",
             R"(  %r = arith.shli %x, %y : i32
  return %r : i32
)",
             R"(  %r = arith.shli %x, %y : i32
  return %r : i32
)",
             "proved: identical"},
            {"shifts in another form", "(%x: i32, %y: i32) -> i32",
             R"(  %c = arith.constant 31 : i32
  %m = arith.andi %y, %c : i32
  %r = arith.shrui %x, %m : i32
  return %r : i32
)",
             R"(  %w = arith.constant 32 : i32
  %m = arith.remui %y, %w : i32
  %r = arith.shrui %x, %m : i32
  return %r : i32
)",
             "proved: exact"},
            {"what is undefined may go", "(%x: i32, %y: i32) -> i32",
             R"(  %c = arith.constant 40 : i32
  %d = arith.shli %x, %c : i32
  %r = arith.addi %x, %y : i32
  return %r : i32
)",
             R"(  %r = arith.addi %y, %x : i32
  return %r : i32
)",
             "proved: open"},
            {"a division by -1 comes", "(%x: i32) -> i32",
             R"(  %c = arith.constant 0 : i32
  %r = arith.subi %c, %x : i32
  return %r : i32
)",
             R"(  %c = arith.constant -1 : i32
  %r = arith.divsi %x, %c : i32
  return %r : i32
)",
             "refuted: out-of-range: division by zero or overflow, in arith.divsi at "},
            {"a division by -1 goes", "(%x: i32) -> i32",
             R"(  %c = arith.constant -1 : i32
  %r = arith.divsi %x, %c : i32
  return %r : i32
)",
             R"(  %c = arith.constant 0 : i32
  %r = arith.subi %c, %x : i32
  return %r : i32
)",
             "proved: exact"},
            {"a division by -1 in tensors", "(%x: tensor<30000xi32>) -> tensor<30000xi32>",
             R"(  %c = arith.constant dense<0> : tensor<30000xi32>
  %r = arith.subi %c, %x : tensor<30000xi32>
  return %r : tensor<30000xi32>
)",
             R"(  %c = arith.constant dense<-1> : tensor<30000xi32>
  %r = arith.divsi %x, %c : tensor<30000xi32>
  return %r : tensor<30000xi32>
)",
             "refuted: out-of-range: division"},
            {"parallel reduction: sum", "(%a: memref<8xi32>) -> i32",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %i0) -> i32 {
    %q = memref.load %a[%i] : memref<8xi32>
    %n = arith.addi %l, %q : i32
    scf.yield %n : i32
  }
  return %r : i32
)",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%i0) -> i32 {
    %x = memref.load %a[%i] : memref<8xi32>
    scf.reduce(%x : i32) {
    ^bb0(%l: i32, %q: i32):
      %n = arith.addi %l, %q : i32
      scf.reduce.return %n : i32
    }
  }
  return %r : i32
)",
             "proved: identical"},
            {"parallel reduction: least by comparison", "(%a: memref<8xi32>) -> i32",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %i0) -> i32 {
    %q = memref.load %a[%i] : memref<8xi32>
    %p = arith.cmpi slt, %q, %l : i32
    %n = arith.select %p, %q, %l : i32
    scf.yield %n : i32
  }
  return %r : i32
)",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%i0) -> i32 {
    %x = memref.load %a[%i] : memref<8xi32>
    scf.reduce(%x : i32) {
    ^bb0(%l: i32, %q: i32):
      %p = arith.cmpi slt, %q, %l : i32
      %n = arith.select %p, %q, %l : i32
      scf.reduce.return %n : i32
    }
  }
  return %r : i32
)",
             "proved: identical"},
            {"parallel reduction: difference", "(%a: memref<8xi32>) -> i32",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %i0) -> i32 {
    %q = memref.load %a[%i] : memref<8xi32>
    %n = arith.subi %l, %q : i32
    scf.yield %n : i32
  }
  return %r : i32
)",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%i0) -> i32 {
    %x = memref.load %a[%i] : memref<8xi32>
    scf.reduce(%x : i32) {
    ^bb0(%l: i32, %q: i32):
      %n = arith.subi %l, %q : i32
      scf.reduce.return %n : i32
    }
  }
  return %r : i32
)",
             "refuted: nondeterministic: the order of a reduction"},
            {"parallel reduction: last one", "(%a: memref<8xi32>) -> i32",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %i0) -> i32 {
    %q = memref.load %a[%i] : memref<8xi32>
    %z = arith.constant 0 : i32
    %n = arith.addi %q, %z : i32
    scf.yield %n : i32
  }
  return %r : i32
)",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%i0) -> i32 {
    %x = memref.load %a[%i] : memref<8xi32>
    scf.reduce(%x : i32) {
    ^bb0(%l: i32, %q: i32):
      %z = arith.constant 0 : i32
      %n = arith.addi %q, %z : i32
      scf.reduce.return %n : i32
    }
  }
  return %r : i32
)",
             "refuted: nondeterministic"},
            {"a reference that depends on the order", "(%a: memref<8xi32>) -> i32",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%i0) -> i32 {
    %x = memref.load %a[%i] : memref<8xi32>
    scf.reduce(%x : i32) {
    ^bb0(%l: i32, %q: i32):
      %n = arith.subi %l, %q : i32
      scf.reduce.return %n : i32
    }
  }
  return %r : i32
)",
             R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 100 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%l = %i0) -> i32 {
    %q = memref.load %a[%i] : memref<8xi32>
    %n = arith.subi %l, %q : i32
    scf.yield %n : i32
  }
  return %r : i32
)",
             "undecided: reference undefined: nondeterministic"},
            {"a copy over itself", "(%a: memref<8xi32>)",
             R"(  %s = memref.subview %a[0][4][1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  %t = memref.subview %a[2][4][1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 2>>
  memref.copy %s, %t : memref<4xi32, strided<[1]>> to memref<4xi32, strided<[1], offset: 2>>
  return
)",
             R"(  %s = memref.subview %a[0][4][1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  %t = memref.subview %a[2][4][1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 2>>
  memref.copy %s, %t : memref<4xi32, strided<[1]>> to memref<4xi32, strided<[1], offset: 2>>
  return
)",
             "undecided: parts of 'a' that overlap are copied"},
            {"a copy beside itself", "(%a: memref<8xi32>)",
             R"(  %s = memref.subview %a[0][4][1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  %t = memref.subview %a[4][4][1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  memref.copy %s, %t : memref<4xi32, strided<[1]>> to memref<4xi32, strided<[1], offset: 4>>
  return
)",
             R"(  %s = memref.subview %a[0][4][1] : memref<8xi32> to memref<4xi32, strided<[1]>>
  %t = memref.subview %a[4][4][1] : memref<8xi32> to memref<4xi32, strided<[1], offset: 4>>
  memref.copy %s, %t : memref<4xi32, strided<[1]>> to memref<4xi32, strided<[1], offset: 4>>
  return
)",
             "proved: identical"},
            {"a launch of a negative size", "(%a: memref<8xi32>)",
             R"(  return
)",
             R"(  %n = arith.constant -1 : index
  %o = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %o, %gz = %o) threads(%tx, %ty, %tz) in (%sx = %o, %sy = %o, %sz = %o) {
    gpu.terminator
  }
  return
)",
             "refuted: out-of-range: launch of size -1"},
            {"a group that is too small", "()",
             R"(  return
)",
             R"(  %n = arith.constant 1 : index
  %g = async.create_group %n : !async.group
  %s = async.execute {
    async.yield
  }
  %t = async.execute {
    async.yield
  }
  %i = async.add_to_group %s, %g : !async.token
  %j = async.add_to_group %t, %g : !async.token
  async.await_all %g
  return
)",
             "refuted: out-of-range: assertion fails"},
            {"memory of a block, with its barrier", "(%a: memref<8xi32>, %b: memref<8xi32>)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  scf.for %t = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %t : index
    %y = memref.load %a[%j] : memref<8xi32>
    memref.store %y, %b[%t] : memref<8xi32>
  }
  return
)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%t, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) workgroup(%s : memref<8xi32, 3>) {
    %x = memref.load %a[%t] : memref<8xi32>
    memref.store %x, %s[%t] : memref<8xi32, 3>
    gpu.barrier
    %j = arith.subi %c7, %t : index
    %y = memref.load %s[%j] : memref<8xi32, 3>
    memref.store %y, %b[%t] : memref<8xi32>
    gpu.terminator
  }
  return
)",
             "proved: identical"},
            {"memory of a block, barrier dropped", "(%a: memref<8xi32>, %b: memref<8xi32>)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  scf.for %t = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %t : index
    %y = memref.load %a[%j] : memref<8xi32>
    memref.store %y, %b[%t] : memref<8xi32>
  }
  return
)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%t, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) workgroup(%s : memref<8xi32, 3>) {
    %x = memref.load %a[%t] : memref<8xi32>
    memref.store %x, %s[%t] : memref<8xi32, 3>
    %j = arith.subi %c7, %t : index
    %y = memref.load %s[%j] : memref<8xi32, 3>
    memref.store %y, %b[%t] : memref<8xi32>
    gpu.terminator
  }
  return
)",
             "refuted: race: "},
            {"memory of a block that nobody writes", "(%a: memref<8xi32>, %b: memref<8xi32>)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  scf.for %t = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %t : index
    %y = memref.load %a[%j] : memref<8xi32>
    memref.store %y, %b[%t] : memref<8xi32>
  }
  return
)",
             R"(  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%t, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) workgroup(%s : memref<8xi32, 3>) {
    %j = arith.subi %c7, %t : index
    %y = memref.load %s[%j] : memref<8xi32, 3>
    memref.store %y, %b[%t] : memref<8xi32>
    gpu.terminator
  }
  return
)",
             "refuted: uninitialised: read of s[7]"},
            {"memory freed after its reader", "(%b: memref<1xi32>)",
             R"(  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %v, %m[%c0] : memref<1xi32>
  %x = memref.load %m[%c0] : memref<1xi32>
  memref.store %x, %b[%c0] : memref<1xi32>
  memref.dealloc %m : memref<1xi32>
  return
)",
             R"(  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %v, %m[%c0] : memref<1xi32>
  %s = async.execute {
    %x = memref.load %m[%c0] : memref<1xi32>
    memref.store %x, %b[%c0] : memref<1xi32>
    async.yield
  }
  %t = async.execute [%s] {
    memref.dealloc %m : memref<1xi32>
    async.yield
  }
  async.await %s : !async.token
  async.await %t : !async.token
  return
)",
             "proved: identical"},
            {"memory freed beside its reader", "(%b: memref<1xi32>)",
             R"(  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %v, %m[%c0] : memref<1xi32>
  %x = memref.load %m[%c0] : memref<1xi32>
  memref.store %x, %b[%c0] : memref<1xi32>
  memref.dealloc %m : memref<1xi32>
  return
)",
             R"(  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %v, %m[%c0] : memref<1xi32>
  %s = async.execute {
    %x = memref.load %m[%c0] : memref<1xi32>
    memref.store %x, %b[%c0] : memref<1xi32>
    async.yield
  }
  %t = async.execute {
    memref.dealloc %m : memref<1xi32>
    async.yield
  }
  async.await %s : !async.token
  async.await %t : !async.token
  return
)",
             "refuted: race: read and write of"}};
}
