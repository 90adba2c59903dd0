// y = A^T (A x), each row's scalar product carried by the loop.
// sizes: N 6 40 220, M 7 38 230
func.func @kernel(%A: memref<$Nx$Mxf64>, %x: memref<$Mxf64>, %y: memref<$Mxf64>) {
  affine.for %j = 0 to $M {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %y[%j] : memref<$Mxf64>
  }
  affine.for %i = 0 to $N {
    %zero = arith.constant 0.0 : f64
    %dot = affine.for %j = 0 to $M iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<$Nx$Mxf64>
      %xj = affine.load %x[%j] : memref<$Mxf64>
      %product = arith.mulf %a, %xj : f64
      %next = arith.addf %sum, %product : f64
      affine.yield %next : f64
    }
    affine.for %j = 0 to $M {
      %a = affine.load %A[%i, %j] : memref<$Nx$Mxf64>
      %yj = affine.load %y[%j] : memref<$Mxf64>
      %product = arith.mulf %a, %dot : f64
      %sum = arith.addf %yj, %product : f64
      affine.store %sum, %y[%j] : memref<$Mxf64>
    }
  }
  return
}
