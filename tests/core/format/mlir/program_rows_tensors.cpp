#include "tests/core/format/mlir/program_rows.h"

std::vector<ProgramRow> tensorRows() {
    return {
        {"an operand keeps its content", R"(
func.func @f(%t: tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {
  %c1 = arith.constant 1 : index
  %k = arith.constant 9 : i64
  %u = tensor.insert %k into %t[%c1] : tensor<3xi64>
  %v = tensor.insert %k into %u[%c1] : tensor<3xi64>
  return %t, %v : tensor<3xi64>, tensor<3xi64>
})",
         "1 2 3", "result0: 1 2 3 | result1: 1 9 3"},
        {"what a loop inserts into a tensor from outside", R"(
func.func @f(%k: i64) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i64
  %e = tensor.from_elements %k, %k : tensor<2xi64>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %z, %y = %z) -> (i64, i64) {
    %u = tensor.insert %z into %e[%i] : tensor<2xi64>
    %p = tensor.extract %u[%c0] : tensor<2xi64>
    %q = tensor.extract %u[%c1] : tensor<2xi64>
    scf.yield %p, %q : i64, i64
  }
  return %r#0, %r#1 : i64, i64
})",
         "5", "result0: 5 | result1: 0"},
        {"slices", R"(
func.func @f(%t: tensor<3x4xi64>, %i: index) -> (tensor<2xi64>, tensor<3x4xi64>) {
  %s = tensor.extract_slice %t[%i, 1] [1, 2] [1, 2] : tensor<3x4xi64> to tensor<2xi64>
  %u = tensor.insert_slice %s into %t[0, 2] [1, 2] [1, 1] : tensor<2xi64> into tensor<3x4xi64>
  return %s, %u : tensor<2xi64>, tensor<3x4xi64>
})",
         "0 1 2 3 4 5 6 7 8 9 10 11 | 2", "result0: 9 11 | result1: 0 1 9 11 4 5 6 7 8 9 10 11"},
        {"padding, concatenation, generation", R"(
func.func @f(%t: tensor<2xi64>, %k: i64) -> (tensor<5xi64>, tensor<4xi64>, tensor<3xi64>) {
  %p = tensor.pad %t low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %k : i64
  } : tensor<2xi64> to tensor<5xi64>
  %c = tensor.concat dim(0) %t, %t : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %g = tensor.generate {
  ^bb0(%i: index):
    %x = arith.index_cast %i : index to i64
    tensor.yield %x : i64
  } : tensor<3xi64>
  return %p, %c, %g : tensor<5xi64>, tensor<4xi64>, tensor<3xi64>
})",
         "1 2 | 7", "result0: 7 1 2 7 7 | result1: 1 2 1 2 | result2: 0 1 2"},
        {"padding and concatenation", R"(
func.func @f(%t: tensor<2x2xf32>, %k: f32) -> (tensor<4x3xf32>, tensor<2x4xf32>, tensor<2xf32>) {
  %p = tensor.pad %t low[1, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %k : f32
  } : tensor<2x2xf32> to tensor<4x3xf32>
  %c = tensor.concat dim(1) %t, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %s = tensor.extract_slice %t[0, 1] [2, 1] [1, 1] : tensor<2x2xf32> to tensor<2xf32>
  return %p, %c, %s : tensor<4x3xf32>, tensor<2x4xf32>, tensor<2xf32>
})",
         "1 2 3 4 | 7", "result0: 7 7 7 1 2 7 3 4 7 7 7 7 | result1: 1 2 1 2 3 4 3 4 | result2: 2 4"},
        {"shapes", R"(
func.func @f(%t: tensor<2x3xi64>) -> (tensor<6xi64>, tensor<3x1x2xi64>, index) {
  %c1 = arith.constant 1 : index
  %l = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xi64> into tensor<6xi64>
  %e = tensor.expand_shape %l [[0, 1, 2]] output_shape [3, 1, 2] : tensor<6xi64> into tensor<3x1x2xi64>
  %d = tensor.dim %t, %c1 : tensor<2x3xi64>
  return %l, %e, %d : tensor<6xi64>, tensor<3x1x2xi64>, index
})",
         "1 2 3 4 5 6", "result0: 1 2 3 4 5 6 | result1: 1 2 3 4 5 6 | result2: 3"},
        {"arithmetic by element", R"(
func.func @f(%t: tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi1>) {
  %k = arith.constant dense<[1, 2, 4]> : tensor<3xi64>
  %two = arith.constant dense<2> : tensor<3xi64>
  %s = arith.muli %t, %two : tensor<3xi64>
  %c = arith.cmpi sgt, %s, %k : tensor<3xi64>
  return %s, %c : tensor<3xi64>, tensor<3xi1>
})",
         "0 1 2", "result0: 0 2 4 | result1: 0 0 0"},
        {"memory and tensors", R"(
func.func @f(%A: memref<2xi64>) -> (i64, i64) {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %A restrict : memref<2xi64>
  %k = arith.constant 9 : i64
  memref.store %k, %A[%c0] : memref<2xi64>
  %before = tensor.extract %t[%c0] : tensor<2xi64>
  %m = bufferization.to_memref %t : memref<2xi64>
  memref.store %k, %m[%c0] : memref<2xi64>
  %after = tensor.extract %t[%c0] : tensor<2xi64>
  return %before, %after : i64, i64
})",
         "1 2", "result0: 1 | result1: 1 | A: 9 2"},
        {"a named product", R"(
func.func @f(%a: tensor<2x3xi64>, %b: tensor<3x2xi64>) -> tensor<2x2xi64> {
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<2x2xi64>
  %i = linalg.fill ins(%z : i64) outs(%e : tensor<2x2xi64>) -> tensor<2x2xi64>
  %r = linalg.matmul ins(%a, %b : tensor<2x3xi64>, tensor<3x2xi64>) outs(%i : tensor<2x2xi64>) -> tensor<2x2xi64>
  return %r : tensor<2x2xi64>
})",
         "1 2 3 4 5 6 | 1 0 0 1 1 1", "result0: 4 5 10 11"},
        {"a generic op with indices", R"(
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @f(%a: memref<2x3xi64>, %o: memref<3x2xi64>) {
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<2x3xi64>) outs(%o : memref<3x2xi64>) {
  ^bb0(%x: i64, %y: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %s = arith.addi %x, %k : i64
    %u = arith.addi %s, %y : i64
    linalg.yield %u : i64
  }
  return
})",
         "1 2 3 4 5 6 | 10 10 10 10 10 10", "o: 11 14 13 16 15 18"},
        {"insertion, an axis of length 1, an order of its own", R"(
#ij = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (0, j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
func.func @f(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %c: tensor<4x5xf32>, %d: tensor<2x3x2xf32>, %u: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<4x5xf32>, tensor<2x3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.generic {indexing_maps = [#ij, #one, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<2x3xf32>, tensor<1x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %1 = tensor.insert_slice %a into %c[1, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x5xf32>
  %2 = linalg.generic {indexing_maps = [#ijk, #kj], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%d : tensor<2x3x2xf32>) outs(%u : tensor<2x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %least = arith.constant 0xFF800000 : f32
  %f = tensor.empty() : tensor<3xf32>
  %i = linalg.fill ins(%least : f32) outs(%f : tensor<3xf32>) -> tensor<3xf32>
  %3 = linalg.reduce ins(%a : tensor<2x3xf32>) outs(%i : tensor<3xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %m = arith.maximumf %x, %o : f32
      linalg.yield %m : f32
    }
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<4x5xf32>, tensor<2x3xf32>, tensor<3xf32>
})",
         "1 2 3 4 5 9 | 1 2 1 | 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 | 1 2 3 4 5 6 7 8 9 10 11 12 | 1 1 1 1 1 1",
         "result0: 0 0 2 3 3 8 | result1: 0 0 0 0 0 0 0 1 2 3 0 0 4 5 9 0 0 0 0 0 | result2: 9 13 17 11 15 19 | result3: 4 5 9"},
        {"a dynamic size", R"(
func.func @f(%n: index) -> (index, i64) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 4 : i64
  %e = tensor.empty(%n) : tensor<?xi64>
  %i = linalg.fill ins(%k : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %d = tensor.dim %i, %c0 : tensor<?xi64>
  %v = tensor.extract %i[%c0] : tensor<?xi64>
  return %d, %v : index, i64
})",
         "3", "result0: 3 | result1: 4"},
        {"tosa: arithmetic with broadcasting", R"(
func.func @f(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>) {
  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.clamp %a {min_fp = 2.0 : f32, max_fp = 4.0 : f32, min_int = 0 : i64, max_int = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tosa.greater %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>
})",
         "1 2 3 4 5 6 | 3 3 3", "result0: 4 5 6 7 8 9 | result1: 2 2 3 4 4 4 | result2: 0 0 0 1 1 1"},
        {"tosa: movement", R"(
func.func @f(%a: tensor<2x3xi32>) -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x3xi32>) {
  %p = "tosa.const"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = tosa.transpose %a, %p : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %1 = tosa.reshape %a {new_shape = array<i64: 6>} : (tensor<2x3xi32>) -> tensor<6xi32>
  %2 = tosa.slice %a {start = array<i64: 0, 1>, size = array<i64: 2, 2>} : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %3 = tosa.concat %a, %a {axis = 0 : i32} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  %4 = tosa.reverse %a {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0, %1, %2, %3, %4 : tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x3xi32>
})",
         "1 2 3 4 5 6", "result0: 1 4 2 5 3 6 | result1: 1 2 3 4 5 6 | result2: 2 3 5 6 | result3: 1 2 3 4 5 6 1 2 3 4 5 6 | result4: 3 2 1 6 5 4"},
        {"tosa: sums", R"(
func.func @f(%a: tensor<1x2x3xf32>, %b: tensor<1x3x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x1x3xf32>, tensor<1x2xi32>) {
  %0 = tosa.matmul %a, %b : (tensor<1x2x3xf32>, tensor<1x3x2xf32>) -> tensor<1x2x2xf32>
  %1 = tosa.reduce_max %a {axis = 1 : i32} : (tensor<1x2x3xf32>) -> tensor<1x1x3xf32>
  %2 = tosa.argmax %a {axis = 2 : i32} : (tensor<1x2x3xf32>) -> tensor<1x2xi32>
  return %0, %1, %2 : tensor<1x2x2xf32>, tensor<1x1x3xf32>, tensor<1x2xi32>
})",
         "1 2 3 6 5 4 | 1 0 0 1 1 1", "result0: 4 5 10 9 | result1: 6 5 4 | result2: 2 0"},
    };
}

