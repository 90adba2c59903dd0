// B = A + u1 v1^T + u2 v2^T; x = beta B^T y + z; w = alpha B x.
// sizes: N 6 34 180
func.func @kernel(%alpha: f64, %beta: f64, %A: memref<$Nx$Nxf64>, %u1: memref<$Nxf64>, %v1: memref<$Nxf64>, %u2: memref<$Nxf64>,
                  %v2: memref<$Nxf64>, %y: memref<$Nxf64>, %z: memref<$Nxf64>, %w: memref<$Nxf64>) {
  %zero = arith.constant 0.0 : f64
  %B = memref.alloc() : memref<$Nx$Nxf64>
  %x = memref.alloc() : memref<$Nxf64>
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $N {
      %a = affine.load %A[%i, %j] : memref<$Nx$Nxf64>
      %p = affine.load %u1[%i] : memref<$Nxf64>
      %q = affine.load %v1[%j] : memref<$Nxf64>
      %r = affine.load %u2[%i] : memref<$Nxf64>
      %s = affine.load %v2[%j] : memref<$Nxf64>
      %pq = arith.mulf %p, %q : f64
      %rs = arith.mulf %r, %s : f64
      %sum = arith.addf %a, %pq : f64
      %all = arith.addf %sum, %rs : f64
      affine.store %all, %B[%i, %j] : memref<$Nx$Nxf64>
    }
  }
  affine.for %i = 0 to $N {
    %zi = affine.load %z[%i] : memref<$Nxf64>
    affine.store %zi, %x[%i] : memref<$Nxf64>
    affine.for %j = 0 to $N {
      %b = affine.load %B[%j, %i] : memref<$Nx$Nxf64>
      %yj = affine.load %y[%j] : memref<$Nxf64>
      %xi = affine.load %x[%i] : memref<$Nxf64>
      %by = arith.mulf %b, %yj : f64
      %scaled = arith.mulf %beta, %by : f64
      %sum = arith.addf %xi, %scaled : f64
      affine.store %sum, %x[%i] : memref<$Nxf64>
    }
  }
  affine.for %i = 0 to $N {
    affine.store %zero, %w[%i] : memref<$Nxf64>
    affine.for %j = 0 to $N {
      %b = affine.load %B[%i, %j] : memref<$Nx$Nxf64>
      %xj = affine.load %x[%j] : memref<$Nxf64>
      %wi = affine.load %w[%i] : memref<$Nxf64>
      %bx = arith.mulf %b, %xj : f64
      %scaled = arith.mulf %alpha, %bx : f64
      %sum = arith.addf %wi, %scaled : f64
      affine.store %sum, %w[%i] : memref<$Nxf64>
    }
  }
  memref.dealloc %B : memref<$Nx$Nxf64>
  memref.dealloc %x : memref<$Nxf64>
  return
}
