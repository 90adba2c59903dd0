// Alternating directions: a forward sweep along rows, then a backward sweep along columns.
// sizes: T 2 4 10, N 5 14 40
#back = affine_map<(d0) -> (-d0 + $(N-2))>
func.func @kernel(%U: memref<$Nx$Nxf64>, %V: memref<$Nx$Nxf64>) {
  affine.for %t = 0 to $T {
    %a = arith.constant 0.25 : f64
    %b = arith.constant 1.5 : f64
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 1 to $(N-1) {
        %v = affine.load %V[%i, %j - 1] : memref<$Nx$Nxf64>
        %u0 = affine.load %U[%i - 1, %j] : memref<$Nx$Nxf64>
        %u1 = affine.load %U[%i + 1, %j] : memref<$Nx$Nxf64>
        %u = affine.load %U[%i, %j] : memref<$Nx$Nxf64>
        %av = arith.mulf %a, %v : f64
        %s = arith.addf %u0, %u1 : f64
        %bs = arith.mulf %b, %u : f64
        %d = arith.subf %bs, %s : f64
        %n = arith.addf %d, %av : f64
        %w = arith.divf %n, %b : f64
        affine.store %w, %V[%i, %j] : memref<$Nx$Nxf64>
      }
    }
    affine.for %i = 1 to $(N-1) {
      affine.for %j = 0 to $(N-2) {
        %at = affine.apply #back(%j)
        %u = affine.load %U[%i, %at + 1] : memref<$Nx$Nxf64>
        %v = affine.load %V[%at, %i] : memref<$Nx$Nxf64>
        %au = arith.mulf %a, %u : f64
        %s = arith.addf %au, %v : f64
        affine.store %s, %U[%i, %at] : memref<$Nx$Nxf64>
      }
    }
  }
  return
}
