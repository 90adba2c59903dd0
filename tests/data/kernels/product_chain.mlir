// D = (A B) C, the product in between in memory of its own.
// sizes: I 4 12 36, J 5 11 35, K 3 13 34, L 6 10 37
func.func @kernel(%A: memref<$Ix$Kxf64>, %B: memref<$Kx$Jxf64>, %C: memref<$Jx$Lxf64>, %D: memref<$Ix$Lxf64>) {
  %zero = arith.constant 0.0 : f64
  %T = memref.alloc() : memref<$Ix$Jxf64>
  affine.for %i = 0 to $I {
    affine.for %j = 0 to $J {
      affine.store %zero, %T[%i, %j] : memref<$Ix$Jxf64>
    }
  }
  affine.for %i = 0 to $I {
    affine.for %j = 0 to $J {
      affine.for %k = 0 to $K {
        %a = affine.load %A[%i, %k] : memref<$Ix$Kxf64>
        %b = affine.load %B[%k, %j] : memref<$Kx$Jxf64>
        %t = affine.load %T[%i, %j] : memref<$Ix$Jxf64>
        %product = arith.mulf %a, %b : f64
        %sum = arith.addf %t, %product : f64
        affine.store %sum, %T[%i, %j] : memref<$Ix$Jxf64>
      }
    }
  }
  affine.for %i = 0 to $I {
    affine.for %l = 0 to $L {
      affine.store %zero, %D[%i, %l] : memref<$Ix$Lxf64>
      affine.for %j = 0 to $J {
        %t = affine.load %T[%i, %j] : memref<$Ix$Jxf64>
        %c = affine.load %C[%j, %l] : memref<$Jx$Lxf64>
        %d = affine.load %D[%i, %l] : memref<$Ix$Lxf64>
        %product = arith.mulf %t, %c : f64
        %sum = arith.addf %d, %product : f64
        affine.store %sum, %D[%i, %l] : memref<$Ix$Lxf64>
      }
    }
  }
  memref.dealloc %T : memref<$Ix$Jxf64>
  return
}
