// C = beta C + alpha A B.
// sizes: I 4 14 44, J 5 15 46, K 6 13 45
func.func @kernel(%alpha: f64, %beta: f64, %A: memref<$Ix$Kxf64>, %B: memref<$Kx$Jxf64>, %C: memref<$Ix$Jxf64>) {
  affine.for %i = 0 to $I {
    affine.for %j = 0 to $J {
      %old = affine.load %C[%i, %j] : memref<$Ix$Jxf64>
      %scaled = arith.mulf %old, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<$Ix$Jxf64>
      affine.for %k = 0 to $K {
        %a = affine.load %A[%i, %k] : memref<$Ix$Kxf64>
        %b = affine.load %B[%k, %j] : memref<$Kx$Jxf64>
        %c = affine.load %C[%i, %j] : memref<$Ix$Jxf64>
        %part = arith.mulf %alpha, %a : f64
        %product = arith.mulf %part, %b : f64
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<$Ix$Jxf64>
      }
    }
  }
  return
}
