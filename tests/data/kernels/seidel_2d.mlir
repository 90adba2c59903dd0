// Five-point average in place: each point needs its neighbours of this sweep and of the last.
// sizes: T 3 5 16, N 7 18 52
func.func @kernel(%A: memref<$Nx$Nxf64>) {
  affine.for %t = 0 to $T {
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        %five = arith.constant 5.0 : f64
        %u = affine.load %A[%i - 1, %j] : memref<$Nx$Nxf64>
        %l = affine.load %A[%i, %j - 1] : memref<$Nx$Nxf64>
        %m = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
        %r = affine.load %A[%i, %j + 1] : memref<$Nx$Nxf64>
        %d = affine.load %A[%i + 1, %j] : memref<$Nx$Nxf64>
        %s1 = arith.addf %u, %l : f64
        %s2 = arith.addf %s1, %m : f64
        %s3 = arith.addf %s2, %r : f64
        %s4 = arith.addf %s3, %d : f64
        %mean = arith.divf %s4, %five : f64
        affine.store %mean, %A[%i, %j] : memref<$Nx$Nxf64>
      }
    }
  }
  return
}