std::vector<ProgramRow> vectorRows() {
    return {
        {"by lane", R"(
func.func @f(%A: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %v = vector.load %A[%c0] : memref<4xi64>, vector<4xi64>
  %k = arith.constant dense<[1, 2, 3, 4]> : vector<4xi64>
  %p = arith.muli %v, %k : vector<4xi64>
  vector.store %p, %A[%c0] : memref<4xi64>, vector<4xi64>
  %s = vector.reduction <add>, %p : vector<4xi64> into i64
  return %s : i64
})",
         "1 2 3 4", "result0: 30 | A: 1 4 9 16"},
        {"past the end there is padding", R"(
func.func @f(%A: memref<5xi64>, %i: index, %k: i64) -> (i64, i64) {
  %v = vector.transfer_read %A[%i], %k : memref<5xi64>, vector<4xi64>
  %a = vector.extract %v[1] : i64 from vector<4xi64>
  %b = vector.extract %v[2] : i64 from vector<4xi64>
  %w = arith.addi %v, %v : vector<4xi64>
  vector.transfer_write %w, %A[%i] : vector<4xi64>, memref<5xi64>
  return %a, %b : i64, i64
})",
         "1 2 3 4 5 | 3 | 9", "result0: 5 | result1: 9 | A: 1 2 3 8 10"},
        {"transposed and broadcast reads", R"(
func.func @f(%A: memref<2x3xi64>) -> (vector<3x2xi64>) {
  %c0 = arith.constant 0 : index
  %k = arith.constant 0 : i64
  %v = vector.transfer_read %A[%c0, %c0], %k {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<2x3xi64>, vector<3x2xi64>
  return %v : vector<3x2xi64>
})",
         "1 2 3 4 5 6", "result0: 1 4 2 5 3 6"},
        {"transposes, shapes and shuffles", R"(
func.func @f(%A: memref<6xi64>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %A[%c0] : memref<6xi64>, vector<6xi64>
  %m = vector.shape_cast %v : vector<6xi64> to vector<2x3xi64>
  %t = vector.transpose %m, [1, 0] : vector<2x3xi64> to vector<3x2xi64>
  %l = vector.shape_cast %t : vector<3x2xi64> to vector<6xi64>
  %s = vector.shuffle %l, %v [5, 4, 3, 2, 1, 6] : vector<6xi64>, vector<6xi64>
  vector.store %s, %A[%c0] : memref<6xi64>, vector<6xi64>
  return
})",
         "1 2 3 4 5 6", "A: 6 3 5 2 4 1"},
        {"a contraction", R"(
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @f(%A: memref<2x2xi64>, %B: memref<2x2xi64>, %C: memref<2x2xi64>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %A[%c0, %c0] : memref<2x2xi64>, vector<2x2xi64>
  %b = vector.load %B[%c0, %c0] : memref<2x2xi64>, vector<2x2xi64>
  %c = vector.load %C[%c0, %c0] : memref<2x2xi64>, vector<2x2xi64>
  %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<2x2xi64>, vector<2x2xi64> into vector<2x2xi64>
  vector.store %r, %C[%c0, %c0] : memref<2x2xi64>, vector<2x2xi64>
  return
})",
         "1 2 3 4 | 5 6 7 8 | 1 1 1 1", "C: 20 23 44 51"},
        {"a loop that carries a vector", R"(
func.func @f(%A: memref<3x2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant dense<0> : vector<2xi64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %z) -> vector<2xi64> {
    %v = vector.load %A[%i, %c0] : memref<3x2xi64>, vector<2xi64>
    %t = arith.addi %s, %v : vector<2xi64>
    %w = vector.shuffle %t, %t [1, 0] : vector<2xi64>, vector<2xi64>
    scf.yield %w : vector<2xi64>
  }
  %x = vector.extract %r[0] : i64 from vector<2xi64>
  return %x : i64
})",
         "1 2 3 4 5 6", "result0: 11"},
        {"masks", R"(
func.func @f(%A: memref<4xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<4xi1>
  %z = arith.constant dense<0> : vector<4xi64>
  %v = vector.maskedload %A[%c0], %m, %z : memref<4xi64>, vector<4xi1>, vector<4xi64> into vector<4xi64>
  vector.store %v, %A[%c0] : memref<4xi64>, vector<4xi64>
  return
})",
         "1 2 3 4 | 2", "A: 1 2 0 0"},
        {"a lane known when it runs", R"(
func.func @f(%A: memref<3xi64>, %i: i32) -> i64 {
  %c0 = arith.constant 0 : index
  %v = vector.load %A[%c0] : memref<3xi64>, vector<3xi64>
  %x = vector.extractelement %v[%i : i32] : vector<3xi64>
  return %x : i64
})",
         "4 5 6 | 2", "result0: 6"},
    };
}

