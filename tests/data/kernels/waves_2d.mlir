// Electric and magnetic field in two dimensions, three nests a time step.
// sizes: T 2 5 14, N 5 16 44, M 6 15 46
func.func @kernel(%X: memref<$Nx$Mxf64>, %Y: memref<$Nx$Mxf64>, %H: memref<$Nx$Mxf64>, %source: memref<$Txf64>) {
  affine.for %t = 0 to $T {
    %half = arith.constant 0.5 : f64
    %most = arith.constant 0.7 : f64
    affine.for %j = 0 to $M {
      %s = affine.load %source[%t] : memref<$Txf64>
      affine.store %s, %Y[0, %j] : memref<$Nx$Mxf64>
    }
    affine.for %i = 1 to $N {
      affine.for %j = 0 to $M {
        %y = affine.load %Y[%i, %j] : memref<$Nx$Mxf64>
        %h = affine.load %H[%i, %j] : memref<$Nx$Mxf64>
        %g = affine.load %H[%i - 1, %j] : memref<$Nx$Mxf64>
        %step = arith.subf %h, %g : f64
        %part = arith.mulf %half, %step : f64
        %next = arith.subf %y, %part : f64
        affine.store %next, %Y[%i, %j] : memref<$Nx$Mxf64>
      }
    }
    affine.for %i = 0 to $N {
      affine.for %j = 1 to $M {
        %x = affine.load %X[%i, %j] : memref<$Nx$Mxf64>
        %h = affine.load %H[%i, %j] : memref<$Nx$Mxf64>
        %g = affine.load %H[%i, %j - 1] : memref<$Nx$Mxf64>
        %step = arith.subf %h, %g : f64
        %part = arith.mulf %half, %step : f64
        %next = arith.subf %x, %part : f64
        affine.store %next, %X[%i, %j] : memref<$Nx$Mxf64>
      }
    }
    affine.for %i = 0 to $(N-1) {
      affine.for %j = 0 to $(M-1) {
        %h = affine.load %H[%i, %j] : memref<$Nx$Mxf64>
        %x1 = affine.load %X[%i, %j + 1] : memref<$Nx$Mxf64>
        %x0 = affine.load %X[%i, %j] : memref<$Nx$Mxf64>
        %y1 = affine.load %Y[%i + 1, %j] : memref<$Nx$Mxf64>
        %y0 = affine.load %Y[%i, %j] : memref<$Nx$Mxf64>
        %dx = arith.subf %x1, %x0 : f64
        %dxy = arith.addf %dx, %y1 : f64
        %curl = arith.subf %dxy, %y0 : f64
        %part = arith.mulf %most, %curl : f64
        %next = arith.subf %h, %part : f64
        affine.store %next, %H[%i, %j] : memref<$Nx$Mxf64>
      }
    }
  }
  return
}
