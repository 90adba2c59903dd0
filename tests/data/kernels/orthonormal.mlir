// Gram-Schmidt: A = Q R, column by column.
// sizes: M 5 16 46, N 4 12 36
#next = affine_map<(d0) -> (d0 + 1)>
func.func @kernel(%A: memref<$Mx$Nxf64>, %Q: memref<$Mx$Nxf64>, %R: memref<$Nx$Nxf64>) {
  affine.for %k = 0 to $N {
    %zero = arith.constant 0.0 : f64
    %norm = affine.for %i = 0 to $M iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %k] : memref<$Mx$Nxf64>
      %square = arith.mulf %a, %a : f64
      %next = arith.addf %sum, %square : f64
      affine.yield %next : f64
    }
    %length = math.sqrt %norm : f64
    affine.store %length, %R[%k, %k] : memref<$Nx$Nxf64>
    affine.for %i = 0 to $M {
      %a = affine.load %A[%i, %k] : memref<$Mx$Nxf64>
      %q = arith.divf %a, %length : f64
      affine.store %q, %Q[%i, %k] : memref<$Mx$Nxf64>
    }
    affine.for %j = #next(%k) to $N {
      affine.store %zero, %R[%k, %j] : memref<$Nx$Nxf64>
      affine.for %i = 0 to $M {
        %q = affine.load %Q[%i, %k] : memref<$Mx$Nxf64>
        %a = affine.load %A[%i, %j] : memref<$Mx$Nxf64>
        %r = affine.load %R[%k, %j] : memref<$Nx$Nxf64>
        %product = arith.mulf %q, %a : f64
        %sum = arith.addf %r, %product : f64
        affine.store %sum, %R[%k, %j] : memref<$Nx$Nxf64>
      }
      affine.for %i = 0 to $M {
        %a = affine.load %A[%i, %j] : memref<$Mx$Nxf64>
        %q = affine.load %Q[%i, %k] : memref<$Mx$Nxf64>
        %r = affine.load %R[%k, %j] : memref<$Nx$Nxf64>
        %product = arith.mulf %q, %r : f64
        %rest = arith.subf %a, %product : f64
        affine.store %rest, %A[%i, %j] : memref<$Mx$Nxf64>
      }
    }
  }
  return
}
