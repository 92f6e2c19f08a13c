"""Networks of TensorFlow's converter: published architectures at small size, quantized as users do it.

converted.py make FOLDER                                under a Python with tensorflow-cpu: FOLDER/NAME.tflite
converted.py ask FOLDER FILE --vela VERSION=PYTHON …    what Vela does with them, and the models without their weights
converted.py compare FILE                               node by node
"""
from __future__ import annotations

import argparse
import base64
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.dev.tflite import networks  # noqa: E402
from tools.quantgate.python.oracles.children import Child  # noqa: E402

Json = dict[str, Any]
Net = Any  # a Keras model


# Of Keras: the maker, the side of the image, options.
APPLICATIONS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "mobilenet_v1": ("MobileNet", 96, {"alpha": 0.25}),
    "mobilenet_v2": ("MobileNetV2", 96, {"alpha": 0.35}),
    "mobilenet_v3_small": ("MobileNetV3Small", 96, {}),
    "mobilenet_v3_minimalistic": ("MobileNetV3Small", 96, {"minimalistic": True}),
    "efficientnet_b0": ("EfficientNetB0", 96, {}),
    "efficientnet_v2_b0": ("EfficientNetV2B0", 96, {}),
    "densenet_121": ("DenseNet121", 64, {}),
    "resnet_50_v2": ("ResNet50V2", 64, {}),
    "inception_v3": ("InceptionV3", 96, {}),
    "xception": ("Xception", 96, {}),
    "nasnet_mobile": ("NASNetMobile", 96, {}),
    "convnext_tiny": ("ConvNeXtTiny", 64, {}),
}


def keyword_ds_cnn(k: Any) -> Net:
    x = given = k.Input((49, 10, 1), batch_size=1)
    x = k.layers.ReLU()(k.layers.BatchNormalization()(k.layers.Conv2D(64, (10, 4), 2, "same")(x)))
    for _ in range(4):
        x = k.layers.ReLU()(k.layers.BatchNormalization()(k.layers.DepthwiseConv2D(3, padding="same")(x)))
        x = k.layers.ReLU()(k.layers.BatchNormalization()(k.layers.Conv2D(64, 1)(x)))
    x = k.layers.Flatten()(k.layers.AveragePooling2D((25, 5))(x))
    return k.Model(given, k.layers.Dense(12, "softmax")(x))


def anomaly_autoencoder(k: Any) -> Net:
    x = given = k.Input((640,), batch_size=1)
    for width in (128, 128, 8, 128, 128):
        x = k.layers.ReLU()(k.layers.BatchNormalization()(k.layers.Dense(width)(x)))
    return k.Model(given, k.layers.Dense(640)(x))


def image_resnet_8(k: Any) -> Net:
    x = given = k.Input((32, 32, 3), batch_size=1)
    x = k.layers.Conv2D(16, 3, padding="same", activation="relu")(x)
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        y = k.layers.Conv2D(channels, 3, stride, "same", activation="relu")(x)
        y = k.layers.Conv2D(channels, 3, padding="same")(y)
        x = x if stride == 1 else k.layers.Conv2D(channels, 1, stride)(x)
        x = k.layers.ReLU()(k.layers.Add()([x, y]))
    x = k.layers.Flatten()(k.layers.AveragePooling2D(8)(x))
    return k.Model(given, k.layers.Dense(10, "softmax")(x))


def segmenter_unet(k: Any) -> Net:
    x = given = k.Input((64, 64, 3), batch_size=1)
    kept = []
    for width in (8, 16, 32):
        x = k.layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        kept.append(x)
        x = k.layers.MaxPooling2D(2)(x)
    x = k.layers.Conv2D(64, 3, padding="same", activation="relu")(x)
    for short in reversed(kept):
        x = k.layers.Conv2DTranspose(short.shape[-1], 2, 2, "same")(x)
        x = k.layers.Conv2D(short.shape[-1], 3, padding="same", activation="relu")(k.layers.Concatenate()([x, short]))
    return k.Model(given, k.layers.Conv2D(1, 1, activation="sigmoid")(x))


def segmenter_pyramid(k: Any) -> Net:
    x = given = k.Input((64, 64, 3), batch_size=1)
    for width in (16, 32, 64):
        x = k.layers.Conv2D(width, 3, 2, "same", activation="relu")(x)
    branches = [k.layers.Conv2D(32, 3, padding="same", dilation_rate=rate, activation="relu")(x) for rate in (1, 2, 4)]
    pooled = k.layers.GlobalAveragePooling2D(keepdims=True)(x)
    branches.append(k.layers.UpSampling2D(8, interpolation="bilinear")(k.layers.Conv2D(32, 1, activation="relu")(pooled)))
    x = k.layers.Conv2D(5, 1)(k.layers.Concatenate()(branches))
    return k.Model(given, k.layers.UpSampling2D(8, interpolation="bilinear")(x))


def upscaler(k: Any) -> Net:
    x = given = k.Input((32, 32, 1), batch_size=1)
    x = k.layers.PReLU(shared_axes=[1, 2])(k.layers.Conv2D(32, 5, padding="same")(x))
    for _ in range(3):
        x = k.layers.PReLU(shared_axes=[1, 2])(k.layers.Conv2D(16, 3, padding="same")(x))
    return k.Model(given, k.layers.Conv2DTranspose(1, 8, 2, "same")(x))


