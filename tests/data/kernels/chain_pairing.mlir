// Best pairing of the bases of a chain, by dynamic programming from the end.
// sizes: N 6 16 50
#first = affine_map<(d0) -> (-d0 + $(N-1))>
#after = affine_map<(d0) -> (-d0 + $N)>
#id = affine_map<(d0) -> (d0)>
#apart = affine_set<(d0, d1) : (d1 - d0 - 2 >= 0)>
func.func @kernel(%base: memref<$Nxi32>, %best: memref<$Nx$Nxi32>) {
  affine.for %n = 0 to $N {
    %three = arith.constant 3 : i32
    %i = affine.apply #first(%n)
    affine.for %j = #after(%n) to $N {
      %here = affine.load %best[%i, %j] : memref<$Nx$Nxi32>
      %left = affine.load %best[%i, %j - 1] : memref<$Nx$Nxi32>
      %down = affine.load %best[%i + 1, %j] : memref<$Nx$Nxi32>
      %m1 = arith.maxsi %here, %left : i32
      %m2 = arith.maxsi %m1, %down : i32
      affine.store %m2, %best[%i, %j] : memref<$Nx$Nxi32>
      affine.if #apart(%i, %j) {
        %inner = affine.load %best[%i + 1, %j - 1] : memref<$Nx$Nxi32>
        %p = affine.load %base[%i] : memref<$Nxi32>
        %q = affine.load %base[%j] : memref<$Nxi32>
        %sum = arith.addi %p, %q : i32
        %fits = arith.cmpi eq, %sum, %three : i32
        %bonus = arith.extui %fits : i1 to i32
        %paired = arith.addi %inner, %bonus : i32
        %old = affine.load %best[%i, %j] : memref<$Nx$Nxi32>
        %m3 = arith.maxsi %old, %paired : i32
        affine.store %m3, %best[%i, %j] : memref<$Nx$Nxi32>
      }
      affine.for %k = #after(%n) to #id(%j) {
        %p = affine.load %best[%i, %k] : memref<$Nx$Nxi32>
        %q = affine.load %best[%k + 1, %j] : memref<$Nx$Nxi32>
        %old = affine.load %best[%i, %j] : memref<$Nx$Nxi32>
        %split = arith.addi %p, %q : i32
        %m4 = arith.maxsi %old, %split : i32
        affine.store %m4, %best[%i, %j] : memref<$Nx$Nxi32>
      }
    }
  }
  return
}
