// The lower triangle of C += A B^T + B A^T.
// sizes: N 5 14 44, M 4 12 38
#next = affine_map<(d0) -> (d0 + 1)>
func.func @kernel(%A: memref<$Nx$Mxf64>, %B: memref<$Nx$Mxf64>, %C: memref<$Nx$Nxf64>) {
  affine.for %i = 0 to $N {
    %zero = arith.constant 0.0 : f64
    affine.for %j = 0 to #next(%i) {
      %dot = affine.for %k = 0 to $M iter_args(%sum = %zero) -> (f64) {
        %ai = affine.load %A[%i, %k] : memref<$Nx$Mxf64>
        %bj = affine.load %B[%j, %k] : memref<$Nx$Mxf64>
        %bi = affine.load %B[%i, %k] : memref<$Nx$Mxf64>
        %aj = affine.load %A[%j, %k] : memref<$Nx$Mxf64>
        %p = arith.mulf %ai, %bj : f64
        %q = arith.mulf %bi, %aj : f64
        %s = arith.addf %sum, %p : f64
        %t = arith.addf %s, %q : f64
        affine.yield %t : f64
      }
      %old = affine.load %C[%i, %j] : memref<$Nx$Nxf64>
      %new = arith.addf %old, %dot : f64
      affine.store %new, %C[%i, %j] : memref<$Nx$Nxf64>
    }
  }
  return
}
