// s = A^T r and q = A p in one sweep over A.
// sizes: N 7 40 220, M 6 42 230
func.func @kernel(%A: memref<$Nx$Mxf64>, %r: memref<$Nxf64>, %p: memref<$Mxf64>, %s: memref<$Mxf64>, %q: memref<$Nxf64>) {
  affine.for %j = 0 to $M {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %s[%j] : memref<$Mxf64>
  }
  affine.for %i = 0 to $N {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %q[%i] : memref<$Nxf64>
    affine.for %j = 0 to $M {
      %a = affine.load %A[%i, %j] : memref<$Nx$Mxf64>
      %ri = affine.load %r[%i] : memref<$Nxf64>
      %sj = affine.load %s[%j] : memref<$Mxf64>
      %ra = arith.mulf %ri, %a : f64
      %s1 = arith.addf %sj, %ra : f64
      affine.store %s1, %s[%j] : memref<$Mxf64>
      %pj = affine.load %p[%j] : memref<$Mxf64>
      %qi = affine.load %q[%i] : memref<$Nxf64>
      %ap = arith.mulf %a, %pj : f64
      %q1 = arith.addf %qi, %ap : f64
      affine.store %q1, %q[%i] : memref<$Nxf64>
    }
  }
  return
}