namespace {

constexpr const char* Convolution = R"(
func.func @f(%in: memref<1x4x4x2xf32>, %w: memref<3x3x2x1xf32>, %out: memref<1x2x2x1xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%in, %w : memref<1x4x4x2xf32>, memref<3x3x2x1xf32>) outs(%out : memref<1x2x2x1xf32>)
  return
})";
constexpr const char* ConvolutionInputs =
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 | 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 | 0 0 0 0";
constexpr const char* Product = R"(
func.func @f(%a: memref<3x4xf32>, %b: memref<4x5xf32>, %c: memref<3x5xf32>) {
  linalg.matmul ins(%a, %b : memref<3x4xf32>, memref<4x5xf32>) outs(%c : memref<3x5xf32>)
  return
})";
constexpr const char* ProductInputs = "1 2 3 4 5 6 7 8 9 10 11 12 | 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 | 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1";
constexpr const char* Pointwise = R"(
func.func @f(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<3x2xf32>) {
  %p = "tosa.const"() {value = dense<[1, 0]> : tensor<2xi32>} : () -> tensor<2xi32>
  %0 = tosa.sub %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.sigmoid %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tosa.reduce_sum %1 {axis = 0 : i32} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %3 = tosa.transpose %1, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<3x2xf32>
})";
constexpr const char* Network = R"(
func.func @f(%in: tensor<1x4x4x2xf32>, %w: tensor<3x3x3x2xf32>, %b: tensor<3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>) {
  %0 = tosa.conv2d %in, %w, %b {dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>) -> tensor<1x4x4x3xf32>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
  return %0, %1 : tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>
})";
constexpr const char* NetworkInputs =
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 | "
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 | 1 2 3";
constexpr const char* Rows = R"(
func.func @f(%A: memref<2x8xf64>, %B: memref<2x8xf64>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %A[%i, %j] : memref<2x8xf64>
      %2 = arith.mulf %0, %0 : f64
      affine.store %2, %B[%i, %j] : memref<2x8xf64>
    }
  }
  return
})";
constexpr const char* Mapped = R"(
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3x2xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.map {arith.mulf} ins(%a, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
  %d = tensor.empty() : tensor<3x2xf32>
  %1 = linalg.transpose ins(%0 : tensor<2x3xf32>) outs(%d : tensor<3x2xf32>) permutation = [1, 0]
  %c = tensor.empty() : tensor<2x3x2xf32>
  %2 = linalg.broadcast ins(%1 : tensor<3x2xf32>) outs(%c : tensor<2x3x2xf32>) dimensions = [0]
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3x2xf32>
})";
constexpr const char* Loops = R"(
func.func @f(%A: memref<9x7xf64>, %B: memref<9x7xf64>) {
  affine.for %i = 1 to 8 {
    affine.for %j = 1 to 6 {
      %0 = affine.load %A[%i, %j - 1] : memref<9x7xf64>
      %1 = affine.load %A[%i - 1, %j] : memref<9x7xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i, %j] : memref<9x7xf64>
    }
  }
  return
})";
constexpr const char* LoopsInputs =
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 | "
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";

} // namespace