def text_encoder(k: Any) -> Net:
    x = given = k.Input((32, 64), batch_size=1)
    for _ in range(2):
        x = k.layers.LayerNormalization()(x + k.layers.MultiHeadAttention(4, 16)(x, x))
        x = k.layers.LayerNormalization()(x + k.layers.Dense(64)(k.layers.Dense(128, "gelu")(x)))
    return k.Model(given, k.layers.Dense(4, "softmax")(k.layers.GlobalAveragePooling1D()(x)))


def keyword_lstm(k: Any) -> Net:
    x = given = k.Input((49, 10), batch_size=1)
    return k.Model(given, k.layers.Dense(12, "softmax")(k.layers.LSTM(32)(x)))


def wave_convolutions(k: Any) -> Net:
    x = given = k.Input((128, 16), batch_size=1)
    for rate in (1, 2, 4, 8):
        y = k.layers.Conv1D(32, 3, padding="same", dilation_rate=rate)(x)
        gate = k.layers.Conv1D(32, 3, padding="same", dilation_rate=rate, activation="sigmoid")(x)
        y = k.layers.Conv1D(16, 1)(k.layers.Activation("tanh")(y) * gate)
        x = x + y
    return k.Model(given, k.layers.Conv1D(10, 1, activation="relu")(x))


OWN = (keyword_ds_cnn, anomaly_autoencoder, image_resnet_8, segmenter_unet, segmenter_pyramid, upscaler, text_encoder,
       keyword_lstm, wave_convolutions)
SIXTEEN_BITS = ("mobilenet_v2", "image_resnet_8", "segmenter_unet", "keyword_ds_cnn")


def names() -> list[str]:
    own = [make.__name__ for make in OWN]
    return [f"{name}_{bits}" for name in (*own, *APPLICATIONS) for bits in ("int8", "int16")
            if bits == "int8" or name in SIXTEEN_BITS]


def network(name: str) -> Net:
    import tensorflow as tf  # type: ignore[import-not-found]

    tf.keras.utils.set_random_seed(1)
    for make in OWN:
        if make.__name__ == name:
            return make(tf.keras)
    maker, side, options = APPLICATIONS[name]
    given = tf.keras.Input((side, side, 3), batch_size=1)
    return getattr(tf.keras.applications, maker)(weights=None, input_tensor=given, classes=10, **options)


def convert(net: Net, is_wide: bool) -> bytes:
    import numpy as np
    import tensorflow as tf

    chance = np.random.default_rng(1)

    def samples() -> Iterator[list[Any]]:
        for _ in range(8):
            yield [chance.uniform(-1, 1, given.shape).astype(np.float32) for given in net.inputs]

    converter = tf.lite.TFLiteConverter.from_keras_model(net)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = samples
    if is_wide:
        converter.target_spec.supported_ops = [
            tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int16
    else:
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    data: bytes = converter.convert()
    return data


def without_numbers(model: Json) -> Json:
    """The model with one scale for all channels and without values that no constraint looks at."""
    for tensor in model["tensors"]:
        given = tensor.get("encoding", {}).get("perChannel")
        if given is not None and len(set(given.get("zeroPoints", [0]))) == 1:
            given |= {"scales": given["scales"][:1], "zeroPoints": given.get("zeroPoints", [0])[:1]}
        if len(tensor.get("values", [])) > 64 or "realValues" in tensor:
            tensor.pop("values", None)
            tensor.pop("realValues", None)
    return model


def ask(folder: Path, out: Path, pythons: dict[str, str], cli: str) -> None:
    record: Json = {"networks": {}, "places": {}}
    files = sorted(folder.glob("*.tflite"))
    for path in files:
        done = subprocess.run([cli, "convert", str(path), "-o", "-"], capture_output=True, text=True, check=True)
        record["networks"][path.stem] = without_numbers(json.loads(done.stdout))
    for sdk, python in pythons.items():
        with Child([python, str(ROOT / "tools/quantgate/python/oracles/vela_child.py")], 300) as child:
            for arch in networks.ARCHS:
                for path in files:
                    data = base64.b64encode(path.read_bytes()).decode()
                    answer = child.query({"arch": arch, "model": data, "results": True})
                    record["places"].setdefault(f"{sdk} {arch}", {})[path.stem] = answer.get("cpu", answer.get("error"))
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        file.write(json.dumps(record, separators=(",", ":")).encode())


def read(file: Path) -> Json:
    record: Json = json.loads(gzip.decompress(file.read_bytes()))
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("make", "ask", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--only", help="make this one, in this process; each in one of its own without, as the converter may abort")
    parser.add_argument("--vela", nargs="+", default=[], metavar="VERSION=PYTHON")
    parser.add_argument("--cli", default="quantgate")
    arguments = parser.parse_args()
    if arguments.verb == "compare":
        record = read(arguments.folder)
        for target, (same, total, differ) in networks.compare(record["places"], arguments.cli, record["networks"]).items():
            print(f"{target}: {same} of {total} nodes, {100 * same / total:.1f} %", *differ[:12], sep="\n  ")
        return
    if arguments.verb == "ask":
        ask(arguments.folder, arguments.file, dict(each.split("=", 1) for each in arguments.vela), arguments.cli)
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.only:
        name, bits = arguments.only.rsplit("_", 1)
        (arguments.folder / f"{arguments.only}.tflite").write_bytes(convert(network(name), bits == "int16"))
        return
    for name in names():
        if (arguments.folder / f"{name}.tflite").exists():
            continue
        done = subprocess.run([sys.executable, __file__, "make", str(arguments.folder), "--only", name], capture_output=True,
                              text=True, check=False)
        last_line = (done.stderr.strip().splitlines() or [""])[-1][:200]
        print(name, "made" if done.returncode == 0 else f"is not made: {last_line}", flush=True)


if __name__ == "__main__":
    main()
