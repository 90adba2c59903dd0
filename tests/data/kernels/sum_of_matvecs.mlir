// y = A x + B x in single precision, as linalg ops on memrefs.
// sizes: N 6 40 220
#row = affine_map<(i) -> (i)>
func.func @kernel(%A: memref<$Nx$Nxf32>, %B: memref<$Nx$Nxf32>, %x: memref<$Nxf32>, %y: memref<$Nxf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<$Nxf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<$Nxf32>)
  linalg.matvec ins(%A, %x : memref<$Nx$Nxf32>, memref<$Nxf32>) outs(%t : memref<$Nxf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<$Nxf32>)
  linalg.matvec ins(%B, %x : memref<$Nx$Nxf32>, memref<$Nxf32>) outs(%y : memref<$Nxf32>)
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%t : memref<$Nxf32>) outs(%y : memref<$Nxf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  }
  memref.dealloc %t : memref<$Nxf32>
  return
}
