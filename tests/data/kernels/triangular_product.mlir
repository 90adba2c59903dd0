// B = A^T B in place, A unit lower triangular.
// sizes: N 5 16 50, M 6 15 48
#next = affine_map<(d0) -> (d0 + 1)>
func.func @kernel(%A: memref<$Nx$Nxf64>, %B: memref<$Nx$Mxf64>) {
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $M {
      affine.for %k = #next(%i) to $N {
        %a = affine.load %A[%k, %i] : memref<$Nx$Nxf64>
        %b = affine.load %B[%k, %j] : memref<$Nx$Mxf64>
        %c = affine.load %B[%i, %j] : memref<$Nx$Mxf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %B[%i, %j] : memref<$Nx$Mxf64>
      }
    }
  }
  return
}
