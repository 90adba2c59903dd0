// Five-point average and copy back.
// sizes: T 2 5 16, N 6 18 52
func.func @kernel(%A: memref<$Nx$Nxf64>, %B: memref<$Nx$Nxf64>) {
  affine.for %t = 0 to $T {
    %fifth = arith.constant 0.2 : f64
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        %m = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
        %l = affine.load %A[%i, %j - 1] : memref<$Nx$Nxf64>
        %r = affine.load %A[%i, %j + 1] : memref<$Nx$Nxf64>
        %u = affine.load %A[%i - 1, %j] : memref<$Nx$Nxf64>
        %d = affine.load %A[%i + 1, %j] : memref<$Nx$Nxf64>
        %s1 = arith.addf %m, %l : f64
        %s2 = arith.addf %s1, %r : f64
        %s3 = arith.addf %s2, %u : f64
        %s4 = arith.addf %s3, %d : f64
        %mean = arith.mulf %fifth, %s4 : f64
        affine.store %mean, %B[%i, %j] : memref<$Nx$Nxf64>
      }
    }
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        %b = affine.load %B[%i, %j] : memref<$Nx$Nxf64>
        affine.store %b, %A[%i, %j] : memref<$Nx$Nxf64>
      }
    }
  }
  return
}
