// Cholesky factor in the lower triangle, in place.
// sizes: N 6 20 64
#id = affine_map<(d0) -> (d0)>
func.func @kernel(%A: memref<$Nx$Nxf64>) {
  affine.for %i = 0 to $N {
    affine.for %j = 0 to #id(%i) {
      affine.for %k = 0 to #id(%j) {
        %p = affine.load %A[%i, %k] : memref<$Nx$Nxf64>
        %q = affine.load %A[%j, %k] : memref<$Nx$Nxf64>
        %a = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
        %product = arith.mulf %p, %q : f64
        %rest = arith.subf %a, %product : f64
        affine.store %rest, %A[%i, %j] : memref<$Nx$Nxf64>
      }
      %a = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
      %d = affine.load %A[%j, %j] : memref<$Nx$Nxf64>
      %quotient = arith.divf %a, %d : f64
      affine.store %quotient, %A[%i, %j] : memref<$Nx$Nxf64>
    }
    affine.for %k = 0 to #id(%i) {
      %p = affine.load %A[%i, %k] : memref<$Nx$Nxf64>
      %d = affine.load %A[%i, %i] : memref<$Nx$Nxf64>
      %square = arith.mulf %p, %p : f64
      %rest = arith.subf %d, %square : f64
      affine.store %rest, %A[%i, %i] : memref<$Nx$Nxf64>
    }
    %d = affine.load %A[%i, %i] : memref<$Nx$Nxf64>
    %root = math.sqrt %d : f64
    affine.store %root, %A[%i, %i] : memref<$Nx$Nxf64>
  }
  return
}
