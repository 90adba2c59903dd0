// Heat on a cube, there and back between two arrays.
// sizes: T 2 3 6, N 5 9 20
func.func @kernel(%A: memref<$Nx$Nx$Nxf64>, %B: memref<$Nx$Nx$Nxf64>) {
  affine.for %t = 0 to $T {
    %eighth = arith.constant 0.125 : f64
    %two = arith.constant 2.0 : f64
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        affine.for %k = 1 to $(N-1) {
          %m = affine.load %A[%i, %j, %k] : memref<$Nx$Nx$Nxf64>
          %twice = arith.mulf %two, %m : f64
          %a = affine.load %A[%i + 1, %j, %k] : memref<$Nx$Nx$Nxf64>
          %b = affine.load %A[%i - 1, %j, %k] : memref<$Nx$Nx$Nxf64>
          %ab0 = arith.subf %a, %twice : f64
          %ab1 = arith.addf %ab0, %b : f64
          %ab = arith.mulf %eighth, %ab1 : f64
          %c = affine.load %A[%i, %j + 1, %k] : memref<$Nx$Nx$Nxf64>
          %d = affine.load %A[%i, %j - 1, %k] : memref<$Nx$Nx$Nxf64>
          %cd0 = arith.subf %c, %twice : f64
          %cd1 = arith.addf %cd0, %d : f64
          %cd = arith.mulf %eighth, %cd1 : f64
          %e = affine.load %A[%i, %j, %k + 1] : memref<$Nx$Nx$Nxf64>
          %f = affine.load %A[%i, %j, %k - 1] : memref<$Nx$Nx$Nxf64>
          %ef0 = arith.subf %e, %twice : f64
          %ef1 = arith.addf %ef0, %f : f64
          %ef = arith.mulf %eighth, %ef1 : f64
          %s1 = arith.addf %ab, %cd : f64
          %s2 = arith.addf %s1, %ef : f64
          %s3 = arith.addf %s2, %m : f64
          affine.store %s3, %B[%i, %j, %k] : memref<$Nx$Nx$Nxf64>
        }
      }
    }
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        affine.for %k = 1 to $(N-1) {
          %b = affine.load %B[%i, %j, %k] : memref<$Nx$Nx$Nxf64>
          affine.store %b, %A[%i, %j, %k] : memref<$Nx$Nx$Nxf64>
        }
      }
    }
  }
  return
}
