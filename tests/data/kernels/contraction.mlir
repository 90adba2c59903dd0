// A[r,q,p] = sum over s of A[r,q,s] C[s,p], row by row through a buffer.
// sizes: N 3 7 16, P 4 8 18
func.func @kernel(%A: memref<$Nx$Nx$Pxf64>, %C: memref<$Px$Pxf64>) {
  %zero = arith.constant 0.0 : f64
  %row = memref.alloca() : memref<$Pxf64>
  affine.for %r = 0 to $N {
    affine.for %q = 0 to $N {
      affine.for %p = 0 to $P {
        affine.store %zero, %row[%p] : memref<$Pxf64>
        affine.for %s = 0 to $P {
          %a = affine.load %A[%r, %q, %s] : memref<$Nx$Nx$Pxf64>
          %c = affine.load %C[%s, %p] : memref<$Px$Pxf64>
          %t = affine.load %row[%p] : memref<$Pxf64>
          %product = arith.mulf %a, %c : f64
          %sum = arith.addf %t, %product : f64
          affine.store %sum, %row[%p] : memref<$Pxf64>
        }
      }
      affine.for %p = 0 to $P {
        %t = affine.load %row[%p] : memref<$Pxf64>
        affine.store %t, %A[%r, %q, %p] : memref<$Nx$Nx$Pxf64>
      }
    }
  }
  return
}
