// If, Loop and Scan: only their schemas stand here; their results come from their nested graphs (infer_control.cpp).

#include "core/graph/ops/op_block.h"

namespace lemmascope {

OpBlocks controlOps() {
    constexpr OpClass Control = OpClass::Control;
    return {
        {OnnxDomain, "If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 1, 1, Control, "else_branch:g then_branch:g"},
        {OnnxDomain, "Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 0, -1, Control, "body:g"},
        {OnnxDomain, "Scan", {8}, 0, -1, Control, "body:g directions:I num_scan_inputs:i"},
        {OnnxDomain,
         "Scan",
         {9, 11, 16, 19, 21, 23, 24, 25},
         1,
         -1,
         Control,
         "body:g num_scan_inputs:i scan_input_axes:I scan_input_directions:I scan_output_axes:I scan_output_directions:I"},
    };
}

} // namespace lemmascope
