// The lower triangle of C = beta C + alpha A A^T.
// sizes: N 5 16 50, M 6 14 46
#next = affine_map<(d0) -> (d0 + 1)>
func.func @kernel(%alpha: f64, %beta: f64, %A: memref<$Nx$Mxf64>, %C: memref<$Nx$Nxf64>) {
  affine.for %i = 0 to $N {
    affine.for %j = 0 to #next(%i) {
      %c = affine.load %C[%i, %j] : memref<$Nx$Nxf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<$Nx$Nxf64>
    }
    affine.for %k = 0 to $M {
      affine.for %j = 0 to #next(%i) {
        %p = affine.load %A[%i, %k] : memref<$Nx$Mxf64>
        %q = affine.load %A[%j, %k] : memref<$Nx$Mxf64>
        %c = affine.load %C[%i, %j] : memref<$Nx$Nxf64>
        %ap = arith.mulf %alpha, %p : f64
        %pq = arith.mulf %ap, %q : f64
        %sum = arith.addf %c, %pq : f64
        affine.store %sum, %C[%i, %j] : memref<$Nx$Nxf64>
      }
    }
  }
  return
}
