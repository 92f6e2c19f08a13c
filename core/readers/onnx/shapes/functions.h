// What operators say of the shapes and types of their outputs; the table of operators is in
// onnx_infer.cc. Each sets what it can determine and leaves the rest open.
#ifndef QUANTGATE_CORE_READERS_ONNX_SHAPES_FUNCTIONS_H_
#define QUANTGATE_CORE_READERS_ONNX_SHAPES_FUNCTIONS_H_

#include "core/readers/onnx/shapes/context.h"

namespace quantgate::onnx::shapes {

// elementwise.cc: element by element: the shape of the inputs, or what they broadcast to.
void Add(Context& c);
void Broadcasting(Context& c);
void Cast(Context& c);
void Dequantize(Context& c);
void Divide(Context& c);
void DynamicQuantize(Context& c);
void Multiply(Context& c);
void Quantize(Context& c);
void Same(Context& c);
void SameValues(Context& c);
void Subtract(Context& c);

// windows.cc: convolutions and pools: a window slides over the spatial dimensions.
void Col2Im(Context& c);
void Conv(Context& c);
void ConvInteger(Context& c);
void ConvTranspose(Context& c);
void GlobalPool(Context& c);
void MaxUnpool(Context& c);
void Pool(Context& c);
void QLinearConv(Context& c);

// products.cc: matrix products, sums of products, and reductions.
void ArgReduce(Context& c);
void Determinant(Context& c);
void Einsum(Context& c);
void Gemm(Context& c);
void MatMul(Context& c);
void MatMulInteger(Context& c);
void QLinearMatMul(Context& c);
void Reduce(Context& c);

// sequences.cc: recurrent networks and attention.
void Attention(Context& c);
void Recurrent(Context& c);

// movement.cc: other shapes of the same elements.
void Concat(Context& c);
void DepthToSpace(Context& c);
void Flatten(Context& c);
void Pad(Context& c);
void Reshape(Context& c);
void Resize(Context& c);
void Slice(Context& c);
void SpaceToDepth(Context& c);
void Split(Context& c);
void Squeeze(Context& c);
void Transpose(Context& c);
void Unsqueeze(Context& c);

// picks.cc: elements picked by index or by rank.
void Compress(Context& c);
void Gather(Context& c);
void GatherElements(Context& c);
void GatherNd(Context& c);
void GridSample(Context& c);
void MaxRoiPool(Context& c);
void NonMaxSuppression(Context& c);
void NonZero(Context& c);
void OneHot(Context& c);
void RoiAlign(Context& c);
void TopK(Context& c);

// values.cc: what computes shapes, and what is made in a shape.
void AffineGrid(Context& c);
void ConstantOfShape(Context& c);
void Drawn(Context& c);
void Expand(Context& c);
void Like(Context& c);
void Range(Context& c);
void ShapeOf(Context& c);
void SizeOf(Context& c);
void Tile(Context& c);

}  // namespace quantgate::onnx::shapes

#endif  // QUANTGATE_CORE_READERS_ONNX_SHAPES_FUNCTIONS_H_
