// L x = b by forward substitution.
// sizes: N 8 50 300
#id = affine_map<(d0) -> (d0)>
func.func @kernel(%L: memref<$Nx$Nxf64>, %b: memref<$Nxf64>, %x: memref<$Nxf64>) {
  affine.for %i = 0 to $N {
    %bi = affine.load %b[%i] : memref<$Nxf64>
    affine.store %bi, %x[%i] : memref<$Nxf64>
    affine.for %j = 0 to #id(%i) {
      %l = affine.load %L[%i, %j] : memref<$Nx$Nxf64>
      %xj = affine.load %x[%j] : memref<$Nxf64>
      %xi = affine.load %x[%i] : memref<$Nxf64>
      %product = arith.mulf %l, %xj : f64
      %rest = arith.subf %xi, %product : f64
      affine.store %rest, %x[%i] : memref<$Nxf64>
    }
    %xi = affine.load %x[%i] : memref<$Nxf64>
    %d = affine.load %L[%i, %i] : memref<$Nx$Nxf64>
    %quotient = arith.divf %xi, %d : f64
    affine.store %quotient, %x[%i] : memref<$Nxf64>
  }
  return
}
