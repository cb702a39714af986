"""The two model files as runtimes read them that know no int8 in blocks: weights in single precision, everything else as it is."""
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper


def dequantised(node: onnx.NodeProto, numbers: dict[str, numpy.ndarray]) -> numpy.ndarray:
    """What DequantizeLinear makes of blocks along the last side."""
    values, scales, zeros = (numbers[name] for name in node.input)
    block = next(attribute.i for attribute in node.attribute if attribute.name == "block_size")
    spread = [numpy.repeat(part, block, axis=-1)[..., : values.shape[-1]] for part in (scales, zeros)]
    return (values.astype(numpy.float32) - spread[1].astype(numpy.float32)) * spread[0]


def flattened(model: onnx.ModelProto) -> onnx.ModelProto:
    graph = model.graph
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    made, nodes = {}, []
    for node in graph.node:
        if node.op_type == "DequantizeLinear":
            made[node.output[0]] = dequantised(node, numbers)
        elif node.op_type == "Reshape" and node.input[0] in made:
            made[node.output[0]] = made[node.input[0]].reshape(numbers[node.input[1]])
        elif node.op_type == "Dropout":
            nodes.append(onnx.helper.make_node("Identity", [node.input[0]], list(node.output)))
        elif node.op_type != "Constant":
            nodes.append(node)
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    kept += [numpy_helper.from_array(numbers, name) for name, numbers in made.items() if name in used]
    # The weights' old names are listed as inputs still.
    inputs = [value for value in graph.input if value.name in used and value.name not in numbers]
    flat = onnx.helper.make_graph(nodes, "flat", inputs, list(graph.output), kept)
    return onnx.helper.make_model(flat, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=7)


def flatten(source: Path, target: Path) -> Path:
    onnx.save(flattened(onnx.load(source)), target)
    return target
