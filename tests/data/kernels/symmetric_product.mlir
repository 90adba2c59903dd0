// C = beta C + A B, of the symmetric A only the lower triangle is read.
// sizes: N 5 14 42, M 6 13 44
#id = affine_map<(d0) -> (d0)>
func.func @kernel(%beta: f64, %A: memref<$Nx$Nxf64>, %B: memref<$Nx$Mxf64>, %C: memref<$Nx$Mxf64>) {
  affine.for %i = 0 to $N {
    %zero = arith.constant 0.0 : f64
    affine.for %j = 0 to $M {
      %bij = affine.load %B[%i, %j] : memref<$Nx$Mxf64>
      %dot = affine.for %k = 0 to #id(%i) iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<$Nx$Nxf64>
        %c = affine.load %C[%k, %j] : memref<$Nx$Mxf64>
        %ba = arith.mulf %bij, %a : f64
        %c1 = arith.addf %c, %ba : f64
        affine.store %c1, %C[%k, %j] : memref<$Nx$Mxf64>
        %b = affine.load %B[%k, %j] : memref<$Nx$Mxf64>
        %ab = arith.mulf %b, %a : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %c = affine.load %C[%i, %j] : memref<$Nx$Mxf64>
      %d = affine.load %A[%i, %i] : memref<$Nx$Nxf64>
      %scaled = arith.mulf %beta, %c : f64
      %bd = arith.mulf %bij, %d : f64
      %s1 = arith.addf %scaled, %bd : f64
      %s2 = arith.addf %s1, %dot : f64
      affine.store %s2, %C[%i, %j] : memref<$Nx$Mxf64>
    }
  }
  return
}
