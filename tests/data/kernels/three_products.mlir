// G = (A B) (C D) with linalg's matmul on memrefs.
// sizes: N 4 11 28, M 5 12 27
func.func @kernel(%A: memref<$Nx$Mxf64>, %B: memref<$Mx$Nxf64>, %C: memref<$Nx$Mxf64>, %D: memref<$Mx$Nxf64>, %G: memref<$Nx$Nxf64>) {
  %zero = arith.constant 0.0 : f64
  %E = memref.alloc() : memref<$Nx$Nxf64>
  %F = memref.alloc() : memref<$Nx$Nxf64>
  linalg.fill ins(%zero : f64) outs(%E : memref<$Nx$Nxf64>)
  linalg.matmul ins(%A, %B : memref<$Nx$Mxf64>, memref<$Mx$Nxf64>) outs(%E : memref<$Nx$Nxf64>)
  linalg.fill ins(%zero : f64) outs(%F : memref<$Nx$Nxf64>)
  linalg.matmul ins(%C, %D : memref<$Nx$Mxf64>, memref<$Mx$Nxf64>) outs(%F : memref<$Nx$Nxf64>)
  linalg.fill ins(%zero : f64) outs(%G : memref<$Nx$Nxf64>)
  linalg.matmul ins(%E, %F : memref<$Nx$Nxf64>, memref<$Nx$Nxf64>) outs(%G : memref<$Nx$Nxf64>)
  memref.dealloc %E : memref<$Nx$Nxf64>
  memref.dealloc %F : memref<$Nx$Nxf64>
  return
}
