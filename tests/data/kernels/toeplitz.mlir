// Levinson recursion for a Toeplitz system, in scf with carried scalars.
// sizes: N 6 24 110
func.func @kernel(%r: memref<$Nxf64>, %y: memref<$Nxf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant $N : index
  %z = memref.alloca() : memref<$Nxf64>
  %r0 = memref.load %r[%c0] : memref<$Nxf64>
  %first = arith.negf %r0 : f64
  memref.store %first, %y[%c0] : memref<$Nxf64>
  %end:2 = scf.for %k = %c1 to %n step %c1 iter_args(%alpha = %first, %beta = %one) -> (f64, f64) {
    %square = arith.mulf %alpha, %alpha : f64
    %left = arith.subf %one, %square : f64
    %beta1 = arith.mulf %left, %beta : f64
    %dot = scf.for %i = %c0 to %k step %c1 iter_args(%sum = %zero) -> (f64) {
      %ki = arith.subi %k, %i : index
      %at = arith.subi %ki, %c1 : index
      %ra = memref.load %r[%at] : memref<$Nxf64>
      %yi = memref.load %y[%i] : memref<$Nxf64>
      %product = arith.mulf %ra, %yi : f64
      %next = arith.addf %sum, %product : f64
      scf.yield %next : f64
    }
    %rk = memref.load %r[%k] : memref<$Nxf64>
    %total = arith.addf %rk, %dot : f64
    %negative = arith.negf %total : f64
    %alpha1 = arith.divf %negative, %beta1 : f64
    scf.for %i = %c0 to %k step %c1 {
      %ki = arith.subi %k, %i : index
      %at = arith.subi %ki, %c1 : index
      %yi = memref.load %y[%i] : memref<$Nxf64>
      %mirror = memref.load %y[%at] : memref<$Nxf64>
      %product = arith.mulf %alpha1, %mirror : f64
      %sum = arith.addf %yi, %product : f64
      memref.store %sum, %z[%i] : memref<$Nxf64>
    }
    scf.for %i = %c0 to %k step %c1 {
      %zi = memref.load %z[%i] : memref<$Nxf64>
      memref.store %zi, %y[%i] : memref<$Nxf64>
    }
    memref.store %alpha1, %y[%k] : memref<$Nxf64>
    scf.yield %alpha1, %beta1 : f64, f64
  }
  return
}
