// A 3 by 3 convolution of an image with channels, then a ReLU, as linalg ops on memrefs.
// sizes: N 4 10 22, C 2 3 4
#id = affine_map<(n, h, w, c) -> (n, h, w, c)>
func.func @kernel(%image: memref<1x$(N+2)x$(N+2)x$Cxf32>, %filter: memref<3x3x$Cx4xf32>, %out: memref<1x$Nx$Nx4xf32>) {
  %zero = arith.constant 0.0 : f32
  %T = memref.alloc() : memref<1x$Nx$Nx4xf32>
  linalg.fill ins(%zero : f32) outs(%T : memref<1x$Nx$Nx4xf32>)
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%image, %filter : memref<1x$(N+2)x$(N+2)x$Cxf32>, memref<3x3x$Cx4xf32>) outs(%T : memref<1x$Nx$Nx4xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%T : memref<1x$Nx$Nx4xf32>) outs(%out : memref<1x$Nx$Nx4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %positive = arith.maximumf %x, %zero : f32
    linalg.yield %positive : f32
  }
  memref.dealloc %T : memref<1x$Nx$Nx4xf32>
  return
}
