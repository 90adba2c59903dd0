// A recursive filter along rows, forwards and backwards, in single precision; both passes are added.
// sizes: N 5 30 130, M 6 28 120
#back = affine_map<(d0) -> (-d0 + $(M-1))>
func.func @kernel(%in: memref<$Nx$Mxf32>, %out: memref<$Nx$Mxf32>) {
  %zero = arith.constant 0.0 : f32
  %a = arith.constant 0.6 : f32
  %b = arith.constant 0.3 : f32
  %c = arith.constant -0.1 : f32
  %F = memref.alloc() : memref<$Nx$Mxf32>
  %G = memref.alloc() : memref<$Nx$Mxf32>
  affine.for %i = 0 to $N {
    %f:2 = affine.for %j = 0 to $M iter_args(%y1 = %zero, %y2 = %zero) -> (f32, f32) {
      %x = affine.load %in[%i, %j] : memref<$Nx$Mxf32>
      %p = arith.mulf %a, %x : f32
      %q = arith.mulf %b, %y1 : f32
      %r = arith.mulf %c, %y2 : f32
      %pq = arith.addf %p, %q : f32
      %y = arith.addf %pq, %r : f32
      affine.store %y, %F[%i, %j] : memref<$Nx$Mxf32>
      affine.yield %y, %y1 : f32, f32
    }
    %g:3 = affine.for %j = 0 to $M iter_args(%x1 = %zero, %y1 = %zero, %y2 = %zero) -> (f32, f32, f32) {
      %at = affine.apply #back(%j)
      %p = arith.mulf %a, %x1 : f32
      %q = arith.mulf %b, %y1 : f32
      %r = arith.mulf %c, %y2 : f32
      %pq = arith.addf %p, %q : f32
      %y = arith.addf %pq, %r : f32
      affine.store %y, %G[%i, %at] : memref<$Nx$Mxf32>
      %x = affine.load %in[%i, %at] : memref<$Nx$Mxf32>
      affine.yield %x, %y, %y1 : f32, f32, f32
    }
  }
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $M {
      %f = affine.load %F[%i, %j] : memref<$Nx$Mxf32>
      %g = affine.load %G[%i, %j] : memref<$Nx$Mxf32>
      %sum = arith.addf %f, %g : f32
      affine.store %sum, %out[%i, %j] : memref<$Nx$Mxf32>
    }
  }
  memref.dealloc %F : memref<$Nx$Mxf32>
  memref.dealloc %G : memref<$Nx$Mxf32>
  return
}
