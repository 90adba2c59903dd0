// Three-point average, two arrays in turn.
// sizes: T 3 12 80, N 8 60 320
func.func @kernel(%A: memref<$Nxf64>, %B: memref<$Nxf64>) {
  affine.for %t = 0 to $T {
    %third = arith.constant 0.3333 : f64
    affine.for %i = 1 to $(N-1) {
      %l = affine.load %A[%i - 1] : memref<$Nxf64>
      %m = affine.load %A[%i] : memref<$Nxf64>
      %r = affine.load %A[%i + 1] : memref<$Nxf64>
      %lm = arith.addf %l, %m : f64
      %sum = arith.addf %lm, %r : f64
      %mean = arith.mulf %third, %sum : f64
      affine.store %mean, %B[%i] : memref<$Nxf64>
    }
    affine.for %i = 1 to $(N-1) {
      %l = affine.load %B[%i - 1] : memref<$Nxf64>
      %m = affine.load %B[%i] : memref<$Nxf64>
      %r = affine.load %B[%i + 1] : memref<$Nxf64>
      %lm = arith.addf %l, %m : f64
      %sum = arith.addf %lm, %r : f64
      %mean = arith.mulf %third, %sum : f64
      affine.store %mean, %A[%i] : memref<$Nxf64>
    }
  }
  return
}
