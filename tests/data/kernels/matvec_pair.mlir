// x1 += A y1 and x2 += A^T y2, two nests that may be fused.
// sizes: N 7 40 220
func.func @kernel(%A: memref<$Nx$Nxf64>, %y1: memref<$Nxf64>, %y2: memref<$Nxf64>, %x1: memref<$Nxf64>, %x2: memref<$Nxf64>) {
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $N {
      %a = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
      %y = affine.load %y1[%j] : memref<$Nxf64>
      %x = affine.load %x1[%i] : memref<$Nxf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x1[%i] : memref<$Nxf64>
    }
  }
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $N {
      %a = affine.load %A[%j, %i] : memref<$Nx$Nxf64>
      %y = affine.load %y2[%j] : memref<$Nxf64>
      %x = affine.load %x2[%i] : memref<$Nxf64>
      %product = arith.mulf %a, %y : f64
      %sum = arith.addf %x, %product : f64
      affine.store %sum, %x2[%i] : memref<$Nxf64>
    }
  }
  return
}
