// Covariance of the columns of a table; the means are taken off in place.
// sizes: N 6 16 50, M 4 13 40
#id = affine_map<(d0) -> (d0)>
func.func @kernel(%count: f64, %table: memref<$Nx$Mxf64>, %cov: memref<$Mx$Mxf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %mean = memref.alloc() : memref<$Mxf64>
  affine.for %j = 0 to $M {
    affine.store %zero, %mean[%j] : memref<$Mxf64>
    affine.for %i = 0 to $N {
      %x = affine.load %table[%i, %j] : memref<$Nx$Mxf64>
      %m = affine.load %mean[%j] : memref<$Mxf64>
      %sum = arith.addf %m, %x : f64
      affine.store %sum, %mean[%j] : memref<$Mxf64>
    }
    %m = affine.load %mean[%j] : memref<$Mxf64>
    %q = arith.divf %m, %count : f64
    affine.store %q, %mean[%j] : memref<$Mxf64>
  }
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $M {
      %x = affine.load %table[%i, %j] : memref<$Nx$Mxf64>
      %m = affine.load %mean[%j] : memref<$Mxf64>
      %d = arith.subf %x, %m : f64
      affine.store %d, %table[%i, %j] : memref<$Nx$Mxf64>
    }
  }
  affine.for %i = 0 to $M {
    %less = arith.subf %count, %one : f64
    affine.for %j = #id(%i) to $M {
      %dot = affine.for %k = 0 to $N iter_args(%sum = %zero) -> (f64) {
        %p = affine.load %table[%k, %i] : memref<$Nx$Mxf64>
        %q = affine.load %table[%k, %j] : memref<$Nx$Mxf64>
        %product = arith.mulf %p, %q : f64
        %next = arith.addf %sum, %product : f64
        affine.yield %next : f64
      }
      %c = arith.divf %dot, %less : f64
      affine.store %c, %cov[%i, %j] : memref<$Mx$Mxf64>
      affine.store %c, %cov[%j, %i] : memref<$Mx$Mxf64>
    }
  }
  memref.dealloc %mean : memref<$Mxf64>
  return
}
