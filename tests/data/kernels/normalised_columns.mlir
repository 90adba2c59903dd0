// Mean and deviation of each column; a deviation that is too small counts as one; then the table is scaled.
// sizes: N 6 30 120, M 5 24 100
func.func @kernel(%count: f64, %table: memref<$Nx$Mxf64>, %mean: memref<$Mxf64>, %deviation: memref<$Mxf64>) {
  affine.for %j = 0 to $M {
    %zero = arith.constant 0.0 : f64
    %total = affine.for %i = 0 to $N iter_args(%sum = %zero) -> (f64) {
      %x = affine.load %table[%i, %j] : memref<$Nx$Mxf64>
      %next = arith.addf %sum, %x : f64
      affine.yield %next : f64
    }
    %m = arith.divf %total, %count : f64
    affine.store %m, %mean[%j] : memref<$Mxf64>
  }
  affine.for %j = 0 to $M {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %least = arith.constant 0.1 : f64
    %total = affine.for %i = 0 to $N iter_args(%sum = %zero) -> (f64) {
      %x = affine.load %table[%i, %j] : memref<$Nx$Mxf64>
      %m = affine.load %mean[%j] : memref<$Mxf64>
      %d = arith.subf %x, %m : f64
      %square = arith.mulf %d, %d : f64
      %next = arith.addf %sum, %square : f64
      affine.yield %next : f64
    }
    %variance = arith.divf %total, %count : f64
    %root = math.sqrt %variance : f64
    %small = arith.cmpf ole, %root, %least : f64
    %s = arith.select %small, %one, %root : f64
    affine.store %s, %deviation[%j] : memref<$Mxf64>
  }
  affine.for %i = 0 to $N {
    affine.for %j = 0 to $M {
      %x = affine.load %table[%i, %j] : memref<$Nx$Mxf64>
      %m = affine.load %mean[%j] : memref<$Mxf64>
      %s = affine.load %deviation[%j] : memref<$Mxf64>
      %d = arith.subf %x, %m : f64
      %scaled = arith.divf %d, %s : f64
      affine.store %scaled, %table[%i, %j] : memref<$Nx$Mxf64>
    }
  }
  return
}