std::vector<LoweringRow> loweringRows() {
    return {
        {"matmul as loops", Product, ProductInputs, "--convert-linalg-to-loops"},
        {"matmul as affine loops", Product, ProductInputs, "--convert-linalg-to-affine-loops"},
        {"matmul as branches", Product, ProductInputs, "--convert-linalg-to-loops --convert-scf-to-cf"},
        {"matmul generalised", Product, ProductInputs, "--linalg-generalize-named-ops"},
        {"conv2d as loops", Convolution, ConvolutionInputs, "--convert-linalg-to-loops"},
        {"conv2d as parallel loops", Convolution, ConvolutionInputs, "--convert-linalg-to-parallel-loops"},
        {"conv2d generalised", Convolution, ConvolutionInputs, "--linalg-generalize-named-ops --convert-linalg-to-affine-loops"},
        {"tosa as linalg", Pointwise, "1 2 3 4 5 6 | 3 2 1",
         "--pass-pipeline=builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor))"},
        {"a network as linalg", Network, NetworkInputs,
         "--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions,tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor))"},
        {"loops as vectors", Rows, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 | 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
         "--affine-super-vectorize=virtual-vector-size=4"},
        {"maps as generic ops", Mapped, "1 2 3 4 5 6 | 2 2 2 3 3 3", "--linalg-generalize-named-ops"},
        {"tensors as memory", Mapped, "1 2 3 4 5 6 | 2 2 2 3 3 3",
         "--one-shot-bufferize=bufferize-function-boundaries=1 --convert-linalg-to-loops --expand-strided-metadata"},
        {"loops tiled", Loops, LoopsInputs, "--affine-loop-tile=tile-size=4 --lower-affine"},
        {"loops unrolled", Loops, LoopsInputs, "--affine-loop-unroll=unroll-factor=3 --canonicalize --cse"},
        {"loops as parallel ones", Loops, LoopsInputs, "--affine-parallelize --lower-affine"},
        {"loops as tasks", Loops, LoopsInputs, "--affine-parallelize --lower-affine --async-parallel-for"},
        {"loops as branches", Loops, LoopsInputs, "--lower-affine --convert-scf-to-cf"},
    };
}
