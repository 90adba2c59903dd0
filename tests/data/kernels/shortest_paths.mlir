// All shortest paths in a graph with integer lengths, in place.
// sizes: N 5 14 40
func.func @kernel(%path: memref<$Nx$Nxi32>) {
  affine.for %k = 0 to $N {
    affine.for %i = 0 to $N {
      affine.for %j = 0 to $N {
        %p = affine.load %path[%i, %k] : memref<$Nx$Nxi32>
        %q = affine.load %path[%k, %j] : memref<$Nx$Nxi32>
        %direct = affine.load %path[%i, %j] : memref<$Nx$Nxi32>
        %around = arith.addi %p, %q : i32
        %best = arith.minsi %direct, %around : i32
        affine.store %best, %path[%i, %j] : memref<$Nx$Nxi32>
      }
    }
  }
  return
}
